//! How a tool reads a sequence: lines in the order of their times.

use std::fmt;
use std::ops::ControlFlow;

use super::lines::each_line;
use crate::numbers::{nanoseconds, seconds};
use crate::pipe::{Lines, Pipe};
use crate::{Result, folded::FoldedLine, names::printable};

/// What comes in when a sequence is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SequenceEvent<'a> {
    /// A folded line.
    Line {
        /// The label `time`, in nanoseconds. It is not below that of the line before.
        time: u64,
        /// The label `tid`, as it is written: equal bytes mean the same thread of this input.
        tid: &'a [u8],
        /// The line, with all its labels.
        line: FoldedLine<'a>,
    },
    /// The next input begins. Its clock and its threads may be others, so its first time may be
    /// below the last one.
    Border {
        /// The file as the user wrote it, or `<stdin>`.
        input: &'a str,
    },
}

impl Lines<'_> {
    /// Calls `each` with every folded line that has its place in the sequence, and between two
    /// inputs. Header lines of an input are known from its first line on, whatever becomes of its
    /// comments.
    ///
    /// A line has no place if it lacks the label `time` or `tid`, if `time` is not seconds in
    /// decimal, or if the time is below that of the line before. It is named as a malformed line
    /// is, and counted as dropped; the exit status will be 2.
    ///
    /// Times are exact: digits after the nanosecond are cut off, and no time is a floating number.
    ///
    /// # Errors
    ///
    /// What `each` returns.
    ///
    /// # Example
    ///
    /// ```
    /// use common::io::{Input, Output};
    /// use common::pipe::{Pipe, SequenceEvent};
    ///
    /// let slices = "time=12.5\ttid=7\tstate=running\tapp;main 250\n\
    ///               time=12.500000250\ttid=7\tstate=waiting\tapp;main;read 1000\n";
    /// let mut input = Input::from_reader("slices", slices.as_bytes());
    /// let mut pipe = Pipe::new("example", Output::open(false)?, false);
    /// let mut times = Vec::new();
    /// pipe.lines_of(&mut input).sequence(|event, _| {
    ///     if let SequenceEvent::Line { time, tid, line } = event {
    ///         assert_eq!(tid, b"7");
    ///         times.push((time, line.count));
    ///     }
    ///     Ok(())
    /// })?;
    /// assert_eq!(times, [(12_500_000_000, 250), (12_500_000_250, 1000)]);
    /// # Ok::<(), common::Error>(())
    /// ```
    pub fn sequence(
        self,
        mut each: impl FnMut(SequenceEvent<'_>, &mut Pipe) -> Result<()>,
    ) -> Result<()> {
        let mut is_first = true;
        self.each_input(|input, reading, pipe| {
            if !std::mem::take(&mut is_first) {
                each(SequenceEvent::Border { input: input.name() }, pipe)?;
            }
            reading.keeps_header = true;
            let mut last = 0;
            each_line(input, pipe, |line, pipe| {
                if !line.is_comment() {
                    reading.tell_header(pipe);
                }
                reading.folded(&line, pipe, |folded, pipe| {
                    match place(&folded, last) {
                        Ok((time, tid)) => {
                            last = time;
                            each(SequenceEvent::Line { time, tid, line: folded }, pipe)?;
                        }
                        Err(why) => {
                            pipe.malformed(line.input, line.number, why);
                            pipe.drop_line(&folded);
                        }
                    }
                    Ok(ControlFlow::Continue(()))
                })
            })
        })
    }
}

