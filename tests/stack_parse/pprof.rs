use std::io::Write;

use flate2::Compression;
use flate2::write::GzEncoder;

use crate::util::{TempFile, binary, filter, golden_path, output, recording, stderr, tool, weight};

/// A message of protocol buffers, written field by field.
#[derive(Clone, Default)]
pub(super) struct Message(pub(super) Vec<u8>);

impl Message {
    pub(super) fn number(mut self, field: u64, number: u64) -> Message {
        self.varint(field << 3);
        self.varint(number);
        self
    }

    pub(super) fn bytes(mut self, field: u64, bytes: &[u8]) -> Message {
        self.varint(field << 3 | 2);
        self.varint(bytes.len() as u64);
        self.0.extend_from_slice(bytes);
        self
    }

    fn varint(&mut self, mut number: u64) {
        while number >= 0x80 {
            self.0.push(number as u8 | 0x80);
            number >>= 7;
        }
        self.0.push(number as u8);
    }
}

/// A profile of two stacks, `main;f` and `main`, with these strings after its own, and with more
/// fields.
fn profile(values: [i64; 2], names: [&[u8]; 2], more: impl Fn(Message) -> Message) -> Vec<u8> {
    let mut profile = Message::default();
    profile = profile.bytes(1, &Message::default().number(1, 1).number(2, 2).0);
    for (id, function) in [(1, 1), (2, 2)] {
        let line = Message::default().number(1, function);
        profile = profile.bytes(4, &Message::default().number(1, id).bytes(4, &line.0).0);
        profile = profile.bytes(5, &Message::default().number(1, function).number(2, 2 + id).0);
    }
    for (locations, value) in [(&[2, 1][..], values[0]), (&[1], values[1])] {
        let sample = locations.iter().fold(Message::default(), |it, &id| it.number(1, id));
        profile = profile.bytes(2, &sample.number(2, value.cast_unsigned()).0);
    }
    profile = more(profile);
    for string in [b"", &b"cpu"[..], b"nanoseconds", names[0], names[1], b"f.*", b"f"] {
        profile = profile.bytes(6, string);
    }
    profile.0
}

#[test]
fn names_are_kept_byte_for_byte() {
    let names = [&b"main"[..], b"caf\xe9 <A as B>::{closure#0} \"x\" 7"];
    let folded = output("stack-parse", &[], profile([3, 4], names, |it| it)).stdout;
    assert_eq!(folded, b"main 4\nmain;caf\xe9 <A as B>::{closure#0} \"x\" 7 3\n");
}

#[test]
fn profiles_are_compressed_or_not() {
    let plain = profile([3, 4], [b"main", b"f"], |it| it);
    let mut gzip = GzEncoder::new(Vec::new(), Compression::fast());
    gzip.write_all(&plain).expect("memory");
    for bytes in [plain, gzip.finish().expect("memory")] {
        assert_eq!(filter("stack-parse", &[], bytes), "main 4\nmain;f 3\n");
    }
}

#[test]
fn every_measure_amounts_to_what_pprof_says() {
    let heap = golden_path("formats/pprof/go-heap.pb.gz");
    // From 'go tool pprof -raw', summed by awk.
    for (event, total) in [
        ("alloc_objects", 1_831_216),
        ("alloc_space", 128_139_214),
        ("inuse_objects", 7843),
        ("inuse_space", 2_136_847),
    ] {
        let output = tool("stack-parse").args(["--event", event]).arg(&heap).output();
        assert_eq!(weight(&output.expect("it starts").stdout), total, "{event}");
    }
}

#[test]
fn labels_are_roots() {
    let cpu = recording("formats/pprof/go-cpu.pb.gz");
    let folded = filter("stack-parse", &["--root", "label:worker"], cpu);
    // From 'go tool pprof -tags'.
    for (root, total) in [("0", 390), ("2", 300), ("1", 250), ("[no worker]", 340)] {
        let lines = folded.lines().filter(|line| line.split(';').next() == Some(root));
        let lines: String = lines.map(|line| format!("{line}\n")).collect();
        assert_eq!(weight(lines.as_bytes()), total * 1_000_000, "{root}");
    }
    let folded = filter("stack-parse", &["--root", "label:x"], "main;f 3\n");
    assert_eq!(folded, "[no x];main;f 3\n", "folded stacks may have labels");
}

#[test]
fn differences_are_reported() {
    let output = output("stack-parse", &[], profile([3, -4], [b"main", b"f"], |it| it));
    assert_eq!(output.stdout, b"main;f 3\n");
    let expected = "1 samples have values below zero, -4 in all, which count 0";
    assert!(stderr(&output).contains(expected), "{}", stderr(&output));
}

#[test]
fn a_list_has_the_sums_that_a_choice_has() {
    // One more sample has -4 of the default, cpu, and 9 of another measure, f.
    let two_measures = |it: Message| {
        let measure = Message::default().number(1, 6).number(2, 2);
        let values = [-4_i64, 9].map(i64::cast_unsigned);
        let sample =
            values.iter().fold(Message::default().number(1, 1), |it, value| it.number(2, *value));
        it.bytes(1, &measure.0).bytes(2, &sample.0).number(14, 1)
    };
    let profile = profile([3, 4], [b"main", b"f"], two_measures);
    for (args, expected) in [
        (&["--list-events"][..], "cpu\tns\t3\t7\nf\tns\t3\t9\n"),
        (&["--event", "f"], "main 9\n"),
        (&[], "main 4\nmain;f 3\n"),
    ] {
        let output = output("stack-parse", args, &profile);
        assert_eq!(String::from_utf8_lossy(&output.stdout), expected, "{args:?}");
    }
}

