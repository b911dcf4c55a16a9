//! `--spans`: the spans that recordings have themselves, as stack-label reads them.

use std::collections::BTreeMap;
use std::fmt::Write;

use super::pprof::Message;
use crate::random::Random;
use crate::util::{TempFile, golden_files, golden_path, output, recording, stderr};

/// The columns, as the first line names them.
const COLUMNS: &str = "start\tend\ttid\tpid\tid\tname\n";

/// A row, or a span that a test expects: nanoseconds, then the other columns.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Row {
    start: u64,
    end: u64,
    tid: String,
    pid: String,
    id: String,
    name: String,
}

impl Row {
    fn new(start: u64, end: u64, [tid, pid, id, name]: [&str; 4]) -> Row {
        let [tid, pid, id, name] = [tid, pid, id, name].map(str::to_owned);
        Row { start, end, tid, pid, id, name }
    }

    /// The columns of a line, read without our code.
    fn read(line: &str) -> Row {
        let fields: Vec<&str> = line.split('\t').collect();
        let [start, end, tid, pid, id, name] = fields[..] else { panic!("six columns: {line}") };
        Row::new(nanoseconds(start), nanoseconds(end), [tid, pid, id, name])
    }

    fn is_around(&self, time: u64, tid: &str) -> bool {
        (self.tid.is_empty() || self.tid == tid) && self.start <= time && time < self.end
    }
}

/// A time in nanoseconds, and a thread.
type Moment = (u64, String);

/// The labels `span` and `span_ms`, if there are any.
type Found = Option<(String, String)>;

/// The time in `7.000000250`, which must have nine digits after the point.
fn nanoseconds(seconds: &str) -> u64 {
    let (whole, fraction) = seconds.split_once('.').expect("a point");
    assert_eq!(fraction.len(), 9, "{seconds}");
    format!("{whole}{fraction}").parse().expect("digits")
}

/// The table of spans, and what is said.
fn spans(args: &[&str], input: impl AsRef<[u8]>) -> (String, String) {
    let output = output("stack-parse", &[&["--spans"], args].concat(), input);
    let table = String::from_utf8(output.stdout.clone()).expect("UTF-8");
    (table, stderr(&output))
}

fn rows(table: &str) -> Vec<Row> {
    let rows = table.strip_prefix(COLUMNS).unwrap_or_else(|| panic!("the columns: {table}"));
    rows.lines().map(Row::read).collect()
}

/// The spans of a golden file, sorted by all columns.
fn rows_of(name: &str) -> Vec<Row> {
    let path = golden_path(name);
    let mut rows = rows(&spans(&[path.to_str().expect("UTF-8")], "").0);
    rows.sort();
    rows
}

/// The samples of an input, labelled by its own spans.
fn labelled(input: &[u8]) -> Vec<(Moment, Found)> {
    let table = TempFile::new(spans(&[], input).0);
    let lines = output("stack-parse", &["--per-sample", "--header", "--labels", "time,tid"], input);
    let lines = by_stack_label(&table, lines.stdout);
    let lines = lines.lines().filter(|line| !line.starts_with("# ")).map(|line| {
        let label = |key: &str| {
            let labels = line.split('\t').filter_map(|label| label.split_once('='));
            labels.filter(|(known, _)| *known == key).map(|(_, value)| value.to_owned()).next()
        };
        let time = nanoseconds(&label("time").expect("a time"));
        ((time, label("tid").expect("a thread")), label("span").zip(label("span_ms")))
    });
    lines.collect()
}

/// Lines as stack-label labels them by this table.
fn by_stack_label(table: &TempFile, lines: impl AsRef<[u8]>) -> String {
    let labelled = output("stack-label", &["--clock", "any", table.path()], lines);
    String::from_utf8(labelled.stdout).expect("UTF-8")
}

