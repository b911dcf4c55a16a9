//! MOJO, the binary format of Austin: random recordings of all versions, written here without the
//! reader's code and compared with what the writer counted; and recordings that are damaged.

use std::collections::BTreeMap;

use crate::random::Random;
use crate::util::{filter, output, stderr};

/// The weight of each line without its count.
type Sums = BTreeMap<String, u64>;

const MODES: [&str; 4] = ["wall", "cpu", "memory", "full"];

/// A number as the format has it: 6 bits and a sign in the first byte, then 7 bits a byte.
fn number(value: i128) -> Vec<u8> {
    let mut size = value.unsigned_abs();
    let mut bytes = vec![(size & 63) as u8 + if value < 0 { 64 } else { 0 }];
    size >>= 6;
    while size > 0 {
        *bytes.last_mut().expect("a byte") += 128;
        bytes.push((size & 127) as u8);
        size >>= 7;
    }
    bytes
}

/// A frame that the writer described: what it is called, and whether it is native.
#[derive(Clone, Debug, PartialEq)]
struct Known {
    key: i128,
    text: String,
    is_native: bool,
}

#[derive(Default)]
struct Thread {
    pid: i128,
    interpreter: i128,
    tid: String,
    /// The labels of its samples.
    labels: String,
    last: Vec<Known>,
    /// The task that waits in it, since when, and its stack.
    waits: Option<(u64, String)>,
}

/// A recording, and what its samples weigh.
struct Writer {
    random: Random,
    version: u8,
    mode: &'static str,
    bytes: Vec<u8>,
    threads: Vec<Thread>,
    /// The frames of each of two processes, which give the same keys to other frames.
    known: [Vec<Known>; 2],
    /// By measure.
    sums: BTreeMap<&'static str, Sums>,
    /// Where each sample ends, and the sum of the first measure up to there.
    ends: Vec<(usize, u64)>,
    total: u64,
}

impl Writer {
    fn new(seed: u64, version: u8, mode: &'static str) -> Writer {
        let mut writer = Writer {
            random: Random(seed),
            version,
            mode,
            bytes: [b"MOJ", &number(version.into())[..]].concat(),
            threads: Vec::new(),
            known: [Vec::new(), Vec::new()],
            sums: BTreeMap::new(),
            ends: Vec::new(),
            total: 0,
        };
        writer.event(1, &[], &["austin", "3.9.9"]);
        writer.event(1, &[], &["mode", mode]);
        for (pid, interpreter, tid) in [(7, 0, "1f"), (300, 0, "12c"), (300, 2, "7ff84416c8c0")] {
            writer.add_thread(
                pid,
                interpreter,
                tid,
                &u64::from_str_radix(tid, 16).expect("it").to_string(),
            );
        }
        if version >= 4 {
            writer.add_thread(7, -1, "Thread-1 (work)", "Thread-1 (work)");
        }
        writer
    }

    fn add_thread(&mut self, pid: i128, interpreter: i128, tid: &str, shown: &str) {
        let known =
            if self.version >= 3 { format!("interpreter={interpreter}\t") } else { String::new() };
        let labels = format!("{known}pid={pid}\ttid={shown}\t");
        self.threads.push(Thread {
            pid,
            interpreter,
            tid: tid.to_owned(),
            labels,
            ..Thread::default()
        });
    }

    fn event(&mut self, id: u8, numbers: &[i128], strings: &[&str]) {
        self.bytes.push(id);
        numbers.iter().for_each(|value| self.bytes.extend(number(*value)));
        for string in strings {
            self.bytes.extend([string.as_bytes(), b"\0"].concat());
        }
    }

