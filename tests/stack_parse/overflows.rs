//! What recorders say of records that they had no room for: recordings of simpleperf, and traces.

use crate::perf_stream::words;
use crate::util::{output, recording, stderr};

/// The status, the header and the stacks, and the messages for an input.
fn read(args: &[&str], input: impl AsRef<[u8]>) -> (i32, String, String) {
    let output = output("stack-parse", &[args, &["--header"]].concat(), input);
    let folded = String::from_utf8_lossy(&output.stdout).into_owned();
    let said = stderr(&output).replace("stack-parse: <stdin>: ", "");
    (output.status.code().expect("no signal"), folded, said)
}

/// A recording of simpleperf with one sample, and this `record_stat`.
fn of_simpleperf(stat: &str) -> Vec<u8> {
    const IP_TID: u64 = 1 | 2;
    const FREQUENCY: u64 = 1 << 10;
    let magic = u64::from_le_bytes(*b"PERFILE2");
    // Sizes and places: the header has 104 bytes, an attribute and the place of its ids 144. Of the
    // features there is one: 129.
    let header = [magic, 104, 144, 104, 144, 248, 24, 0, 0, 0, 0, 2, 0];
    let mut attr = [0; 18];
    (attr[0], attr[2], attr[3], attr[5]) = (1 | 128 << 32, 1000, IP_TID, FREQUENCY);
    let sample = [9 | 2 << 32 | 24 << 48, 0x10, 7 << 32 | 7];
    let meta_info = format!("record_stat\0{stat}\0");
    let table = [248 + 24 + 16, meta_info.len() as u64];
    [&words(&header)[..], &words(&attr), &words(&sample), &words(&table), meta_info.as_bytes()]
        .concat()
}

#[test]
fn what_simpleperf_lost_after_the_kernel_is_lost() {
    let stat = "sample_record_count=1,kernelspace_lost_records=2,userspace_lost_samples=7,\
                userspace_lost_non_samples=4,userspace_truncated_stack_samples=1";
    let recording = of_simpleperf(stat);
    let (status, folded, said) = read(&[], &recording);
    assert!(status == 0 && folded.contains("# lost: 9 of 10 samples\n"), "{folded}{said}");
    for line in [
        "9 samples or other records, 90.0 % of all, were lost while recording: use a lower \
         'simpleperf record -f' or a larger --user-buffer-size and -m\n",
        "4 records that are no samples were lost while recording: names of threads and code may be \
         missing\n",
        "1 samples have only a part of their stack, as simpleperf's buffer was full: use a larger \
         --user-buffer-size\n",
    ] {
        assert!(said.contains(line), "{line}{said}");
    }
    assert_eq!(read(&["--strict"], &recording).0, 2);
    let (status, folded, said) = read(&["--strict"], of_simpleperf("sample_record_count=1"));
    assert!(status == 0 && folded.contains("# lost: 0 of 1 samples\n"), "{folded}{said}");
}

/// A record that declares the string with this number in a trace of Fuchsia.
fn string(number: u64, text: &str) -> Vec<u8> {
    let words_of_text = text.len().div_ceil(8);
    let header = 2 | (1 + words_of_text as u64) << 4 | number << 16 | (text.len() as u64) << 32;
    let mut bytes = [&words(&[header]), text.as_bytes()].concat();
    bytes.resize(8 + 8 * words_of_text, 0);
    bytes
}

/// A trace of Fuchsia with a span of 4000 ns, before these records of thread 1.
fn of_fuchsia(name: &str, records: &[u64]) -> Vec<u8> {
    let magic = u64::from_le_bytes(*b"\x10\0\x04FxT\x16\0");
    let start = words(&[magic, 1 | 2 << 4, 1_000_000_000, 3 | 3 << 4 | 1 << 16, 100, 101]);
    let names = [string(1, "work"), string(2, name), string(3, "num_records"), string(4, "other")];
    let span = words(&[4 | 3 << 4 | 4 << 16 | 1 << 24 | 1 << 48, 1000, 5000]);
    [start, names.concat(), span, words(records)].concat()
}