/// The milliseconds in these nanoseconds, without zeros at the end.
fn milliseconds(nanoseconds: u64) -> String {
    let text = format!("{}.{:06}", nanoseconds / 1_000_000, nanoseconds % 1_000_000);
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// The name and the length of the innermost of these spans: that which began last; of those that
/// began together, the shortest.
fn innermost(spans: &[Row], time: u64, tid: &str) -> Found {
    let around = spans.iter().filter(|span| span.is_around(time, tid));
    let span = around.max_by_key(|span| (span.start, u64::MAX - span.end))?;
    Some((span.name.clone(), milliseconds(span.end - span.start)))
}

/// Random spans within each other, from one time to another.
fn nest(random: &mut Random, from: u64, to: u64, depth: usize, tid: &str, spans: &mut Vec<Row>) {
    let mut start = from;
    while depth < 5 && to - start > 4_000 {
        start += 1 + random.next() % ((to - start) / 3);
        let end = start + 1 + random.next() % (to - start);
        let name = format!("{tid}-{}", spans.len());
        spans.push(Row::new(start, end.min(to), [tid, "7", "", &name]));
        nest(random, start, end.min(to), depth + 1, tid, spans);
        start = end.min(to);
    }
}

/// Nanoseconds as the microseconds of a trace event.
fn micros(time: u64) -> String {
    format!("{}.{:03}", time / 1000, time % 1000)
}

/// A trace with these spans, in which each thread has its own phases of events, and these samples.
fn chrome(spans: &[Row], samples: &[Moment], random: &mut Random) -> String {
    let mut events = Vec::new();
    let mut edges: Vec<(u64, bool, u64, String)> = Vec::new();
    for Row { start, end, tid, name, .. } in spans {
        let whose = format!(r#""name":"{name}","pid":7,"tid":{tid},"ts""#);
        if tid == "1" {
            // Ends before begins; of the begins the longest first, of the ends the shortest.
            edges.push((
                *start,
                true,
                u64::MAX - end,
                format!(r#"{{"ph":"B",{whose}:{}}}"#, micros(*start)),
            ));
            edges.push((
                *end,
                false,
                u64::MAX - start,
                format!(r#"{{"ph":"E",{whose}:{}}}"#, micros(*end)),
            ));
        } else {
            let (start, length) = (micros(*start), micros(end - start));
            events.push(format!(r#"{{"ph":"X",{whose}:{start},"dur":{length}}}"#));
        }
    }
    edges.sort();
    let place = random.below(events.len());
    events.splice(place..place, edges.into_iter().map(|(.., event)| event));
    let sample = |(time, tid): &Moment| {
        let time = micros(*time);
        format!(r#"{{"name":"cycles","ts":{time},"pid":7,"tid":{tid},"weight":1,"sf":1}}"#)
    };
    let samples: Vec<String> = samples.iter().map(sample).collect();
    let (events, samples) = (events.join(",\n"), samples.join(",\n"));
    format!(
        r#"{{"traceEvents":[{events}],"samples":[{samples}],"stackFrames":{{"1":{{"name":"f"}}}}}}"#
    )
}

#[test]
fn samples_of_a_trace_are_in_the_spans_that_it_has() {
    for seed in 0..6 {
        let mut random = Random(seed);
        let (mut expected, mut samples) = (Vec::new(), Vec::new());
        let begin = 5_000_000_000_000_000 + random.next() % 1_000_000_007;
        for tid in ["1", "2", "3"] {
            nest(&mut random, begin, begin + 100_000, 0, tid, &mut expected);
            for _ in 0..200 {
                samples.push((begin + random.next() % 110_000, tid.to_owned()));
            }
        }
        // The first moment of a span is in it, the last is not.
        let edges =
            expected.iter().flat_map(|it| [it.start, it.end].map(|at| (at, it.tid.clone())));
        samples.extend(edges.collect::<Vec<_>>());
        let trace = chrome(&expected, &samples, &mut random);
        let (table, said) = spans(&[], &trace);
        assert_eq!(said, "", "seed {seed}");
        let found = rows(&table);
        assert!(found.is_sorted_by_key(|row| row.start), "seed {seed}: by their start");
        let sorted = |mut rows: Vec<Row>| {
            rows.sort();
            rows
        };
        assert_eq!(sorted(found), sorted(expected.clone()), "seed {seed}");
        let labelled = labelled(trace.as_bytes());
        assert_eq!(labelled.len(), samples.len());
        for ((time, tid), found) in labelled {
            assert_eq!(found, innermost(&expected, time, &tid), "seed {seed}: {time} of {tid}");
        }
    }
}

/// Samples of V8 are of the thread that began its profile, in microseconds after that.
#[test]
fn samples_of_v8_are_in_spans_of_its_thread() {
    let trace = r#"[{"ph":"P","name":"Profile","pid":1,"tid":2,"id":"0x1","ts":9,
        "args":{"data":{"startTime":1000}}},
        {"ph":"X","name":"load","pid":1,"tid":2,"ts":1004,"dur":8},
        {"ph":"X","name":"GET","pid":1,"tid":2,"ts":1030.5,"dur":10},
        {"ph":"X","name":"other","pid":1,"tid":9,"ts":1000,"dur":50},
        {"ph":"P","name":"ProfileChunk","pid":1,"tid":9,"id":"0x1","ts":20,
        "args":{"data":{"cpuProfile":{"nodes":[{"id":1,"callFrame":{"functionName":"main"}}],
        "samples":[1,1,1]},"timeDeltas":[5,10,20]}}}]"#;
    let found = |name: &str, length: &str| Some((name.to_owned(), length.to_owned()));
    let moment = |micros: u64| (1000 * micros, "2".to_owned());
    let expected = [
        (moment(1005), found("load", "0.008")),
        (moment(1015), None),
        (moment(1035), found("GET", "0.01")),
    ];
    assert_eq!(labelled(trace.as_bytes()), expected);
}

/// What 'jfr print --json' says, one line per event: `span start nanoseconds thread event`,
/// `sample time thread methods`, the leaf first.
fn printed() -> (Vec<Row>, BTreeMap<Moment, Vec<String>>) {
    let text = String::from_utf8(recording("oracle/jdk17-requests.print.gz")).expect("UTF-8");
    let (mut spans, mut samples) = (Vec::new(), BTreeMap::new());
    for line in text.lines() {
        let fields: Vec<&str> = line.split('\t').collect();
        let number = |at: usize| fields[at].parse::<u64>().expect("a number");
        if fields[0] == "sample" {
            let methods: Vec<String> = fields[3].split(';').map(str::to_owned).collect();
            samples.insert((number(1), fields[2].to_owned()), methods);
        } else {
            let tid = if fields[4] == "jdk.GCPhasePause" { "" } else { fields[3] };
            let end = number(1) + number(2);
            spans.push(Row::new(number(1), end, [tid, "", "", fields[4]]));
        }
    }
    spans.sort();
    (spans, samples)
}

/// tests/stack_parse/spans/Shop.java, whose slow requests rebuild an index.
#[test]
fn slow_requests_of_a_flight_recording_do_what_was_planted() {
    const RECORDING: &str = "formats/jfr/jdk17-requests.jfr.gz";
    let (expected, samples) = printed();
    assert_eq!(rows_of(RECORDING), expected);
    let (mut planted, mut slow, mut fast) = (0, 0, 0);
    for ((time, tid), found) in labelled(&recording(RECORDING)) {
        assert_eq!(found, innermost(&expected, time, &tid), "{time}");
        let methods = &samples[&(time, tid)];
        let Some((name, length)) = found else { continue };
        assert_eq!(name, "shop.Request");
        let is_slow = length.parse::<f64>().expect("a number") >= 20.0;
        *(if is_slow { &mut slow } else { &mut fast }) += 1;
        let is_planted = methods.iter().any(|method| method == "rebuildIndex");
        assert!(is_slow || !is_planted, "{time} is in a request of {length} ms");
        planted += u64::from(is_planted);
    }
    assert!(planted * 20 > slow * 19, "{planted} of {slow} samples in slow requests");
    assert!(fast > 50, "{fast} samples in fast requests");
}

/// The time of each thread that is in any span.
fn covered(mut rows: Vec<Row>) -> BTreeMap<(String, String), u64> {
    rows.sort();
    let (mut sums, mut ends) = (BTreeMap::new(), BTreeMap::new());
    for Row { start, end, tid, pid, .. } in rows {
        let key = (pid, tid);
        let covered = ends.entry(key.clone()).or_insert(0_u64);
        *sums.entry(key).or_default() += end.saturating_sub(start.max(*covered));
        *covered = (*covered).max(end);
    }
    sums
}

/// The spans of OCaml's collector, beside the time that another reader found for each thread.
#[test]
fn spans_of_fuchsias_traces_last_as_long_as_another_reader_says() {
    for (recorded, truth) in [
        ("formats/fxt/olly-gc.fxt.gz", "oracle/olly-gc.fxt.folded-by-thread.gz"),
        ("formats/fxt/synth.fxt", "oracle/synth.fxt.folded-by-thread"),
    ] {
        let mut expected: BTreeMap<String, u64> = BTreeMap::new();
        let truth = String::from_utf8(recording(truth)).expect("UTF-8");
        for line in truth.lines() {
            let (thread, rest) = line.split_once('\t').expect("a thread");
            let weight: u64 =
                rest.rsplit(' ').next().and_then(|it| it.parse().ok()).expect("a count");
            let thread = thread.split('(').next().expect("a name").trim_start_matches("ref");
            let tid = thread.rsplit(':').next().expect("a number");
            *expected.entry(tid.to_owned()).or_default() += weight;
        }
        let rows: Vec<Row> =
            rows_of(recorded).into_iter().filter(|row| row.id.is_empty()).collect();
        let found = covered(rows).into_iter().map(|((_, tid), sum)| (tid, sum));
        let found: BTreeMap<String, u64> = found.filter(|(_, sum)| *sum > 0).collect();
        assert_eq!(found, expected, "{recorded}");
    }
}

#[test]
fn a_collection_of_ocaml_is_a_span_with_its_phases() {
    let rows = rows_of("formats/fxt/olly-gc.fxt.gz");
    let minors: Vec<&Row> = rows.iter().filter(|row| row.name == "minor").collect();
    assert!(!minors.is_empty());
    for phase in rows.iter().filter(|row| row.name == "minor_local_roots_promote") {
        let is_around = |minor: &&&Row| {
            minor.tid == phase.tid && minor.start <= phase.start && phase.end <= minor.end
        };
        assert!(minors.iter().any(|minor| is_around(&minor)), "{phase:?}");
    }
}

/// A record of Fuchsia's format: its first word without the size, and the words after it.
fn record(first: u64, words: &[u64]) -> Vec<u8> {
    let first = first | (words.len() as u64 + 1) << 4;
    std::iter::once(&first).chain(words).flat_map(|word| word.to_le_bytes()).collect()
}

#[test]
fn ticks_of_fuchsias_clock_become_nanoseconds() {
    // The name "rq", padded to a word, follows each event; thread 1 is thread 6 of process 5.
    let name = u64::from(u16::from_le_bytes(*b"rq"));
    let event = |kind: u64, time: u64, rest: &[u64]| {
        let first = 4 | kind << 16 | 1 << 24 | (1 << 15 | 2) << 48;
        record(first, &[&[time, name][..], rest].concat())
    };
    let trace = [
        b"\x10\x00\x04FxT\x16\x00".to_vec(),
        // Three ticks a microsecond.
        record(1, &[3_000_000]),
        record(3 | 1 << 16, &[5, 6]),
        event(2, 10, &[]),
        event(3, 19, &[]),
        event(4, 30, &[32]),
        event(5, 40, &[77]),
        event(7, 43, &[77]),
        event(3, 60, &[]),
        event(2, 90, &[]),
        event(4, 93, &[96]),
    ];
    let (table, said) = spans(&[], trace.concat());
    let expected = "0.000003333\t0.000006333\t6\t5\t\trq\n\
        0.000010000\t0.000010666\t6\t5\t\trq\n\
        0.000013333\t0.000014333\t\t5\t77\trq\n\
        0.000030000\t0.000032000\t6\t5\t\trq\n\
        0.000031000\t0.000032000\t6\t5\t\trq\n";
    assert_eq!(table, format!("{COLUMNS}{expected}"));
    assert!(said.contains("1 spans did not end: they last to the last event"), "{said}");
    assert!(said.contains("1 ends are of spans that did not begin: they are left out"), "{said}");
}

/// The time of threads is counted while a long trace is read, but not where spans are wanted.
#[test]
fn spans_that_last_for_all_of_a_long_trace_are_whole() {
    const PAIRS: u64 = 40_000;
    let name = u64::from(u16::from_le_bytes(*b"rq"));
    let event = |kind: u64, time: u64| {
        record(4 | kind << 16 | 1 << 24 | (1 << 15 | 2) << 48, &[time, name])
    };
    let mut trace = b"\x10\x00\x04FxT\x16\x00".to_vec();
    trace.extend(record(3 | 1 << 16, &[5, 6]));
    trace.extend(event(2, 1));
    for number in 1..=PAIRS {
        trace.extend([event(2, 10 * number), event(3, 10 * number + 5)].concat());
    }
    trace.extend(event(3, 10 * PAIRS + 9));
    let (table, said) = spans(&[], trace);
    let found = rows(&table);
    assert_eq!((found.len() as u64, &said[..]), (PAIRS + 1, ""));
    assert_eq!((found[0].start, found[0].end), (1, 10 * PAIRS + 9));
    let is_pair = |row: &Row| row.start.is_multiple_of(10) && row.end == row.start + 5;
    assert!(found[1..].iter().all(is_pair));
}

/// A packet of Perfetto's with this field, at this nanosecond.
fn packet(time: u64, field: u64, data: &Message) -> Vec<u8> {
    let packet = Message::default().number(8, time).number(10, 1).bytes(field, &data.0);
    Message::default().bytes(1, &packet.0).0
}

#[test]
fn slices_of_perfetto_are_of_the_threads_of_their_tracks() {
    const DESCRIPTOR: u64 = 60;
    const EVENT: u64 = 11;
    let thread = Message::default().number(1, 40).number(2, 41);
    let of_thread = Message::default().number(1, 900).bytes(4, &thread.0);
    let of_process =
        Message::default().number(1, 901).bytes(3, &Message::default().number(1, 40).0);
    let event = |kind: u64, track: u64, name: &str| {
        let event = Message::default().number(9, kind).number(11, track);
        if name.is_empty() { event } else { event.bytes(23, name.as_bytes()) }
    };
    let trace = [
        packet(1_000, EVENT, &event(1, 900, "GET /a")),
        packet(1_200, EVENT, &event(1, 900, "query;all")),
        packet(1_250, EVENT, &event(2, 900, "")),
        packet(1_500, EVENT, &event(1, 901, "upload")),
        packet(2_000, EVENT, &event(2, 900, "")),
        packet(2_500, EVENT, &event(2, 901, "")),
        // The descriptors may come after what needs them.
        packet(1, DESCRIPTOR, &of_thread),
        packet(1, DESCRIPTOR, &of_process),
    ];
    let (table, said) = spans(&[], trace.concat());
    let expected = "0.000001000\t0.000002000\t41\t40\t\tGET /a\n\
        0.000001200\t0.000001250\t41\t40\t\tquery;all\n\
        0.000001500\t0.000002500\t\t40\t\tupload\n";
    assert_eq!((&table[..], &said[..]), (&format!("{COLUMNS}{expected}")[..], ""));
}

#[test]
fn markers_of_firefox_that_last_are_spans() {
    let gecko = r#"{"meta":{"version":24,"interval":1,"startTime":1000.5,"processType":0,"stackwalk":1},
        "libs":[],"threads":[{"name":"GeckoMain","pid":12,"tid":13,
        "samples":{"schema":{"stack":0,"time":1},"data":[[null,0.25]]},
        "markers":{"schema":{"name":0,"startTime":1,"endTime":2,"phase":3,"category":4,"data":5},
        "data":[[0,0.25,2.75,1,0,{"type":"GCMajor","n":[1]}],[1,1,null,2,0],[2,1.5,null,0,0],
        [1,null,2.000001,3,0],[0,null,9,3,0],[2,4,null,2,0]]},
        "stringTable":["GCMajor","DOMEvent","Reflow"]}],"processes":[]}"#;
    let processed = r#"{"meta":{"preprocessedProfileVersion":57,"interval":1,"startTime":1000.5},
        "libs":[],"shared":{"stringArray":["GCMajor","DOMEvent","Reflow"]},"threads":[
        {"name":"GeckoMain","pid":"12","tid":13,
        "samples":{"stack":[null],"time":[0.25],"length":1},
        "markers":{"data":[{"type":"GCMajor"},null,null,null,null,null],"name":[0,1,2,1,0,2],
        "startTime":[0.25,1,1.5,null,null,4],"endTime":[2.75,null,null,2.000001,9,null],
        "phase":[1,2,0,3,3,2],"category":[0,0,0,0,0,0],"length":6}}]}"#;
    for profile in [gecko, processed] {
        let (table, said) = spans(&[], profile);
        let expected = "1.000750000\t1.003250000\t13\t12\t\tGCMajor\n\
            1.001500000\t1.002500001\t13\t12\t\tDOMEvent\n\
            1.004500000\t1.009500000\t13\t12\t\tReflow\n";
        assert_eq!(table, format!("{COLUMNS}{expected}"));
        assert!(said.contains("1 ends are of spans that did not begin"), "{said}");
        assert!(said.contains("1 spans did not end"), "{said}");
        let labelled = labelled(profile.as_bytes());
        let of_collection = Some(("GCMajor".to_owned(), "2.5".to_owned()));
        assert_eq!(labelled, [((1_000_750_000, "13".to_owned()), of_collection)]);
    }
    let old = r#"{"meta":{"stackwalk":1},"threads":[{"name":"a","markers":{"schema":{"name":0,"time":1,
        "data":2},"data":[[0,1,{"type":"tracing"}]]},"stringTable":["Reflow"]}]}"#;
    let said = spans(&[], old).1;
    assert!(said.contains("1 markers do not say if they last"), "{said}");
}