    /// A frame of a process, old or new.
    fn frame(&mut self, process: usize, is_native: bool) -> Known {
        let olds: Vec<Known> =
            self.known[process].iter().filter(|it| it.is_native == is_native).cloned().collect();
        if olds.len() > 3 && self.random.below(6) > 0 {
            return olds[self.random.below(olds.len())].clone();
        }
        // Large keys and small ones; now and then a key gets another frame.
        let which = self.random.below(9) as i128 + if is_native { 20 } else { 0 };
        let key = which << [0, 20, 56][self.random.below(3)];
        let (line, file) =
            (self.random.below(70_000), if is_native { "native@7f01" } else { "/a b.py" });
        let name = format!("{}{}", ["f", "Ünï", "C.m"][self.random.below(3)], self.random.below(5));
        let (file_key, name_key) =
            (100 + process as i128, 1000 + self.random.below(1 << 27) as i128);
        self.string(file_key, file);
        self.string(name_key, &name);
        let column = if is_native { 0 } else { 1 + self.random.below(99) as i128 };
        let place = [key, file_key, name_key, line as i128, line as i128 + 1, column, column + 200];
        self.event(3, &place[..if self.version == 1 { 4 } else { 7 }], &[]);
        let new = Known { key, text: format!("{name} ({file}:{line})"), is_native };
        self.known[process].retain(|known| known.key != key);
        self.known[process].push(new.clone());
        new
    }

    fn string(&mut self, key: i128, value: &str) {
        self.bytes.push(11);
        self.bytes.extend([number(key), value.as_bytes().to_vec(), vec![0]].concat());
    }

    /// One sample of a random thread.
    fn sample(&mut self, asyncio: bool) {
        let which = self.random.below(self.threads.len());
        let (pid, interpreter, tid) = (
            self.threads[which].pid,
            self.threads[which].interpreter,
            self.threads[which].tid.clone(),
        );
        let ids = [pid, interpreter];
        self.event(2, &ids[..if self.version >= 3 { 2 } else { 1 }], &[&tid]);
        let process = usize::from(pid == 300);
        if asyncio && self.random.below(3) == 0 {
            self.task(which, process);
        }
        let mut stack = self.stack(which, process);
        self.threads[which].last = stack.iter().filter(|it| it.key >= 0).cloned().collect();
        if self.random.below(8) == 0 {
            self.event(7, &[], &[]);
            stack.push(Known { key: -1, text: ":GC:".to_owned(), is_native: false });
        }
        let texts: Vec<&str> = stack.iter().map(|known| &known.text[..]).collect();
        let text = if texts.is_empty() { "[no stack]".to_owned() } else { texts.join(";") };
        self.numbers(which, &text);
    }

    /// The frames of a sample, with those of the last one of its thread or without.
    fn stack(&mut self, which: usize, process: usize) -> Vec<Known> {
        let mut stack = Vec::new();
        let repeats = self.version >= 4 && self.random.below(3) == 0;
        if repeats {
            self.event(13, &[], &[]);
            stack.clone_from(&self.threads[which].last);
            while stack.pop_if(|last| last.is_native).is_some() {}
        }
        if self.random.below(12) == 0 {
            self.event(4, &[], &[]);
            stack.push(Known { key: -1, text: ":INVALID:".to_owned(), is_native: false });
        }
        for _ in 0..self.random.below(7) {
            let is_native = repeats || self.random.below(4) == 0;
            let frame = self.frame(process, is_native);
            self.event(5, &[frame.key], &[]);
            stack.push(frame);
        }
        if self.random.below(9) == 0 {
            self.event(6, &[], &["do_syscall_64"]);
            stack.push(Known { key: -1, text: "do_syscall_64".to_owned(), is_native: false });
        }
        stack
    }