#[test]
fn records_that_the_kernel_of_fuchsia_dropped_are_a_loss_and_no_span() {
    // A span with two arguments, the last of which is the number: of 32 bits, and of 64.
    let dropped = |size: u64, arguments: &[u64]| {
        let head = [4 | size << 4 | 4 << 16 | 2 << 20 | 1 << 24 | 2 << 48, 5000];
        of_fuchsia("ktrace_drop_stats", &[&head, arguments, &[9000]].concat())
    };
    let other = 2 | 1 << 4 | 4 << 16 | 5 << 32;
    for (trace, count) in [
        (dropped(5, &[other, 2 | 1 << 4 | 3 << 16 | 77 << 32]), 77),
        (dropped(6, &[other, 4 | 2 << 4 | 3 << 16, 1 << 33]), 1_u64 << 33),
    ] {
        let (status, folded, said) = read(&[], &trace);
        assert!(status == 0 && folded.ends_with("\nwork 4000\n"), "{folded}");
        let expected = format!("{count} records were lost while recording: use a larger buffer\n");
        assert_eq!(said, expected);
        assert!(!folded.contains("# lost"), "{folded}");
        assert_eq!(read(&["--strict"], trace).0, 2);
    }
}

#[test]
fn errors_of_magic_trace_are_counted() {
    let instant = [4 | 2 << 4 | 1 << 24 | 2 << 48, 3000];
    let errors = instant.repeat(2);
    let trace = of_fuchsia("[decode error: Overflow packet]", &errors);
    let (status, folded, said) = read(&[], &trace);
    assert!(status == 0 && folded.ends_with("\nwork 4000\n"), "{folded}");
    let expected = "2 errors of decoding: parts of the trace are lost, and stacks begin anew after \
                    them\n";
    assert_eq!(said, expected);
    assert_eq!(read(&["--strict"], trace).0, 2);
    // Another instant.
    assert_eq!(read(&["--strict"], of_fuchsia("mark", &errors)).0, 0);
}

#[test]
fn a_full_buffer_of_a_provider_of_fuchsia_is_an_error_if_it_must_be() {
    let full = [&recording("formats/fxt/synth.fxt")[..], &words(&[1 << 4 | 3 << 16])].concat();
    assert_eq!((read(&[], &full).0, read(&["--strict"], full).0), (0, 2));
}

#[test]
fn a_trace_of_events_says_that_its_buffer_was_full() {
    let span = r#"{"pid":1,"tid":1,"ph":"X","ts":0,"dur":100,"name":"f"}"#;
    let chrome = r#"{"pid":1,"tid":1,"ph":"M","name":"trace_buffer_overflowed","args":{"overflowed_at_ts":7}}"#;
    let object = |more: &str| format!(r#"{{"traceEvents":[{span}],{more}}}"#);
    let viztracer =
        |overflow: bool| object(&format!(r#""viztracer_metadata":{{"overflow":{overflow}}}"#));
    let perfetto = |key: &str, count: u64| {
        object(&format!(
            r#""metadata":{{"a":[1],"trace_processor_stats":{{"traced_buf":[{{}},{{"{key}":{count}}}]}}}}"#
        ))
    };
    let full = "events were lost while recording, as a buffer was full: use a larger";
    let one = format!("{full} one, or record for a shorter time\n");
    for (trace, expected) in [
        (format!("[{span},{chrome}]"), &one[..]),
        (perfetto("chunks_overwritten", 12), &one),
        (perfetto("chunks_discarded", 1), &one),
        (perfetto("trace_writer_packet_loss", 3), &one),
        (perfetto("chunks_read", 3), ""),
        (perfetto("chunks_discarded", 0), ""),
        (viztracer(true), &format!("{full} 'viztracer --tracer_entries'\n")),
        (viztracer(false), ""),
    ] {
        let (status, folded, said) = read(&[], &trace);
        assert!(status == 0 && folded.ends_with("\nf 100000\n"), "{trace}: {folded}");
        assert_eq!(said, expected, "{trace}");
        let strict = if expected.is_empty() { 0 } else { 2 };
        assert_eq!(read(&["--strict"], &trace).0, strict, "{trace}");
    }
}