#[test]
fn tasks_have_ids_that_no_other_has() {
    // The first task stays on its thread, with a task inside of it; the second moves; the third has
    // the id of the first again.
    let trace = r#"[{"ph":"b","pid":1,"tid":5,"ts":1,"cat":"io","id":"0x1","name":"read"},
        {"ph":"b","pid":1,"tid":5,"ts":2,"cat":"io","id":"0x1","name":"wait"},
        {"ph":"e","pid":1,"tid":5,"ts":3,"cat":"io","id":"0x1","name":"wait"},
        {"ph":"e","pid":1,"tid":5,"ts":4,"cat":"io","id":"0x1","name":"read"},
        {"ph":"S","pid":1,"tid":5,"ts":5,"cat":"io","id":2,"name":"send"},
        {"ph":"F","pid":1,"tid":6,"ts":9,"cat":"io","id":2,"name":"send"},
        {"ph":"X","pid":1,"tid":5,"ts":20,"dur":1,"name":"plain"},
        {"ph":"b","pid":1,"tid":5,"ts":30,"cat":"io","id":"0x1","name":"read"},
        {"ph":"e","pid":1,"tid":5,"ts":90,"cat":"io","id":"0x1","name":"read"}]"#;
    let (table, said) = spans(&[], trace);
    let expected = "0.000001000\t0.000004000\t5\t1\t0x1\tread\n\
        0.000002000\t0.000003000\t5\t1\t0x1.2\twait\n\
        0.000005000\t0.000009000\t\t1\t2\tsend\n\
        0.000020000\t0.000021000\t5\t1\t\tplain\n\
        0.000030000\t0.000090000\t5\t1\t0x1.3\tread\n";
    assert_eq!((&table[..], &said[..]), (&format!("{COLUMNS}{expected}")[..], ""));
    // Each lasts as long as its own row, also that without an id beside one whose id is its number.
    let table = TempFile::new(table.replace("\t2\tsend", "\t4\tsend"));
    let lines = "time=0.000002500\ttid=5\tf 1\ntime=0.0000035\ttid=5\tf 1\n\
        time=0.000008\ttid=6\tpid=1\tf 1\ntime=0.0000205\ttid=5\tpid=1\tf 1\n";
    let labelled = by_stack_label(&table, lines);
    for expected in [
        "span=wait\tspan_ms=0.001\tspan_id=0x1.2\t",
        "span=read\tspan_ms=0.003\tspan_id=0x1\t",
        "span=send\tspan_ms=0.004\tspan_id=4\t",
        "span=plain\tspan_ms=0.001\tspan_id=4\t",
    ] {
        assert!(labelled.contains(expected), "{expected}: {labelled}");
    }
}

