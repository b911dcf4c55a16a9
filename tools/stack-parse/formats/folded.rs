//! Folded stacks, as other tools make them; man/folded-stack.5 is the grammar.

use common::Result;
use common::folded::{
    FoldedLine, Frames, Label, counts_samples, lacks_frames, noted_samples, parse_header,
};
use common::io::{Input, lines};
use memchr::{memmem, memrchr};

use super::unread;
use crate::format::{Format, Head};
use crate::options::Options;
use crate::read::lines::for_each_line;
use crate::read::own_labels::with_labels;
use crate::samples::Samples;
use crate::samples::events::Measure;
use crate::samples::sample::{Sample, Time};

pub(super) const FORMAT: Format =
    Format::new("folded", "Folded stacks, one a line: main;work;leaf 12", detect, parse);

/// Whether the first lines of an input are folded stacks.
///
/// Many texts look like a word and a number. So nine of ten lines must be folded stacks; or at
/// least half and all but one, if some have several frames. A damaged line is reported when it is
/// read.
fn detect(head: &Head<'_>) -> bool {
    head.is_last && (are_folded(head.text()) || cut_first_stack(head).is_some_and(are_frames))
}

/// The first stack, if its end is beyond the head and only comments come before it.
fn cut_first_stack<'a>(head: &Head<'a>) -> Option<&'a [u8]> {
    let start = memrchr(b'\n', head.bytes).map_or(0, |end| end + 1);
    let (before, line) = head.bytes.split_at(start);
    let is_first = lines(before).all(|line| line.is_empty() || line.starts_with(b"# "));
    (is_first && !head.is_whole).then_some(line)
}

/// Whether the start of a line whose end is not seen looks like frames: recursion
/// through templates of C++ makes such lines.
///
/// Source code and data without line ends have `;` too, but the parts between two of them are
/// mostly unbalanced: `function f(a){var b=1` opens a `{` that it does not close.
fn are_frames(line: &[u8]) -> bool {
    const FEWEST: usize = 4;
    let is_text = !line.iter().any(|byte| byte.is_ascii_control() && *byte != b'\t');
    if !is_text || unread::looks_like(line).is_some() {
        return false;
    }
    // The last frame is cut.
    let mut frames = Frames::new(line);
    frames.next_back();
    let (mut all, mut whole) = (0, 0);
    for frame in frames {
        all += 1;
        whole += usize::from(is_balanced(frame));
    }
    all >= FEWEST && whole * 10 >= all * 9
}

/// Whether each `(` and `{` is closed by a `)` and `}`.
fn is_balanced(frame: &[u8]) -> bool {
    let mut open = [0u32; 2];
    let is_closed = frame.iter().all(|byte| {
        let kind = usize::from(matches!(byte, b'{' | b'}'));
        match byte {
            b'(' | b'{' => open[kind] += 1,
            b')' | b'}' if open[kind] == 0 => return false,
            b')' | b'}' => open[kind] -= 1,
            _ => {}
        }
        true
    });
    is_closed && open == [0; 2]
}

fn are_folded(text: &[u8]) -> bool {
    let (mut all, mut folded, mut deep, mut rows) = (0, 0, 0, 0);
    for line in lines(text).filter(|line| !line.is_empty() && !line.starts_with(b"# ")) {
        let is_deep = line.contains(&b';');
        let is_folded = FoldedLine::parse(line).is_ok() || is_deep && ends_in_decimal(line);
        all += 1;
        folded += usize::from(is_folded);
        deep += usize::from(is_folded && is_deep);
        rows += usize::from(is_row(line));
    }
    let is_folded = folded > 0 && folded * 10 >= all * 9;
    let is_damaged = deep > 0 && folded * 2 >= all && all - folded <= 1;
    // A table or a log may end each line in a number.
    let is_table = rows > 1 && rows * 2 >= all;
    let is_flat = || !is_table && unread::looks_like(text).is_none();
    (is_folded || is_damaged) && (deep > 0 || is_flat())
}

/// Whether a line without `;` is rather a row of a table, whose columns are padded, or of a log,
/// which begins with a time: `.interp    28     792`, `10:12:33 IP 192.0.2.1, length 100`.
fn is_row(line: &[u8]) -> bool {
    let mut words = line.split(|byte| *byte == b' ');
    let time = words.next().unwrap_or_default();
    let is_time = time.contains(&b':') && time.iter().all(|byte| b"0123456789:.".contains(byte));
    memmem::find(line, b"  ").is_some() || is_time && words.count() > 1
}

/// Whether a line ends in a number that is not a count here but that other tools write as one:
/// `main;f 1.5`, `main;f -3`.
fn ends_in_decimal(line: &[u8]) -> bool {
    let number = line.rsplit(|&byte| byte == b' ').next().unwrap_or_default();
    let number = number.strip_prefix(b"-").unwrap_or(number);
    let is_digit = |byte: &u8| byte.is_ascii_digit() || *byte == b'.';
    number.first().is_some_and(u8::is_ascii_digit) && number.iter().all(is_digit)
}