#[test]
fn samples_without_a_value_are_reported() {
    let valueless = |it: Message| it.bytes(2, &Message::default().number(1, 1).0);
    let output = output("stack-parse", &[], profile([3, 4], [b"main", b"f"], valueless));
    assert_eq!(output.stdout, b"main 4\nmain;f 3\n");
    let expected = "1 samples do not have the value that is counted: they weigh nothing";
    assert!(stderr(&output).contains(expected), "{}", stderr(&output));
}

#[test]
fn frames_that_the_profile_drops_weigh_for_their_callers() {
    let drop = |it: Message| it.number(7, 5);
    let folded = output("stack-parse", &[], profile([3, 4], [b"main", b"free"], drop));
    assert_eq!(folded.stdout, b"main 7\n");
    assert!(stderr(&folded).contains("drop_frames"), "{}", stderr(&folded));
    let keep = |it: Message| it.number(7, 5).number(8, 6);
    let folded = output("stack-parse", &[], profile([3, 4], [b"main", b"f"], keep));
    assert_eq!(folded.stdout, b"main 4\nmain;f 3\n");
}

#[test]
fn patterns_that_cannot_be_read_are_named_and_not_followed() {
    let drop = |it: Message| it.number(7, 3);
    let output = output("stack-parse", &[], profile([3, 4], [b"(", b"f"], drop));
    assert_eq!(output.stdout, b"( 4\n(;f 3\n");
    let said = stderr(&output);
    assert!(said.contains("<stdin>: drop_frames is not followed: "), "{said}");
    assert!(!said.contains("are left out"), "{said}");
}

#[test]
fn frames_without_a_location_and_comments_are_told() {
    let more = |it: Message| {
        let sample = [9, 1, 8].iter().fold(Message::default(), |it, &id| it.number(1, id));
        it.bytes(2, &sample.number(2, 5).0).number(13, 6)
    };
    let output = output("stack-parse", &[], profile([3, 4], [b"main", b"f"], more));
    assert_eq!(output.stdout, b"[unknown];main;[unknown] 5\nmain 4\nmain;f 3\n");
    assert_eq!(
        stderr(&output),
        "stack-parse: <stdin>: comment: f\n\
         stack-parse: <stdin>: 2 frames have no location in this profile: they are called \
         [unknown]\n"
    );
}

#[test]
fn several_profiles_in_one_file_are_refused() {
    let one = profile([3, 4], [b"main", b"f"], |it| it);
    let other_line = Message::default().number(1, 2);
    let location = Message::default().number(1, 1).bytes(4, &other_line.0);
    let other = Message::default().bytes(4, &location.0).0;
    let output = output("stack-parse", &[], [one, other].concat());
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("several profiles"), "{}", stderr(&output));
}

#[test]
fn a_damaged_sample_does_not_stop_the_others() {
    // Its locations are cut short.
    let damage = |it: Message| it.bytes(2, b"\x0a\x05\x01");
    let output = output("stack-parse", &[], profile([3, 4], [b"main", b"f"], damage));
    assert_eq!(output.status.code(), Some(2));
    assert_eq!(weight(&output.stdout), 7);
}

#[test]
fn damage_is_named_and_the_rest_is_kept() {
    let whole = profile([3, 4], [b"main", b"f"], |it| it);
    let damaged = [&whole[..], b"\x0f"].concat();
    let output = output("stack-parse", &[], damaged);
    assert_eq!(output.status.code(), Some(2));
    assert_eq!(output.stdout, b"main 4\nmain;f 3\n");
    let expected = format!("expected a field of a profile at byte {}", whole.len());
    assert!(stderr(&output).contains(&expected), "{}", stderr(&output));
}

/// A location of 30,000 inlined functions, named 5,000 times in one sample and once in each of
/// 5,000 others.
#[test]
fn a_small_profile_takes_little_memory() {
    let mut profile = Message::default();
    profile = profile.bytes(1, &Message::default().number(1, 1).number(2, 2).0);
    let line = Message::default().number(1, 1);
    let lines = (0..30_000).fold(Message::default().number(1, 1), |it, _| it.bytes(4, &line.0));
    profile = profile.bytes(4, &lines.0);
    profile = profile.bytes(5, &Message::default().number(1, 1).number(2, 3).0);
    let often = (0..5000).fold(Message::default(), |it, _| it.number(1, 1));
    profile = profile.bytes(2, &often.number(2, 7).0);
    for caller in 2..5002 {
        let line = Message::default().number(1, 1);
        profile = profile.bytes(4, &Message::default().number(1, caller).bytes(4, &line.0).0);
        profile =
            profile.bytes(2, &Message::default().number(1, 1).number(1, caller).number(2, 1).0);
    }
    for string in [b"", &b"cpu"[..], b"nanoseconds", b"f"] {
        profile = profile.bytes(6, string);
    }
    let file = TempFile::new(&profile.0);
    let output = std::process::Command::new("sh")
        .args(["-c", r#"ulimit -v 400000; exec "$0" "$@""#, binary("stack-parse")])
        .args(["--threads", "1", file.path()])
        .output()
        .expect("a shell");
    let said = stderr(&output);
    assert_eq!(weight(&output.stdout), 5007, "{said}");
    // Each location has 29,999 of them, and is shown 10,000 times.
    let shown = ((1 << 18) + 8 * profile.0.len()) / 29_999;
    let left_out = (10_000 - shown) * 29_999;
    let expected = format!(": {left_out} inlined frames are left out: the profile names more");
    assert!(said.contains(&expected), "{expected}: {said}");
}