#[test]
fn names_are_chosen_by_a_glob_and_are_one_field() {
    let mut trace = "[".to_owned();
    for (at, name) in
        [r"GET /a", r"GET\t/b\u0001", r#"\"GET\" /c"#, "#1", "PUT /é", ""].iter().enumerate()
    {
        let comma = if at > 0 { "," } else { "" };
        write!(trace, r#"{comma}{{"ph":"X","ts":{at},"dur":1,"tid":1,"name":"{name}"}}"#)
            .expect("a text");
    }
    let names = |args: &[&str]| -> Vec<String> {
        rows(&spans(args, &trace).0).into_iter().map(|row| row.name).collect()
    };
    let all = ["GET /a", "GET /b ", "\"\"\"GET\"\" /c\"", "\"#1\"", "PUT /é", "[no name]"];
    assert_eq!(names(&[]), all);
    assert_eq!(names(&["--event", "GET*"]), all[..2]);
    assert_eq!(names(&["--event", "?UT*"]), all[4..5]);
    // stack-label reads the same names.
    let table = TempFile::new(spans(&[], &trace).0);
    let labelled = by_stack_label(&table, "time=0.000002\ttid=1\tf 1\n");
    assert!(labelled.contains("\tspan=\"GET\" /c\t"), "{labelled}");
    let stats = spans(&["--event", "GET*", "--stats"], &trace).1;
    for expected in ["in 6 lines", "out 2 lines", "dropped 4 lines"] {
        assert!(stats.contains(expected), "{expected}: {stats}");
    }
    let none = output("stack-parse", &["--spans", "--event", "x"], &trace);
    assert_eq!((none.status.code(), &none.stdout[..]), (Some(1), COLUMNS.as_bytes()));
    assert!(stderr(&none).contains("no span found: 6 others have other names"), "{none:?}");
    // A name may be any bytes but control bytes.
    let bytes = [&b"[{\"ph\":\"X\",\"ts\":1,\"dur\":1,\"name\":\"a\xff\"}]"[..]].concat();
    let table = output("stack-parse", &["--spans"], bytes).stdout;
    assert!(table.ends_with(b"\ta\xff\n"), "{table:?}");
}

#[test]
fn what_is_missing_is_counted_and_the_rest_is_read() {
    let trace = r#"[{"ph":"X","ts":-5,"dur":2,"tid":1,"name":"before"},
        {"ph":"X","ts":1,"dur":2,"tid":1,"name":"whole"},
        {"ph":"X","ts":2,"dur":-2,"tid":1,"name":"short"},{"ph":"X","dur":2,"tid":1,"name":"no time"},
        {"ph":"E","ts":3,"tid":2,"name":"ended"},{"ph":"B","ts":4,"tid":2,"name":"open"},
        {"ph":"X","ts":5,"dur":1,"tid":2,"name":"last"},{"ph":"X","ts":7"#;
    let found = output("stack-parse", &["--spans"], format!("{trace},,"));
    let (table, said) = (String::from_utf8_lossy(&found.stdout), stderr(&found));
    let expected = "0.000001000\t0.000003000\t1\t\t\twhole\n\
        0.000002000\t0.000002000\t1\t\t\tshort\n\
        0.000004000\t0.000006000\t2\t\t\topen\n\
        0.000005000\t0.000006000\t2\t\t\tlast\n";
    assert_eq!(table, format!("{COLUMNS}{expected}"));
    assert_eq!(found.status.code(), Some(2), "{said}");
    for expected in [
        "1 spans began before time 0: they are left out",
        "1 spans did not end: they last to the last event of their thread",
        "1 ends are of spans that did not begin: they are left out",
        "1 events have no time: they are left out",
        "1 spans have no duration that can be counted",
    ] {
        assert!(said.contains(expected), "{expected}: {said}");
    }
}

#[test]
fn other_formats_and_options_are_refused() {
    let refused = output("stack-parse", &["--spans"], "main;f 1\n");
    assert_eq!((refused.status.code(), &refused.stdout[..]), (Some(2), &b""[..]));
    let expected = "stack-parse: --spans needs a recording of jfr, fxt, perfetto, wprof, \
        trace-event or firefox: <stdin> is folded\n";
    assert_eq!(stderr(&refused), expected);
    for other in [
        "--per-sample",
        "--table",
        "--every=1",
        "--wall",
        "--off-cpu",
        "--list-events",
        "--header",
        "--labels=time",
        "--root=tid",
        "--by-event",
        "--from=1",
        "--to=1",
        "--weight=samples",
        "--annotate",
        "--srcline",
        "--live",
        "--major",
        "--promoted",
        "--detect",
        "--tsv",
    ] {
        let refused = output("stack-parse", &["--spans", other], "[]");
        assert_eq!(refused.status.code(), Some(2), "{other}");
        assert!(stderr(&refused).contains("cannot be used with"), "{other}: {}", stderr(&refused));
    }
}

/// Files are read one after the other, each sorted; their columns are named once.
#[test]
fn several_files_are_one_table() {
    let file = |ts: [u64; 2], name: &str| {
        let [late, early] =
            ts.map(|ts| format!(r#"{{"ph":"X","ts":{ts},"dur":1,"name":"{name}"}}"#));
        TempFile::new(format!("[{late},{early}]"))
    };
    let files = [file([9, 8], "one"), file([2, 1], "two")];
    let table = spans(&[files[0].path(), files[1].path()], "").0;
    let names: Vec<String> =
        rows(&table).into_iter().map(|row| format!("{} {}", row.start, row.name)).collect();
    assert_eq!(names, ["8000 one", "9000 one", "1000 two", "2000 two"]);
}

/// Changed bytes end no run with a panic; tests/formats.rs cuts files to every length.
#[test]
fn damaged_recordings_end_well() {
    let mut random = Random(11);
    for format in ["trace-event", "fxt", "perfetto", "jfr", "firefox"] {
        let files = golden_files(&format!("formats/{format}"));
        let is_input = |file: &&String| {
            ![".weight", ".folded", ".args"].iter().any(|ending| file.ends_with(ending))
        };
        for file in files.iter().filter(is_input) {
            let bytes = recording(&format!("formats/{format}/{file}"));
            for _ in 0..8 {
                let mut damaged = bytes.clone();
                for _ in 0..=random.below(6) {
                    let at = random.below(damaged.len());
                    damaged[at] = random.next() as u8;
                }
                let found = output("stack-parse", &["--spans", "--format", format], damaged);
                let is_fine = matches!(found.status.code(), Some(0..=2));
                assert!(is_fine && !stderr(&found).contains("panicked"), "{file}: {found:?}");
            }
        }
    }
}
