//! Wrong numbers and callers, mostly in formats in JSON: the result and the messages. Nothing wrong
//! is counted as if it were right.

use crate::util::{output, recording, stderr};

/// A text, its result, and the messages.
type Case = (String, &'static str, &'static str);

fn assert_said<const CASES: usize>(cases: [Case; CASES]) {
    for (text, folded, said) in cases {
        let output = output("stack-parse", &["--root", "none"], &text);
        assert!(stderr(&output).contains(said), "{text}\n{said} is not in\n{}", stderr(&output));
        let found = String::from_utf8_lossy(&output.stdout);
        assert_eq!(found, folded, "{text}\n{}", stderr(&output));
    }
}

#[test]
fn of_firefox() {
    let firefox = |samples: &str, stacks: &str| {
        format!(
            r#"{{"meta":{{"interval":1,"preprocessedProfileVersion":47}},"libs":[],
"threads":[{{"name":"main","samples":{samples},"stackTable":{stacks},
"frameTable":{{"func":[0,1]}},"funcTable":{{"name":[0,1]}},"stringArray":["a","b"]}}]}}"#
        )
    };
    let stacks = r#"{"prefix":[null,0],"frame":[0,1]}"#;
    assert_said([
        (
            firefox(r#"{"stack":[1,1,0],"weight":[5,"abc",2]}"#, stacks),
            "a 2\na;b 5\n",
            "1 weights are no numbers: they are left out",
        ),
        (
            firefox(r#"{"stack":[1,0],"weight":[5,null]}"#, stacks),
            "a 1\na;b 5\n",
            "1 samples have no weight where others have: each counts one",
        ),
        (
            firefox(r#"{"stack":[1],"weight":[5,7,8]}"#, stacks),
            "a;b 5\n",
            "2 weights have no stack: they are left out",
        ),
        (
            firefox(
                r#"{"stack":[]},"nativeAllocations":{"stack":[1,1,0],"weight":[5,-7,-2]}"#,
                stacks,
            ),
            "a;b 5\n",
            "2 samples are of memory that was freed, left out",
        ),
        (
            firefox(r#"{"stack":[1,5,-1]}"#, stacks),
            "[no stack] 2\na;b 1\n",
            "2 stacks are not in their table",
        ),
        (
            firefox(r#"{"stack":[1,"x"]}"#, stacks),
            "[no stack] 1\na;b 1\n",
            "1 values are not numbers that can be read: they count as null",
        ),
        (
            firefox(r#"{"stack":[1,0.5,1.0,1e0]}"#, stacks),
            "[no stack] 1\na;b 3\n",
            "1 values are not numbers that can be read: they count as null",
        ),
        (
            firefox(r#"{"data":[[0],[1]]}"#, stacks),
            "",
            "2 rows are in tables without a schema: they are left out",
        ),
        (
            firefox(r#"{"data":[[""],[1],["-.e"],["+"]],"schema":{"stack":0}}"#, stacks),
            "[no stack] 3\na;b 1\n",
            "3 values are not numbers that can be read: they count as null",
        ),
        (
            // Since version 55 all threads share the tables.
            firefox(r#"{"stack":[0,1]}"#, "{}").replace(
                "\"libs\"",
                "\"shared\":{\"stackTable\":\
             {\"prefix\":[1,7],\"frame\":[0,1]},\"frameTable\":{\"func\":[0,1]},\
             \"funcTable\":{\"name\":[0,1]},\"stringArray\":[\"a\",\"b\"]},\"libs\"",
            ),
            "a 1\nb 1\n",
            "2 stacks have callers that are not before them: they begin there",
        ),
        (
            firefox(r#"{"stack":[0,1]}"#, r#"{"prefix":[1,7],"frame":[0,1]}"#),
            "a 1\nb 1\n",
            "2 stacks have callers that are not before them: they begin there",
        ),
        (
            firefox(r#"{"stack":[1,1]}"#, r#"{"prefixOffset":[0,2],"frame":[0,1]}"#),
            "b 2\n",
            "1 stacks have callers that are not before them: they begin there",
        ),
    ]);
}

#[test]
fn of_v8() {
    let cpuprofile = |rest: &str| {
        format!(
            r#"{{"nodes":[{{"id":1,"callFrame":{{"functionName":"(root)"}},"children":[2]}},
{{"id":2,"callFrame":{{"functionName":"f"}}}}],{rest}}}"#
        )
    };
    assert_said([
        (
            cpuprofile(
                r#""startTime":1,"endTime":301,"samples":[2,2,2],"timeDeltas":[1e17,1e17,100]"#,
            ),
            "f 300000\n",
            "2 times between samples are no numbers of 64 bits: no time passes there",
        ),
        (
            cpuprofile(r#""endTime":301,"samples":[2,2],"timeDeltas":[50,100]"#),
            "f 100000\n",
            "a profile has an end but no start: its last sample weighs nothing",
        ),
        (
            cpuprofile(r#""samples":[],"timeDeltas":[]"#).replace("}}],", "},\"hitCount\":-7}],"),
            "",
            "1 weights are no integers of 64 bits: they are left out",
        ),
        (
            cpuprofile(r#""startTime":0,"samples":[2,2],"timeDeltas":[0,1]"#)
                .replace("[2]", "[7]")
                .replace("\"id\":2,", "\"id\":2,\"parent\":9,"),
            "f 1000\n",
            "1 nodes have a caller that is missing or is below them: their stacks begin there",
        ),
        (
            cpuprofile(r#""startTime":1,"endTime":301,"samples":[2,2,2],"timeDeltas":[10,20]"#),
            "f 290000\n",
            "1 samples have no time: they are left out",
        ),
        (
            cpuprofile(r#""samples":[2,2,2,2],"timestamps":[1,"x",null,3]"#),
            "f 2000\n",
            "2 samples have no time: they are left out",
        ),
        (
            cpuprofile(r#""samples":[2,2],"timestamps":[-9e15,9e15]"#),
            "f 18000000000000000000\n",
            "",
        ),
    ]);
}

#[test]
fn of_speedscope() {
    let speedscope = |rest: &str| {
        format!(
            r#"{{"$schema":"https://www.speedscope.app/file-format-schema.json",
"shared":{{"frames":[{{"name":"a"}},{{"name":"b"}}]}},"profiles":[{{"type":"sampled","name":"t",
"unit":"none","startValue":0,"endValue":9,{rest}}}]}}"#
        )
    };
    assert_said([
        (
            speedscope(r#""samples":[[0],[0,1]],"weights":[3,18446744073709551616]"#),
            "a 3\n",
            "1 values are no numbers from 0 to 2^64: they are left out",
        ),
        (
            speedscope(r#""samples":[[0],[0,0.5],[1.0]],"weights":[3,4,5]"#),
            "a 3\na;[unknown] 4\nb 5\n",
            "1 frames have an index that is not an integer: they are [unknown]",
        ),
        (
            speedscope(r#""samples":[[0],[0,1],[0]],"weights":[3]"#),
            "a 3\n",
            "2 samples without a weight, or weights without a sample, are left out",
        ),
        (
            speedscope(r#""samples":[[0]],"weights":[3,4]"#),
            "a 3\n",
            "1 samples without a weight, or weights without a sample, are left out",
        ),
        (
            speedscope(
                r#""events":[{"type":"O","frame":0,"at":0},{"type":"O","frame":1,"at":5},
{"type":"C","frame":1,"at":3},{"type":"C","frame":0,"at":9}]"#,
            ),
            "a 9\n",
            "1 events are earlier than the one before them: no time passes there",
        ),
        (
            speedscope(r#""events":[{"type":"O","frame":0,"at":0},{"type":"C","frame":0}]"#),
            "a 9\n",
            "1 values are no numbers from 0 to 2^64: they are left out",
        ),
    ]);
}

#[test]
fn of_traces_and_trees() {
    let case = |text: &str, folded, said| (text.to_owned(), folded, said);
    let timeless = r#"[{"ph":"B","pid":1,"tid":1,"name":"a"},{"ph":"B","ts":1,"pid":1,"tid":1,
"name":"a"},{"ph":"E","ts":3,"pid":1,"tid":1}]"#;
    let stackprof = |rest: &str| {
        format!(r#"{{"version":1.2,"mode":"wall","samples":3,"gc_samples":0,"frames":{{{rest}"#)
    };
    let flat = stackprof(r#""1":{"name":"f","samples":"x"},"2":{"name":"g","samples":2}}}"#);
    let raw = stackprof(
        r#""1":{"name":"f","samples":1}},"interval":7,"raw":[1,1,2,1,1,"y"],
"raw_timestamp_deltas":[5,"x"]}"#,
    );
    let fraction = r#"{"name":"root","value":18446744073709551615,"children":[{"name":"a",
"value":0.5}]}"#;
    let stackless = r#"{"traceEvents":[],"samples":[{"sf":1,"weight":3},{"sf":2,"weight":"x"},
{"sf":3}],"stackFrames":{"1":{"name":"a","parent":1},"2":{"name":"b"},"4":{"name":"c","parent":5}}}"#;
    let folded = "[no stack] 1\na 3\n";
    let spans = "1 spans have no duration that can be counted: they weigh nothing";
    assert_said([
        case(timeless, "a 2000\n", "1 events have no time: they are left out"),
        case(
            &flat,
            "[no stack] 1\ng 2\n",
            "1 weights are no integers of 64 bits: they are left out",
        ),
        case(&flat, "[no stack] 1\ng 2\n", "it lacks the interval between samples"),
        case(
            &raw,
            "[no stack] 7\nf 5\n",
            "2 weights are no integers of 64 bits: they are left out",
        ),
        case(fraction, "a 500000\n", "1 values are not numbers that can be counted"),
        case(stackless, folded, "1 weights are no integers of 64 bits: they are left out"),
        case(stackless, folded, "2 frames are not in stackFrames: they are left out"),
        case(stackless, folded, "1 frames are their own callers: their stacks begin there"),
        case(
            r#"[{"ph":"X","name":"a","ts":0,"dur":2},{"ph":"X","name":"b","ts":3,"dur":-2}]"#,
            "a 2000\n",
            spans,
        ),
        // In nanoseconds it ends after 2^63.
        case(
            r#"[{"ph":"X","name":"a","ts":9e15,"dur":9e15},{"ph":"X","name":"b","ts":0,"dur":2}]"#,
            "b 2000\n",
            spans,
        ),
        // It lasts longer than that.
        case(
            r#"[{"ph":"B","name":"a","ts":-9e15},{"ph":"E","name":"a","ts":9e15},
{"ph":"X","name":"b","ts":0,"dur":2}]"#,
            "b 2000\n",
            spans,
        ),
        case(
            r#"{"n":"","v":4,"c":[{"n":"a","v":2.5},{"n":"b","v":1e14}]}"#,
            "[no stack] 1500000\na 2500000\n",
            "1 values are not numbers that can be counted",
        ),
    ]);
}

#[test]
fn of_other_json() {
    let case = |text: &str, folded, said| (text.to_owned(), folded, said);
    let one = "<stdin>: 1 weights are no integers of 64 bits: they are left out";
    let two = "<stdin>: 2 weights are no integers of 64 bits: they are left out";
    assert_said([
        case(
            r#"{"dhatFileVersion":2,"verb":"Allocated","tu":"s","pps":[{"tb":5,"tbk":1,"fs":[1]},
{"tb":"x","tbk":-1,"fs":[1]}],"ftbl":["[root]","0x1: f (a.rs:1)"]}"#,
            "f 5\n",
            two,
        ),
        case(
            r#"{"rts_arguments":[],"profile":{"id":1,"ticks":3,"alloc":4,"children":[
{"id":2,"ticks":0.5,"alloc":-1,"children":[]}]},
"cost_centres":[{"id":1,"label":"MAIN","module":"MAIN"},{"id":2,"label":"f","module":"M"}]}"#,
            "MAIN 3\n",
            two,
        ),
        case(
            r#"{"version":1.2,"mode":"object","interval":1,"samples":3,
"frames":{"1":{"name":"f","samples":3}},"raw":[1,1,3,1,1,0.5]}"#,
            "f 3\n",
            one,
        ),
        case(
            r#"{"start_time":1,"duration":2,"sample_count":3,"root_frame":{"function":"main",
"time":2.0,"children":[{"function":"f","time":-1,"children":[]}]}}"#,
            "main 2000000000\n",
            "1 times are not numbers that fit into 64 bits: they count as 0",
        ),
        case(
            r#"{"nodes":[{"id":0,"kind":"root","landmark_id":"r","name":"ROOT","location":"l",
"calls":1,"time":7.0,"children":[1],"sys_time":0.0,"allocated_bytes":0},{"id":1,"kind":"normal",
"landmark_id":"f","name":"f","location":"l","calls":1,"time":-5.0,"children":[],"sys_time":0.0,
"allocated_bytes":0}],"label":"","root":0}"#,
            "ROOT 7\n",
            "1 totals do not fit: below zero they count as 0, over 64 bits as 2^64 - 1",
        ),
    ]);
}

#[test]
fn of_tables() {
    let fractions = recording("formats/vsprof/fractions.csv");
    let output = output("stack-parse", &[], fractions);
    let said = "3 numbers have a fraction, they are rounded so that their sum is right";
    assert!(stderr(&output).contains(said), "{}", stderr(&output));
}
