//! Spans that have begun, and the lines that wait until it is known how long these last.

use std::collections::BTreeMap;
use std::rc::Rc;

use common::folded::FoldedLine;
use hashbrown::HashMap;

use crate::span::Span;

/// The number of a span, in the order in which they begin.
pub(crate) type Number = u64;

/// How many bytes of lines and spans wait at most.
pub(crate) const MOST_BYTES: usize = 256 << 20;

/// About what a span or a line needs beside its text.
const OVERHEAD: usize = 160;

/// What is known of a span before it ends.
#[derive(Debug)]
pub(crate) struct Begun {
    /// Whose lines are in it; empty where lines do not say it.
    pub(crate) thread: Vec<u8>,
    /// What its end has, too.
    pub(crate) key: Vec<u8>,
    /// In nanoseconds.
    pub(crate) start: u64,
    pub(crate) name: Vec<u8>,
    /// The labels that lines in it get from it.
    pub(crate) labels: Vec<(Vec<u8>, Vec<u8>)>,
}

impl Begun {
    fn size(&self) -> usize {
        let labels = self.labels.iter().map(|(key, value)| key.len() + value.len());
        OVERHEAD + self.thread.len() + self.key.len() + self.name.len() + labels.sum::<usize>()
    }
}

/// A line, and those of its spans that have ended.
#[derive(Debug)]
pub(crate) struct HeldLine {
    text: Vec<u8>,
    count: u64,
    found: Vec<(Number, Rc<Span>)>,
}

impl HeldLine {
    pub(crate) fn line(&self) -> FoldedLine<'_> {
        FoldedLine::of_labelled_stack(&self.text, self.count)
    }

    /// Its spans, the outermost first.
    pub(crate) fn spans(&self) -> Vec<&Span> {
        self.found.iter().map(|(_, span)| &**span).collect()
    }

    fn add(&mut self, number: Number, span: &Rc<Span>) {
        let at = self.found.partition_point(|(known, _)| *known < number);
        self.found.insert(at, (number, Rc::clone(span)));
    }

    fn size(&self) -> usize {
        OVERHEAD + self.text.len()
    }
}

/// A span that has not ended.
#[derive(Debug)]
struct Open {
    begun: Begun,
    /// The lines that came while it was the last one to begin in its thread.
    lines: Vec<HeldLine>,
}

/// All spans that have not ended.
#[derive(Debug)]
pub(crate) struct OpenSpans {
    spans: BTreeMap<Number, Open>,
    /// The open spans of each thread, in the order in which they began.
    of_thread: HashMap<Vec<u8>, Vec<Number>>,
    /// Those that the same end could end.
    of_key: HashMap<Vec<u8>, Vec<Number>>,
    /// How many spans were given up of those that such an end could end.
    given_up: HashMap<Vec<u8>, u64>,
    /// Whether lines need all their spans, not only the innermost.
    needs_all: bool,
    /// The bytes of what waits, and how many it may be.
    size: usize,
    most: usize,
    /// Lines that wait no longer.
    done: Vec<HeldLine>,
}

impl OpenSpans {
    pub(crate) fn new(needs_all: bool, most: usize) -> OpenSpans {
        OpenSpans {
            spans: BTreeMap::new(),
            of_thread: HashMap::new(),
            of_key: HashMap::new(),
            given_up: HashMap::new(),
            needs_all,
            size: 0,
            most,
            done: Vec::new(),
        }
    }

    /// Adds a span, whose number is larger than those before.
    pub(crate) fn begin(&mut self, number: Number, begun: Begun) {
        self.size += begun.size();
        self.of_thread.entry_ref(&begun.thread[..]).or_default().push(number);
        self.of_key.entry_ref(&begun.key[..]).or_default().push(number);
        self.spans.insert(number, Open { begun, lines: Vec::new() });
    }

    /// Ends the span of this key that began last. `span` makes it of what is known.
    ///
    /// # Errors
    ///
    /// [`NoBegin`] where there is none.
    pub(crate) fn end(
        &mut self,
        key: &[u8],
        span: impl FnOnce(Number, &Begun) -> Span,
    ) -> Result<(Begun, Rc<Span>), NoBegin> {
        let Some(number) = self.of_key.get(key).and_then(|open| open.last().copied()) else {
            return Err(match self.given_up.get_mut(key) {
                Some(count) if *count > 0 => {
                    *count -= 1;
                    NoBegin::GivenUp
                }
                _ => NoBegin::NotSeen,
            });
        };
        let Some(Open { begun, lines }) = self.take(number) else {
            return Err(NoBegin::NotSeen);
        };
        let span = Rc::new(span(number, &begun));
        // Those that began later in the same thread are still open: their lines are in both.
        let later = self.of_thread.get(&begun.thread).into_iter().flatten();
        for later in later.filter(|later| **later > number) {
            if let Some(later) = self.spans.get_mut(later) {
                later.lines.iter_mut().for_each(|line| line.add(number, &span));
            }
        }
        for mut line in lines {
            line.add(number, &span);
            self.settle(line, &begun.thread, number);
        }
        Ok((begun, span))
    }

    /// Takes a line that is in a span; false if no span of this thread is open.
    pub(crate) fn hold(&mut self, line: &FoldedLine<'_>, thread: &[u8]) -> bool {
        let innermost = self.of_thread.get(thread).and_then(|open| open.last());
        let Some(open) = innermost.and_then(|number| self.spans.get_mut(number)) else {
            return false;
        };
        let text = [line.labels.as_bytes(), line.stack].concat();
        let line = HeldLine { text, count: line.count, found: Vec::new() };
        self.size += line.size();
        open.lines.push(line);
        true
    }

