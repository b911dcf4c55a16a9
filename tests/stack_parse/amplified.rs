//! Small inputs that name the same many frames again and again.

use std::fmt::Write;

use crate::util::{TempFile, binary, stderr, weight};

/// Each location of [`MANY`] functions, all but one of them inlined, is in as many stacks.
const MANY: usize = 20_000;

/// A profile of OpenTelemetry in JSON with `lines` functions at one location, which is in a stack
/// `depth` times, and with 10 other stacks that have it once.
fn otlp(lines: usize, depth: usize) -> String {
    let lines = vec![r#"{"functionIndex":1}"#; lines].join(",");
    let stacks: String = (0..10).fold(String::new(), |mut stacks, _| {
        stacks.push_str(r#",{"locationIndices":[1]}"#);
        stacks
    });
    let depth = vec!["1"; depth].join(",");
    format!(
        r#"{{"resourceProfiles":[{{"scopeProfiles":[{{"profiles":[{{
        "sampleType":{{"typeStrindex":1,"unitStrindex":2}},"samples":[
        {{"stackIndex":1,"values":["7"]}},{{"stackIndex":2,"values":["3"]}}]}}]}}]}}],
        "dictionary":{{"mappingTable":[{{}}],"linkTable":[{{}}],"attributeTable":[{{}}],
        "stringTable":["","cpu","samples","f"],"functionTable":[{{}},{{"nameStrindex":3}}],
        "locationTable":[{{}},{{"lines":[{lines}]}}],
        "stackTable":[{{}},{{"locationIndices":[{depth}]}}{stacks}]}}}}"#
    )
}

/// A recording of heaptrack, as it is interpreted, of one block whose stack has the same
/// instruction `depth` times, into which `lines` functions were inlined.
fn heaptrack(lines: usize, depth: usize) -> String {
    let mut text = "v 10400 3\nX ./a.o\ns 1 a\ns 1 f\ns 1 c\n".to_owned();
    let inlined = " 2 3 1".repeat(lines);
    writeln!(text, "i 1000 1{inlined}").expect("text");
    (0..depth).for_each(|caller| writeln!(text, "t 1 {caller:x}").expect("text"));
    writeln!(text, "a 10 {depth:x}\n+ 0\nc 1").expect("text");
    text
}

#[test]
fn inlined_functions_take_no_more_memory_than_a_file_of_that_size_can_name() {
    for (name, text, expected) in
        [("otlp", otlp(MANY, MANY), 10), ("heaptrack", heaptrack(MANY, MANY), 1)]
    {
        let file = TempFile::new(&text);
        let output = std::process::Command::new("sh")
            .args(["-c", r#"ulimit -v 300000; exec "$0" "$@""#, binary("stack-parse")])
            .args(["--threads", "1", file.path()])
            .output()
            .expect("a shell");
        let said = stderr(&output);
        assert_eq!(weight(&output.stdout), expected, "{name}: {said}");
        let left_out = "inlined frames are left out: the profile names more of them";
        assert!(said.contains(left_out), "{name}: {said}");
        // What is there is shown: more than the outermost functions.
        let frames = output.stdout.split(|&byte| byte == b';').count();
        assert!((2 * MANY..100 * MANY).contains(&frames), "{name}: {frames} frames");
    }
}

#[test]
fn usual_inlined_functions_are_all_shown() {
    for text in [otlp(100, 100), heaptrack(100, 100)] {
        let file = TempFile::new(&text);
        let output = std::process::Command::new(binary("stack-parse")).arg(file.path()).output();
        let output = output.expect("it starts");
        assert!(!stderr(&output).contains("left out"), "{}", stderr(&output));
        let longest = output.stdout.split(|&byte| byte == b'\n').max_by_key(|line| line.len());
        let frames = longest.expect("a line").split(|&byte| byte == b';').count();
        assert!((10_000..10_010).contains(&frames), "{frames} frames");
    }
}