fn parse(input: &mut Input, _: &Options, samples: &mut Samples<'_>) -> Result<()> {
    let mut frames = Vec::new();
    let (mut header, mut times, mut weight) = (Header::default(), Times::default(), 0.0);
    let read = for_each_line(input, |number, line| {
        if line.starts_with(b"# ") {
            header.add(line);
            samples.headers.add_line(line);
            return Ok(());
        }
        match FoldedLine::parse(line) {
            _ if line.is_empty() => Ok(()),
            Ok(FoldedLine { labels, stack, count }) => {
                header.announce(samples);
                if lacks_frames(line, labels, stack) {
                    samples.count_without_frames(count);
                }
                frames.clear();
                frames.extend(Frames::new(stack).map(|frame| samples.frame(frame)));
                let labels: Vec<Label<'_>> = labels.iter().collect();
                let weights = &[count];
                weight += count as f64;
                let drawn = Some(header.drawn(count));
                let sample = Sample { weights, drawn, ..Sample::default() };
                let sample = with_labels(sample, &labels);
                times.look_at(&sample);
                samples.add(&sample, &frames)
            }
            Err(why) => {
                samples.malformed(number, why);
                Ok(())
            }
        }
    });
    times.report(samples);
    if !counts_samples(&header.unit) && weight > 0.0 {
        samples.draw(&header.event, weight, header.samples);
    }
    read
}

/// What is wrong with the times of lines.
#[derive(Default)]
struct Times {
    /// Lines with a time that is no number.
    unread: u64,
    /// The time of the first line without `since`: times without one are counted from it.
    first: Option<u64>,
    is_unordered: bool,
}

impl Times {
    fn look_at(&mut self, sample: &Sample<'_>) {
        let has = |key: &[u8]| sample.labels.iter().any(|label| label.key == key);
        let time = sample.time.and_then(Time::nanoseconds);
        let is_unread = has(b"since") && sample.since.is_none() || has(b"time") && time.is_none();
        self.unread += u64::from(is_unread);
        if let (None, Some(time)) = (sample.since, time) {
            self.is_unordered |= time < *self.first.get_or_insert(time);
        }
    }

    fn report(&self, samples: &mut Samples<'_>) {
        let what = "lines have a label since or time that is not in seconds: it is left out";
        samples.note_count(self.unread, what);
        if self.is_unordered && samples.wants.order() {
            samples.note(
                "the first line is not the earliest, but --from, --to and since count from its \
                 time: sort the lines with 'sort -V' before",
            );
        }
    }
}

/// The event and the unit that the header lines name.
#[derive(Default)]
struct Header {
    event: Vec<u8>,
    unit: Vec<u8>,
    /// How many samples there are.
    samples: Option<u64>,
    is_announced: bool,
}

impl Header {
    fn add(&mut self, line: &[u8]) {
        match parse_header(line) {
            Some(("event", event)) => self.event = event.to_vec(),
            Some(("unit", unit)) => self.unit = unit.to_vec(),
            _ => self.samples = self.samples.or(noted_samples(line)),
        }
    }

    /// How many samples were drawn for a line with this count; 0 if that may be known only for all
    /// lines together, by a header line that may come after them.
    fn drawn(&self, count: u64) -> u64 {
        if counts_samples(&self.unit) { count } else { 0 }
    }

    /// Sets the event and the unit once, before the first stack.
    fn announce(&mut self, samples: &mut Samples<'_>) {
        if !std::mem::replace(&mut self.is_announced, true) {
            samples.events.set_measures(&[Measure { name: &self.event, unit: &self.unit }]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folded_lines_are_known_by_their_counts() {
        for text in [
            "main;f 12\n",
            "# a comment\nmain 1\r\nmain;f 2",
            "a;operator new 7\n",
            "a;b 1\nodd\n",
            "odd\na;b 1\n",
            "a;b 1\nc 2\nodd\n",
            "a;b 1.5\na;c 0.25\n",
            "a;b -1\n",
            " 2\na;b 1\n",
        ] {
            assert!(are_folded(text.as_bytes()), "{text:?}");
        }
    }

    #[test]
    fn a_line_whose_end_is_not_seen_is_known_by_its_frames() {
        let is_known = |part: &str| {
            let line = part.repeat(64 * 1024 / part.len());
            detect(&Head::new(line.as_bytes(), false, true))
        };
        for part in [
            "main;std::vector<foo::bar<int>>::push_back(int const&);",
            "a;operator();<lambda(int)>::operator() const;{{closure}};f{lambda()#1};",
            "caf\u{e9} x;y z;",
            &format!("f<{}>;", "std::pair<int, ".repeat(500)),
        ] {
            assert!(is_known(part), "{part}");
        }
        for part in [
            "function f(a){var b=a.c;return b}",
            "if(a){b(function(){c;d})}",
            "body{color:red;margin:0}",
            "word ",
            "{\"a\":\"b;c\"},",
            "\x00a;b;",
        ] {
            assert!(!is_known(part), "{part}");
        }
        assert!(!detect(&Head::new(b"main;f;g", false, true)));
        let commented = ["# event: cycles\n", &"main;f(int);".repeat(6000)].concat();
        assert!(detect(&Head::new(commented.as_bytes(), false, true)));
        let damaged = ["main 1\nodd\n", &"main;f(int);".repeat(6000)].concat();
        assert!(!detect(&Head::new(damaged.as_bytes(), false, true)));
    }

    #[test]
    fn few_counts_are_chance() {
        for text in [
            "",
            "hello\nworld 1\n",
            "odd\nodd\na;b 1\n",
            "x = a; y = 1;\n",
            "4.5 apples\n",
            ".interp   28     792\n.dynamic  480   15840\n",
            "10:12:33.01 IP a > b: length 100\n10:12:33.02 IP b > a: length 0\n",
            "desc: I1 cache\n1 2\n3 4\n5 6\n".repeat(9).as_str(),
        ] {
            assert!(!are_folded(text.as_bytes()), "{text:?}");
        }
    }
}