    /// The numbers that end a sample.
    fn numbers(&mut self, which: usize, text: &str) {
        let bits = [3, 12, 30][self.random.below(3)];
        let time = self.random.below(1 << bits) as u64;
        let bytes = self.random.below(1 << 40) as i128 - (1 << 39);
        let is_idle = self.mode == "full" && self.random.below(3) == 0;
        if self.mode != "memory" {
            self.event(9, &[time.into()], &[]);
        }
        if is_idle {
            self.event(8, &[], &[]);
        }
        if matches!(self.mode, "memory" | "full") {
            self.event(10, &[bytes], &[]);
        }
        let bytes = u64::try_from(bytes).unwrap_or(0);
        let weights = match self.mode {
            "memory" => vec![("bytes", bytes)],
            "full" => {
                let cpu = if is_idle { 0 } else { time * 1000 };
                vec![("time", time * 1000), ("cpu-time", cpu), ("bytes", bytes)]
            }
            _ => vec![("time", time * 1000)],
        };
        self.total += weights[0].1;
        self.ends.push((self.bytes.len(), self.total));
        let line = format!("{}{text}", self.threads[which].labels);
        for (measure, weight) in weights.into_iter().filter(|it| it.1 > 0) {
            *self.sums.entry(measure).or_default().entry(line.clone()).or_default() += weight;
        }
        // Each thread has one task, which never runs.
        if let (Some((waited, _)), "wall" | "full") = (&mut self.threads[which].waits, self.mode) {
            *waited += time * 1000;
        }
    }

    /// The task of a thread begins, is somewhere else, or ends.
    fn task(&mut self, which: usize, process: usize) {
        let task = 50 + which as i128;
        self.end_wait(which);
        if self.random.below(4) == 0 {
            self.event(14, &[task, 0, 0], &[]);
            return;
        }
        let frames: Vec<Known> =
            (0..1 + self.random.below(3)).map(|_| self.frame(process, false)).collect();
        // A key may have got another frame since.
        let frames: Vec<Known> =
            frames.into_iter().filter(|it| self.known[process].contains(it)).collect();
        self.string(5000, "the task");
        self.event(14, &[task, 5000, frames.len() as i128], &[]);
        frames.iter().for_each(|frame| self.event(5, &[frame.key], &[]));
        self.event(15, &[task, 0], &[]);
        let texts: Vec<&str> = frames.iter().map(|known| &known.text[..]).collect();
        self.threads[which].waits = Some((0, texts.join(";")));
    }

    fn end_wait(&mut self, which: usize) {
        let Some((waited, text)) = self.threads[which].waits.take() else { return };
        if waited > 0 {
            let line = format!("{}{text}", self.threads[which].labels);
            *self.sums.entry("await-time").or_default().entry(line).or_default() += waited;
        }
    }
}

/// What stack-parse makes of a recording, for one measure.
fn read(bytes: &[u8], measure: &str) -> Sums {
    let args = ["--event", measure, "--labels", "interpreter,pid,tid", "--srcline"];
    let output = output("stack-parse", &args, bytes);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let folded = String::from_utf8(output.stdout).expect("UTF-8");
    let lines = folded.lines().map(|line| line.rsplit_once(' ').expect("a count"));
    lines.map(|(line, count)| (line.to_owned(), count.parse().expect("a number"))).collect()
}

fn written(seed: u64, version: u8, mode: &'static str, asyncio: bool) -> Writer {
    let mut writer = Writer::new(seed, version, mode);
    (0..150).for_each(|_| writer.sample(asyncio));
    (0..writer.threads.len()).for_each(|which| writer.end_wait(which));
    writer.event(1, &[], &["duration", "12345"]);
    writer
}

#[test]
fn samples_of_all_versions_and_modes_are_what_was_written() {
    for seed in 0..12 {
        for (version, mode) in (1..=4).flat_map(|version| MODES.map(|mode| (version, mode))) {
            let asyncio = version == 4 && seed % 2 == 0;
            let writer = written(seed, version, mode, asyncio);
            assert!(
                !asyncio
                    || matches!(mode, "cpu" | "memory")
                    || writer.sums.contains_key("await-time")
            );
            for (measure, expected) in &writer.sums {
                let found = read(&writer.bytes, measure);
                assert_eq!(&found, expected, "seed {seed}, version {version}, {mode}, {measure}");
            }
        }
    }
}