    /// Gives up the spans that began first until what waits is within the limit; returns how many.
    pub(crate) fn keep_to_limit(&mut self) -> u64 {
        let mut count = 0;
        while self.size > self.most {
            let Some((number, _)) = self.spans.first_key_value() else { break };
            count += u64::from(self.give_up(*number));
        }
        count
    }

    /// Gives up all spans, since no more lines come; returns how many.
    pub(crate) fn finish(&mut self) -> u64 {
        let open: Vec<Number> = self.spans.keys().copied().collect();
        open.into_iter().filter(|number| self.give_up(*number)).count() as u64
    }

    /// Lines that wait no longer.
    pub(crate) fn take_done(&mut self) -> Vec<HeldLine> {
        std::mem::take(&mut self.done)
    }

    /// Forgets a span; its lines are those of the spans around it.
    fn give_up(&mut self, number: Number) -> bool {
        let Some(Open { begun, lines }) = self.take(number) else { return false };
        *self.given_up.entry_ref(&begun.key[..]).or_default() += 1;
        for line in lines {
            self.settle(line, &begun.thread, number);
        }
        true
    }

    fn take(&mut self, number: Number) -> Option<Open> {
        let open = self.spans.remove(&number)?;
        self.size -= open.begun.size();
        forget(&mut self.of_thread, &open.begun.thread, number);
        forget(&mut self.of_key, &open.begun.key, number);
        Some(open)
    }

    /// Lets a line wait for the next span around it, or be done. It waited for the span with this
    /// number.
    fn settle(&mut self, line: HeldLine, thread: &[u8], number: Number) {
        let open = self.of_thread.get(thread).into_iter().flatten().rev();
        let around = open.copied().find(|open| *open < number);
        let known = line.found.last().map(|(number, _)| *number);
        // What ended already may have begun later.
        let waits = around.filter(|around| self.needs_all || known.is_none_or(|it| it < *around));
        match waits.and_then(|around| self.spans.get_mut(&around)) {
            Some(open) => open.lines.push(line),
            None => {
                self.size -= line.size();
                self.done.push(line);
            }
        }
    }
}

/// Why an end ends nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NoBegin {
    /// The begin was not among the lines.
    NotSeen,
    /// The span was given up.
    GivenUp,
}

fn forget(numbers: &mut HashMap<Vec<u8>, Vec<Number>>, key: &[u8], number: Number) {
    let Some(open) = numbers.get_mut(key) else { return };
    // Mostly it is the last one.
    if let Some(at) = open.iter().rposition(|known| *known == number) {
        open.remove(at);
    }
    if open.is_empty() {
        numbers.remove(key);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::span::Row;

    fn begun(thread: &str) -> Begun {
        let [thread, name] = [thread, "s"].map(|it| it.as_bytes().to_vec());
        Begun { key: thread.clone(), thread, start: 1, name, labels: Vec::new() }
    }

    fn ended(number: Number, begun: &Begun) -> Span {
        let (name, id) = (begun.name.clone(), number.to_string().into_bytes());
        Row { start: 1, end: 2, name, has_id: true, id, fields: Vec::new() }.span(1, &[])
    }

    /// The lines that wait no longer, with the numbers of their spans.
    fn done(open: &mut OpenSpans) -> Vec<(String, Vec<Number>)> {
        let shown = |held: &HeldLine| {
            let stack = String::from_utf8_lossy(held.line().stack).into_owned();
            (stack, held.found.iter().map(|(number, _)| *number).collect())
        };
        open.take_done().iter().map(shown).collect()
    }

    #[test]
    fn what_began_first_is_given_up_when_too_much_waits() {
        let of_two_spans_and_lines = 2 * begun("1").size() + 2 * (OVERHEAD + 1);
        let mut open = OpenSpans::new(false, of_two_spans_and_lines);
        open.begin(1, begun("1"));
        assert!(open.hold(&FoldedLine::new(b"a", 1), b"1"));
        assert!(!open.hold(&FoldedLine::new(b"x", 1), b"2"), "it is in no span");
        open.begin(2, begun("1"));
        assert!(open.hold(&FoldedLine::new(b"b", 1), b"1"));
        assert_eq!((open.keep_to_limit(), done(&mut open)), (0, Vec::new()));
        assert!(open.hold(&FoldedLine::new(b"c", 1), b"1"));
        assert_eq!(open.keep_to_limit(), 1);
        assert_eq!(done(&mut open), [("a".to_owned(), Vec::new())]);
        assert!(open.end(b"1", ended).is_ok());
        assert_eq!(done(&mut open), [("b".to_owned(), vec![2]), ("c".to_owned(), vec![2])]);
        assert_eq!(open.end(b"1", ended).err(), Some(NoBegin::GivenUp));
        assert_eq!(open.end(b"1", ended).err(), Some(NoBegin::NotSeen));
        assert_eq!((open.size, open.spans.len(), open.of_thread.len()), (0, 0, 0));
    }

    #[test]
    fn lines_of_a_span_that_was_given_up_are_of_the_one_around_it() {
        for (needs_all, expected) in [(false, vec![1]), (true, vec![1])] {
            let mut open = OpenSpans::new(needs_all, MOST_BYTES);
            open.begin(1, begun("1"));
            open.begin(2, Begun { key: b"other".to_vec(), ..begun("1") });
            assert!(open.hold(&FoldedLine::new(b"a", 1), b"1"));
            assert!(open.end(b"1", ended).is_ok());
            assert_eq!(done(&mut open), []);
            assert_eq!(open.finish(), 1);
            assert_eq!(done(&mut open), [("a".to_owned(), expected)]);
        }
    }
}
