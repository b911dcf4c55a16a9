//! The stacks of a Python process that `py-spy dump` prints, as text or with `--json`, one dump or
//! several. Grammar from py-spy's src/dump.rs and src/stack_trace.rs.
//!
//! ```text
//! Process 6403: python3 app.py
//! Python v3.11.7 (/usr/local/bin/python3.11)
//!
//! Thread 6403 (active+gil): "MainThread"
//!     fib (app.py:6)
//!         Locals:
//!             n: 12
//!     <module> (app.py:17)
//! ```

use bstr::ByteSlice;
use common::numbers::{hexadecimal, is_digits};
use common::{Error, Result, io::Input};

use crate::format::{Extra, Format, Head};
use crate::frame::Frame;
use crate::options::Options;
use crate::read::json::Json;
use crate::read::leaf_first::{LeafFirst, THREADS};
use crate::read::lines::for_each_line;
use crate::read::own_labels::{OwnLabels, with_labels};
use crate::read::source::Place;
use crate::samples::sample::{Sample, known};
use crate::samples::{Root, Samples, Weighs};

pub(super) const FORMAT: Format = Format::new(
    "py-spy-dump",
    "The stacks of a process of Python by 'py-spy dump', also with --json",
    detect,
    parse,
)
.root(&Root::Comm)
.weighs(Weighs::Value)
.extras(&[Extra::Indented(has_lost_blanks)]);

/// The frames of a thread are indented.
fn has_lost_blanks(above: &[u8], line: &[u8]) -> bool {
    Thread::of(above).is_some() && line.ends_with(b")") && !line[0].is_ascii_whitespace()
}

fn detect(head: &Head<'_>) -> bool {
    head.lines().any(|line| Thread::of(line).is_some())
        || head.outline().is_some_and(|keys| keys.has("owns_gil"))
}

/// Reads one input to its end.
///
/// # Errors
///
/// [`Error::Input`], or [`Error::Unknown`] where JSON is damaged, after all that came before; or an
/// error of adding samples.
fn parse(input: &mut Input, _: &Options, samples: &mut Samples<'_>) -> Result<()> {
    samples.events.set_measures(&[THREADS]);
    let mut dump = Dump::default();
    let name = input.name().to_owned();
    let start = input.peek(1).map_err(|source| Error::Input { name, source })?;
    if matches!(start, [b'[' | b'{', ..]) {
        return read_json(input, &mut dump, samples);
    }
    let read = for_each_line(input, |_, line| dump.line(line, samples));
    dump.end_thread(samples)?;
    read
}

/// The threads of a process.
#[derive(Default)]
struct Dump {
    pid: Vec<u8>,
    /// Whether this is a child process: threads with other ids are its parent's, without a mark.
    is_child: bool,
    thread: Option<Thread>,
    stack: LeafFirst,
    place: Place,
}

/// A thread that is being read.
#[derive(Debug, Default, PartialEq)]
struct Thread {
    tid: Vec<u8>,
    name: Vec<u8>,
    state: &'static str,
}

/// The state of a thread, as in the text.
const STATES: [&str; 3] = ["idle", "active", "active+gil"];

impl Dump {
    fn line(&mut self, line: &[u8], samples: &mut Samples<'_>) -> Result<()> {
        if let Some(thread) = Thread::of(line) {
            self.end_thread(samples)?;
            self.thread = Some(thread);
        } else if let Some(pid) = process(line) {
            self.end_thread(samples)?;
            self.pid = pid.to_vec();
            self.is_child = false;
        } else if line.starts_with(b"Parent Process ") {
            self.is_child = true;
        } else if line.starts_with(b"    ") {
            // Arguments and variables have a larger indentation.
            if let Some((name, place)) = call(&line[4..]).filter(|_| self.thread.is_some()) {
                self.frame(name, place, samples);
            }
        } else {
            self.end_thread(samples)?;
        }
        Ok(())
    }

    /// Adds a frame. Its place is a Python source file with a line or, with `--native`, a library.
    /// A library function without a name gets its address as the name.
    fn frame(&mut self, name: &[u8], place: &[u8], samples: &mut Samples<'_>) {
        let has_line = place.rsplit_once_str(":").is_some_and(|(_, line)| is_digits(line));
        let frame = if has_line || place.starts_with(b"<") {
            Frame { name, source: place, ..Frame::default() }
        } else {
            let address = if name.starts_with(b"0x") { hexadecimal(name) } else { None };
            let name = if address.is_some() { b"" } else { name };
            Frame { name, object: place, address, ..Frame::default() }
        };
        self.stack.push(&frame, samples);
    }

    fn end_thread(&mut self, samples: &mut Samples<'_>) -> Result<()> {
        let Some(Thread { tid, name, state }) = self.thread.take() else { return Ok(()) };
        let mut labels = OwnLabels::default();
        if samples.wants.labels() {
            labels.add_known(FORMAT.name, "state", state.as_bytes());
        }
        let is_of_process = !self.is_child || tid == self.pid;
        let (labels, pid) = (labels.list(), known(&self.pid).filter(|_| is_of_process));
        let weights = &[1];
        let sample = Sample { comm: &name, pid, tid: known(&tid), weights, ..Sample::default() };
        self.stack.add(&with_labels(sample, &labels), samples)
    }
}