#[test]
fn a_recording_that_is_cut_keeps_all_samples_before() {
    for (version, mode) in [(1, "wall"), (4, "full")] {
        let mut writer = Writer::new(5, version, mode);
        (0..12).for_each(|_| writer.sample(false));
        for length in (4..writer.bytes.len()).step_by(3) {
            let output = output("stack-parse", &[], &writer.bytes[..length]);
            let folded = String::from_utf8(output.stdout.clone()).expect("UTF-8");
            let counts = folded.lines().map(|line| line.rsplit_once(' ').expect("a count").1);
            let weight: u64 = counts.map(|count| count.parse::<u64>().expect("a number")).sum();
            let whole = writer.ends.iter().rev().find(|(end, _)| *end <= length);
            let (end, expected) = whole.copied().unwrap_or_default();
            assert_eq!(weight, expected, "version {version}, {length} bytes");
            if end > 0 && end < length {
                let said = stderr(&output);
                assert!(said.contains(&format!("within a sample, at byte {length};")), "{said}");
                assert_eq!(output.status.code(), Some(2), "{length}");
            }
        }
    }
}

#[test]
fn what_is_not_known_is_named_with_its_place() {
    let start = b"MOJ\x03\x01mode\0wall\0\x02\x07\x007\0\x09\x05";
    for (rest, folded, said) in [
        (&b"\x0d"[..], "[no stack] 5000\n", "an event of version 3, not 13, at byte 22"),
        (b"\xff", "[no stack] 5000\n", "an event of version 3, not 255, at byte 22"),
        (b"\x02\x07\x007\0\x09\x41", "[no stack] 5000\n", "a time of at least 0 at byte 27"),
        (b"\x05\x41", "", "a number of at least 0 at byte 22"),
    ] {
        let output = output("stack-parse", &[], [start, rest].concat());
        let (ours, message) =
            (String::from_utf8_lossy(&output.stdout).into_owned(), stderr(&output));
        assert!(message.contains(&format!("expected {said}")), "{said}: {message}");
        assert!(ours.ends_with(folded), "{ours}");
        assert_eq!(output.status.code(), Some(2));
    }
    let later = output("stack-parse", &[], b"MOJ\x05\x01mode\0wall\0");
    assert!(
        stderr(&later).contains("version 5 of the format: expected 1 to 4"),
        "{}",
        stderr(&later)
    );
}

#[test]
fn a_frame_that_was_not_described_keeps_its_weight() {
    let bytes = b"MOJ\x03\x02\x07\x007\0\x05\x09\x05\x09\x09\x05";
    let output = output("stack-parse", &[], bytes);
    assert_eq!(String::from_utf8_lossy(&output.stdout), "[unknown];[unknown] 5000\n");
    assert!(
        stderr(&output).contains("2 frames or names were not described"),
        "{}",
        stderr(&output)
    );
}

/// The text of the same recording, as austin prints it.
#[test]
fn the_text_says_the_same() {
    let binary = b"MOJ\x03\x01austin\x003.7.0\0\x01mode\0full\0\x02\x87\x01\x00c8\0\x0b\x05/d.py\0\
        \x0b\x06main\0\x03\x08\x05\x06\x09\x09\x01\x02\x05\x08\x04\x06vfs_read\0\x07\x09\x05\x08\
        \x0a\x3f";
    let text = "# austin: 3.7.0\n# mode: full\nP71;T0:200;/d.py:main:9;:INVALID:;kernel:vfs_read:0;\
                :GC: 5,1,63\n";
    for args in [
        &["--labels", "all", "--srcline", "--annotate"][..],
        &["--header", "--event", "bytes", "--root", "tid"],
        &["--list-events"],
    ] {
        let [mojo, text] =
            [&binary[..], text.as_bytes()].map(|input| filter("stack-parse", args, input));
        assert_eq!(mojo.replace("# source: mojo", "# source: austin"), text, "{args:?}");
    }
}