/// The time and the thread of a line that comes after the time `last`.
fn place<'a>(line: &FoldedLine<'a>, last: u64) -> Result<(u64, &'a [u8]), Misplaced<'a>> {
    let label = |key: &'static str| line.labels.get(key.as_bytes()).ok_or(Misplaced::No(key));
    let (text, tid) = (label("time")?, label("tid")?);
    let time = nanoseconds(text).ok_or(Misplaced::NoTime(text))?;
    if time < last { Err(Misplaced::Before { time, last }) } else { Ok((time, tid)) }
}

/// Why a line has no place in a sequence.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Misplaced<'a> {
    /// It lacks this label.
    No(&'static str),
    /// The value of its label `time` is not a time.
    NoTime(&'a [u8]),
    /// The time steps back.
    Before { time: u64, last: u64 },
}

impl fmt::Display for Misplaced<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Misplaced::No(key) => write!(
                f,
                "expected the labels time and tid, as 'stack-parse --per-sample --labels time,tid' \
                 writes them, found no {key}"
            ),
            Misplaced::NoTime(text) => {
                write!(
                    f,
                    "expected seconds such as 12.304 in the label time, found '{}'",
                    printable(text)
                )
            }
            Misplaced::Before { time, last } => write!(
                f,
                "expected lines in the order of their times, found {} after {}",
                seconds(time),
                seconds(last)
            ),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::io::{Files, Input, Output};

    fn pipe() -> Pipe {
        Pipe::new("test", Output::open(false).expect("a standard output"), false)
    }

    /// The times, threads and stacks of the lines that have a place in `text`, and for each of the
    /// others its number and why it has none.
    fn sequence_of(text: &str) -> (Vec<(u64, String, String)>, Vec<String>) {
        let mut pipe = pipe();
        let (mut lines, mut last, mut misplaced) = (Vec::new(), 0, Vec::new());
        for (number, line) in text.lines().enumerate() {
            let line = FoldedLine::parse(line.as_bytes()).expect("a folded line");
            match place(&line, last) {
                Ok((time, _)) => last = time,
                Err(why) => misplaced.push(format!("{}: {why}", number + 1)),
            }
        }
        let mut input = Input::from_reader("test", std::io::Cursor::new(text.to_owned()));
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        let read = pipe.lines_of(&mut input).sequence(|event, _| {
            if let SequenceEvent::Line { time, tid, line } = event {
                lines.push((time, text(tid), text(line.stack)));
            }
            Ok(())
        });
        read.expect("a readable input");
        let all = lines.len() + misplaced.len();
        assert_eq!(pipe.messages.malformed_lines(), misplaced.len() as u64);
        assert_eq!(pipe.messages.is_trouble(), !misplaced.is_empty());
        assert_eq!(pipe.stats.read.lines, all as u64);
        assert_eq!(pipe.stats.dropped.lines, misplaced.len() as u64);
        (lines, misplaced)
    }

    fn line(time: u64, tid: &str, stack: &str) -> (u64, String, String) {
        (time, tid.to_owned(), stack.to_owned())
    }

    #[test]
    fn times_are_exact_and_labels_may_be_anywhere() {
        let text = "state=running\ttime=12.304000113\twaker=8\ttid=7\ta;b 5\n\
                    tid=main\ttime=12.304000113\tc 1\n\
                    time=18446744073.709551615\ttid=7\td 1\n";
        let expected = [
            line(12_304_000_113, "7", "a;b"),
            line(12_304_000_113, "main", "c"),
            line(u64::MAX, "7", "d"),
        ];
        assert_eq!(sequence_of(text), (expected.to_vec(), vec![]));
    }

    #[test]
    fn a_line_without_a_place_is_named_and_left_out() {
        let text = "time=2\ttid=7\ta 1\n\
                    time=1.999999999\ttid=7\tb 1\n\
                    tid=7\tb 1\n\
                    time=3\tb 1\n\
                    time=3e0\ttid=7\tb 1\n\
                    b 1\n\
                    time=2\ttid=8\tc 1\n";
        let (lines, misplaced) = sequence_of(text);
        assert_eq!(lines, [line(2_000_000_000, "7", "a"), line(2_000_000_000, "8", "c")]);
        let writer = "expected the labels time and tid, as 'stack-parse --per-sample --labels \
                      time,tid' writes them";
        assert_eq!(
            misplaced,
            [
                "2: expected lines in the order of their times, found 1.999999999 after 2"
                    .to_owned(),
                format!("3: {writer}, found no time"),
                format!("4: {writer}, found no tid"),
                "5: expected seconds such as 12.304 in the label time, found '3e0'".to_owned(),
                format!("6: {writer}, found no time"),
            ]
        );
    }

    #[test]
    fn a_border_is_between_two_inputs_and_times_begin_again_after_it() {
        let folder = tempfile::tempdir().expect("a writable folder");
        let paths = ["a", "b", "c"].map(|name| folder.path().join(name));
        let texts = ["# unit: ns\ntime=9\ttid=1\tf 1\n", "", "# unit: us\ntime=1\ttid=1\tf 1\n"];
        for (path, text) in paths.iter().zip(texts) {
            fs::write(path, text).expect("a writable file");
        }
        let files = Files { paths: paths.to_vec() };
        let (mut pipe, mut seen) = (pipe(), Vec::new());
        let read = pipe.lines(&files).sequence(|event, pipe| {
            seen.push(match event {
                SequenceEvent::Line { time, .. } => {
                    let units = pipe.headers.all("unit").join(&b' ');
                    format!("{time} {}", String::from_utf8_lossy(&units))
                }
                SequenceEvent::Border { input } => input[input.len() - 1..].to_owned(),
            });
            Ok(())
        });
        read.expect("readable files");
        assert_eq!(seen, ["9000000000 ns", "b", "c", "1000000000 ns us"]);
        assert!(!pipe.messages.is_trouble());
    }
}