impl Thread {
    /// Parses `Thread 6403 (active+gil): "MainThread"`. The id is the system's, or else Python's in
    /// hexadecimal; some threads have no name.
    fn of(line: &[u8]) -> Option<Thread> {
        let (tid, rest) = line.strip_prefix(b"Thread ")?.split_once_str(" (")?;
        let (state, rest) = rest.split_once_str(")")?;
        let state = STATES.into_iter().find(|it| it.as_bytes() == state)?;
        let is_id = is_digits(tid) || tid.starts_with(b"0x") || tid.starts_with(b"0X");
        let name = match rest {
            b"" => b"",
            _ => rest.strip_prefix(b": \"")?.strip_suffix(b"\"")?,
        };
        is_id.then(|| Thread { tid: tid.to_vec(), name: name.to_vec(), state })
    }
}

/// `Process 6403: python3 app.py`
fn process(line: &[u8]) -> Option<&[u8]> {
    let (pid, _) = line.trim_ascii().strip_prefix(b"Process ")?.split_once_str(":")?;
    is_digits(pid).then_some(pid)
}

/// The name and the place of `fib (app.py:6)`; the path may have parentheses.
fn call(text: &[u8]) -> Option<(&[u8], &[u8])> {
    if text.starts_with(b" ") {
        return None;
    }
    text.strip_suffix(b")")?.split_once_str(" (")
}

/// Reads lists of threads; an input may hold several.
fn read_json(input: &mut Input, dump: &mut Dump, samples: &mut Samples<'_>) -> Result<()> {
    let mut json = Json::new(input);
    while json.next_document()? {
        if !json.begin_array()? {
            return Err(json.unexpected("a list of threads"));
        }
        while json.next_element()? {
            if json.begin_object()? {
                let read = read_thread(&mut json, dump, samples);
                dump.end_thread(samples)?;
                read?;
            }
        }
    }
    Ok(())
}

/// Reads a thread; it is complete only at the end of its object.
fn read_thread(
    json: &mut Json<&mut Input>,
    dump: &mut Dump,
    samples: &mut Samples<'_>,
) -> Result<()> {
    let (mut os_thread, mut is_active, mut owns_gil) = (Vec::new(), false, false);
    dump.thread = Some(Thread::default());
    dump.pid.clear();
    while let Some(key) = json.next_key()? {
        let thread = dump.thread.get_or_insert_default();
        match key {
            b"pid" => dump.pid.extend_from_slice(json.number()?.unwrap_or_default()),
            b"thread_id" => thread.tid = json.number()?.unwrap_or_default().to_vec(),
            b"os_thread_id" => os_thread = json.number()?.unwrap_or_default().to_vec(),
            b"thread_name" => thread.name = json.text()?.unwrap_or_default().to_vec(),
            b"active" => is_active = json.boolean()?.unwrap_or_default(),
            b"owns_gil" => owns_gil = json.boolean()?.unwrap_or_default(),
            b"frames" => json.for_each(|json| read_frame(json, dump, samples))?,
            _ => {}
        }
        let thread = dump.thread.get_or_insert_default();
        thread.state = STATES[usize::from(is_active) + usize::from(is_active && owns_gil)];
    }
    if !os_thread.is_empty() {
        dump.thread.get_or_insert_default().tid = os_thread;
    }
    Ok(())
}

/// Reads a frame; its line is 0 if it is not Python code.
fn read_frame(
    json: &mut Json<&mut Input>,
    dump: &mut Dump,
    samples: &mut Samples<'_>,
) -> Result<()> {
    if !json.begin_object()? {
        return Ok(());
    }
    let mut name = Vec::new();
    dump.place.clear();
    while let Some(key) = json.next_key()? {
        match key {
            b"name" => name = json.text()?.unwrap_or_default().to_vec(),
            b"filename" => dump.place.set_file(json.text()?.unwrap_or_default()),
            b"line" => dump.place.line = json.integer()?.filter(|line| *line > 0),
            _ => {}
        }
    }
    let place = dump.place.text().to_vec();
    dump.frame(&name, &place, samples);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_that_begin_threads() {
        let line = |tid: &'static str, state, name: &'static str| {
            Some(Thread { tid: tid.into(), state, name: name.into() })
        };
        for (text, expected) in [
            ("Thread 6403 (active+gil)", line("6403", "active+gil", "")),
            ("Thread 7 (idle): \"a (b): \"c\"\"", line("7", "idle", "a (b): \"c\"")),
            ("Thread 0X7F22 (active): \"x\"", line("0X7F22", "active", "x")),
            ("Thread 0x00007ff2 (most recent call first):", None),
            ("Thread 1 (LWP 12):", None),
            ("Thread 7 (idle) and", None),
        ] {
            assert_eq!(Thread::of(text.as_bytes()), expected, "{text}");
        }
    }

    #[test]
    fn calls_end_where_their_place_begins() {
        for (text, expected) in [
            ("fib (app.py:6)", Some(("fib", "app.py:6"))),
            ("f (my (old) app.py:6)", Some(("f", "my (old) app.py:6"))),
            ("malloc (libc.so.6)", Some(("malloc", "libc.so.6"))),
            ("    n: f(x)", None),
            ("Locals:", None),
        ] {
            let expected = expected.map(|(name, place)| (name.as_bytes(), place.as_bytes()));
            assert_eq!(call(text.as_bytes()), expected, "{text}");
        }
    }
}
