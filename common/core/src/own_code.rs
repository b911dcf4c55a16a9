//! The time of own code. What a stack weighs is charged to its deepest frame of own code: the user
//! can change that function, or not call what it calls.

use hashbrown::HashMap;

use crate::names::{
    CodeKind, FrameParts, bare_name, base_of_place, code_kinds, file_and_line, fitted, printable,
    printable_name,
};
use crate::numbers::share;
use crate::stacks::{FrameId, SortedStacks};

/// The row of stacks without a frame that is charged, as in `stack-collapse-frames --charge-own`.
pub const NOT_OWN: &[u8] = b"[not own]";

/// Whose code is charged: own code, or where nothing is known to be own, the next that may be.
const CHARGED: [CodeKind; 3] = [CodeKind::Own, CodeKind::Unknown, CodeKind::Library];

/// What is charged to a function, or to something else that frames are counted as.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Charged {
    /// The weight of the stacks whose deepest frame of own code this is.
    pub weight: u64,
    /// The lines of these frames, such as `src/a.c:14`, the heaviest first; frames without a line
    /// are left out.
    pub lines: Vec<(Vec<u8>, u64)>,
    /// The names of the frames that these call, the heaviest first; frames that call nothing are
    /// left out.
    pub calls: Vec<(Vec<u8>, u64)>,
    /// The nearest frames of another function of own code that called these, such as
    /// `insert (src/map.rs:35)`, the heaviest first.
    pub callers: Vec<(Vec<u8>, u64)>,
}

/// What there is room for in a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Room {
    /// How many lines, and how many functions that are called, it names at most.
    pub named: usize,
    /// The most letters of a function that is called.
    pub letters: usize,
}

impl Default for Room {
    fn default() -> Room {
        Room { named: 3, letters: 40 }
    }
}

/// A text does not name what has less than one in this many of the weight.
const LEAST_PART: u64 = 10;

impl Charged {
    /// On which lines the weight is, and in what these call, with the shares of `whole`:
    /// `journal.cpp:78 (47.00%), :76 (14.00%), calls fdatasync (47.00%)`. Empty where neither is
    /// known.
    #[must_use]
    pub fn lines_and_calls(&self, whole: u64, room: Room) -> String {
        let texts = [self.named_lines(whole, room), self.calls_or_caller(whole, room)];
        texts.into_iter().filter(|text| !text.is_empty()).collect::<Vec<_>>().join(", ")
    }

    /// The heaviest lines, without folders, and with the file where it is not that of the line
    /// before.
    fn named_lines(&self, whole: u64, room: Room) -> String {
        let mut last: &[u8] = b"";
        let named = self.heaviest(&self.lines, room).map(|(line, weight)| {
            let (path, number) = file_and_line(line);
            let shown = if std::mem::replace(&mut last, path) == path {
                format!(":{number}")
            } else {
                printable(base_of_place(line))
            };
            format!("{shown} ({})", share(weight, whole))
        });
        named.collect::<Vec<_>>().join(", ")
    }

    /// The functions that are called most, `calls fdatasync (47.00%), write (15.00%)`; for a function
    /// that does the work itself, the one that has it done, `from insert (map.rs:35)`.
    #[must_use]
    pub fn calls_or_caller(&self, whole: u64, room: Room) -> String {
        match self.named_calls(whole, room) {
            calls if calls.is_empty() => self.named_caller(room),
            calls => calls,
        }
    }

    /// A caller that has most of the weight.
    fn named_caller(&self, room: Room) -> String {
        let is_most = |(_, weight): &&(Vec<u8>, u64)| *weight > self.weight / 2;
        let Some((caller, _)) = self.callers.first().filter(is_most) else { return String::new() };
        let FrameParts { name, place, .. } = FrameParts::of(caller);
        let name = printable_name(name);
        let place = match printable(base_of_place(place)) {
            place if place.is_empty() => place,
            place => format!(" ({place})"),
        };
        format!("from {}{place}", fitted(bare_name(&name), room.letters))
    }

    fn named_calls(&self, whole: u64, room: Room) -> String {
        let named = self.heaviest(&self.calls, room).map(|(name, weight)| {
            format!(
                "{} ({})",
                fitted(bare_name(&printable_name(name)), room.letters),
                share(weight, whole)
            )
        });
        let named: Vec<String> = named.collect();
        if named.is_empty() { String::new() } else { format!("calls {}", named.join(", ")) }
    }

    /// What a text names of a list.
    fn heaviest<'a>(
        &self,
        list: &'a [(Vec<u8>, u64)],
        room: Room,
    ) -> impl Iterator<Item = (&'a [u8], u64)> {
        let least = self.weight.div_ceil(LEAST_PART);
        let heaviest = list.iter().take_while(move |(_, weight)| *weight >= least).take(room.named);
        heaviest.map(|(name, weight)| (&name[..], *weight))
    }
}

/// What all stacks are charged to.
#[derive(Debug)]
pub struct OwnCode {
    /// Whose code is charged; [`CodeKind::Own`] unless no frame is known to be own.
    pub kind: CodeKind,
    /// By what frames are counted as; stacks without a frame of that kind are at [`NOT_OWN`].
    pub rows: HashMap<Vec<u8>, Charged>,
}

impl OwnCode {
    /// What is ranked, for a text.
    #[must_use]
    pub fn words(&self) -> &'static str {
        match self.kind {
            CodeKind::Own => "own code",
            CodeKind::Library => "libraries",
            _ => "code that may be own",
        }
    }

    /// What to say where no frame is known to be own code.
    #[must_use]
    pub fn hint(&self) -> Option<&'static str> {
        match self.kind {
            CodeKind::Own => None,
            CodeKind::Library => Some("no frame is known to be own code: libraries are ranked"),
            _ => Some("no frame is known to be own code: what may be own is ranked"),
        }
    }

    /// Charges each stack to what `label` makes of its deepest frame of own code. The sum of all
    /// weights must fit into 64 bits.
    #[must_use]
    pub fn of<L: AsRef<[u8]>>(
        stacks: &SortedStacks,
        deepest: &Deepest,
        label: impl Fn(&[u8]) -> L,
    ) -> OwnCode {
        let frames = stacks.frames();
        let mut sums: HashMap<Vec<u8>, Sums<'_>> = HashMap::new();
        for stack in stacks.iter().filter(|stack| stack.weight > 0) {
            let Some(at) = deepest.of_stack(stack.frames) else {
                sums.entry_ref(NOT_OWN).or_default().weight += stack.weight;
                continue;
            };
            let frame = frames.name(stack.frames[at]);
            let sum = sums.entry_ref(label(frame).as_ref()).or_default();
            sum.weight += stack.weight;
            let (path, line) = file_and_line(FrameParts::of(frame).place);
            if line > 0 {
                *sum.lines.entry((path, line)).or_default() += stack.weight;
            }
            let callee = stack.frames.get(at + 1);
            if let Some(callee) = callee.filter(|it| Some(**it) != deepest.separator) {
                let name = FrameParts::of(frames.name(*callee)).name;
                *sum.calls.entry(name).or_default() += stack.weight;
            }
            let parts = |at: usize| FrameParts::of(frames.name(stack.frames[at]));
            let mut others = deepest.all_of_stack(stack.frames).map(parts);
            if let Some(caller) = others.find(|other| other.name != FrameParts::of(frame).name) {
                *sum.callers.entry((caller.name, caller.place)).or_default() += stack.weight;
            }
        }
        let rows = sums.into_iter().map(|(label, sum)| (label, sum.into_charged()));
        OwnCode { kind: deepest.kind, rows: rows.collect() }
    }
}

/// Finds the deepest frame of own code in the stacks of one profile.
#[derive(Debug)]
pub struct Deepest {
    /// Whose code is looked for; [`CodeKind::Own`] unless no frame is known to be own.
    pub kind: CodeKind,
    /// Whether own code is marked.
    is_marked: bool,
    /// By the numbers of frames.
    is_charged: Vec<bool>,
    /// The frame before the stack that woke a waiting thread.
    separator: Option<FrameId>,
}

/// The name of that frame.
pub(crate) const SEPARATOR: &[u8] = b"--";

impl Deepest {
    /// Looks at all frames of a profile, which together show what is own.
    #[must_use]
    pub fn of(stacks: &SortedStacks) -> Deepest {
        let frames = stacks.frames();
        let kinds = code_kinds((0..frames.len() as FrameId).map(|frame| frames.name(frame)));
        let has_mark = |frame: FrameId, mark| FrameParts::of(frames.name(frame)).has_mark(mark);
        let is_marked = (0..frames.len() as FrameId).any(|frame| has_mark(frame, b'o'));
        let separator = frames.find(SEPARATOR);
        let of_kind = |kind: CodeKind| {
            // What woke a waiting thread is other code, below the stack of that thread.
            let charged = kinds.iter().zip(0..).map(|(it, at)| *it == kind && !has_mark(at, b'w'));
            Deepest { kind, is_marked, is_charged: charged.collect(), separator }
        };
        let has_any = |deepest: &Deepest| {
            let mut weighty = stacks.iter().filter(|stack| stack.weight > 0);
            weighty.any(|stack| deepest.of_stack(stack.frames).is_some())
        };
        let found = CHARGED.into_iter().map(of_kind).find(has_any);
        found.unwrap_or_else(|| of_kind(CodeKind::Own))
    }

    /// The index of that frame in a stack, if it has one. A root without a mark may be the name of a
    /// thread.
    #[must_use]
    pub fn of_stack(&self, stack: &[FrameId]) -> Option<usize> {
        self.all_of_stack(stack).next()
    }

    /// The indexes of all frames of such code in a stack, the deepest first.
    pub fn all_of_stack<'s>(&'s self, stack: &'s [FrameId]) -> impl Iterator<Item = usize> + 's {
        let is_separator = |frame: &FrameId| Some(*frame) == self.separator;
        let waker = self.separator.and_then(|_| stack.iter().position(is_separator));
        let end = waker.unwrap_or(stack.len());
        let first = usize::from(!self.is_marked && end > 1);
        (first..end).rev().filter(|&at| self.is_charged[stack[at] as usize])
    }
}

#[derive(Default)]
struct Sums<'a> {
    weight: u64,
    lines: HashMap<(&'a [u8], u32), u64>,
    calls: HashMap<&'a [u8], u64>,
    /// By the name and the place.
    callers: HashMap<(&'a [u8], &'a [u8]), u64>,
}

impl Sums<'_> {
    fn into_charged(self) -> Charged {
        let text = |(path, line): (&[u8], u32)| [path, format!(":{line}").as_bytes()].concat();
        let lines = self.lines.into_iter().map(|(line, weight)| (text(line), weight));
        let calls = self.calls.into_iter().map(|(name, weight)| (name.to_vec(), weight));
        let caller = |(name, place): (&[u8], &[u8])| match place {
            b"" => name.to_vec(),
            place => [name, b" (", place, b")"].concat(),
        };
        let callers = self.callers.into_iter().map(|(it, weight)| (caller(it), weight));
        let (lines, calls) = (heaviest_first(lines), heaviest_first(calls));
        Charged { weight: self.weight, lines, calls, callers: heaviest_first(callers) }
    }
}

/// Of equal weights, in the order of the names.
fn heaviest_first(sums: impl Iterator<Item = (Vec<u8>, u64)>) -> Vec<(Vec<u8>, u64)> {
    let mut all: Vec<_> = sums.collect();
    all.sort_unstable_by(|(a, one), (b, other)| other.cmp(one).then_with(|| a.cmp(b)));
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stacks::StackCounts;

    fn charged(stacks: &[(&str, u64)]) -> (CodeKind, Vec<(String, Charged)>) {
        let mut counts = StackCounts::default();
        stacks.iter().for_each(|(stack, weight)| counts.add(stack.as_bytes(), *weight));
        let stacks = counts.into_sorted();
        let label = |frame: &[u8]| FrameParts::of(frame).name.to_vec();
        let own = OwnCode::of(&stacks, &Deepest::of(&stacks), label);
        let name = |name: Vec<u8>| String::from_utf8(name).expect("UTF-8");
        let without_callers = |it: Charged| Charged { callers: Vec::new(), ..it };
        let rows = own.rows.into_iter().map(|(row, it)| (name(row), without_callers(it)));
        let mut rows: Vec<_> = rows.collect();
        rows.sort_by(|(a, _), (b, _)| a.cmp(b));
        (own.kind, rows)
    }

    fn row(weight: u64, lines: &[(&str, u64)], calls: &[(&str, u64)]) -> Charged {
        let list = |list: &[(&str, u64)]| {
            list.iter().map(|(name, weight)| (name.as_bytes().to_vec(), *weight)).collect()
        };
        Charged { weight, lines: list(lines), calls: list(calls), callers: Vec::new() }
    }

    #[test]
    fn a_stack_is_charged_to_its_deepest_own_frame_with_its_line_and_what_it_calls() {
        let (kind, rows) = charged(&[
            ("main (a.c:9)_[o];append (a.c:2)_[o]_[i];fdatasync_[l];vfs_fsync_[k]", 5),
            ("main (a.c:9)_[o];append (a.c:3)_[o]_[i];write_[l]", 7),
            // A comparison function: own code below a library's.
            ("main (a.c:8)_[o];qsort_[l];append (a.c:2)_[o];memcpy_[l]", 1),
            ("main (a.c:9)_[o];append (a.c:2)_[o]", 4),
            ("start_thread_[l];futex_[k]", 2),
            ("main (a.c:0)_[o];poll_[l];--;write_[l];push (a.c:5)_[o]", 3),
            ("main (a.c:0)_[o];poll_[l];push (a.c:5)_[o]_[w]", 3),
            ("main (a.c:9)_[o];read_[l]", 0),
        ]);
        assert_eq!(kind, CodeKind::Own);
        let append = row(
            17,
            &[("a.c:2", 10), ("a.c:3", 7)],
            &[("write", 7), ("fdatasync", 5), ("memcpy", 1)],
        );
        let main = row(6, &[], &[("poll", 6)]);
        let not_own = row(2, &[], &[]);
        let expected = [("[not own]", not_own), ("append", append), ("main", main)];
        assert_eq!(rows, expected.map(|(name, row)| (name.to_owned(), row)));
    }

    #[test]
    fn what_calls_nothing_has_the_function_that_called_most_of_it() {
        let stacks = [
            (
                "main (a.rs:9)_[o];insert (map.rs:35)_[o];contains_[l];eq (a.rs:7)_[o];eq (a.rs:7)_[o]",
                6,
            ),
            ("main (a.rs:9)_[o];insert (map.rs:35)_[o];eq (a.rs:7)_[o]", 3),
            ("main (a.rs:8)_[o];eq (a.rs:7)_[o]", 1),
        ];
        let mut counts = StackCounts::default();
        stacks.iter().for_each(|(stack, weight)| counts.add(stack.as_bytes(), *weight));
        let stacks = counts.into_sorted();
        let label = |frame: &[u8]| FrameParts::of(frame).name.to_vec();
        let own = OwnCode::of(&stacks, &Deepest::of(&stacks), label);
        let text = own.rows[&b"eq"[..]].lines_and_calls(10, Room::default());
        assert_eq!(text, "a.rs:7 (100.00%), from insert (map.rs:35)");
    }

    #[test]
    fn without_own_code_the_next_that_may_be_is_charged() {
        // An older writer's mark shows what is no library.
        let (kind, rows) = charged(&[("main;parse;std::sort", 5), ("main;do_syscall_[k]", 2)]);
        assert_eq!(kind, CodeKind::Own);
        let names: Vec<&str> = rows.iter().map(|(name, _)| &name[..]).collect();
        assert_eq!(names, ["[not own]", "parse"]);
        let (kind, rows) = charged(&[("main;parse;std::sort", 5), ("main", 2)]);
        assert_eq!(kind, CodeKind::Unknown);
        assert_eq!(rows[1], ("parse".to_owned(), row(5, &[], &[("std::sort", 5)])));
        // Its root may be a thread.
        let (_, rows) = charged(&[("worker;std::sort", 5), ("worker;parse", 2)]);
        assert_eq!(rows[0], ("[not own]".to_owned(), row(5, &[], &[])));
        let (kind, _) = charged(&[("std::sort", 5)]);
        assert_eq!(kind, CodeKind::Library);
        let (kind, rows) = charged(&[("do_syscall_[k]", 5)]);
        assert_eq!(
            (kind, &rows[..]),
            (CodeKind::Own, &[("[not own]".to_owned(), row(5, &[], &[]))][..])
        );
    }

    #[test]
    fn a_text_has_the_heaviest_lines_and_calls() {
        let lines = [("src/a.c:7", 50), ("src/a.c:9", 20), ("src/b.h:3", 10), ("src/a.c:1", 9)];
        let calls = [("fdatasync", 47), ("std::sort", 9)];
        for (charged, expected) in [
            (
                row(100, &lines, &calls),
                "a.c:7 (25.00%), :9 (10.00%), b.h:3 (5.00%), calls fdatasync (23.50%)",
            ),
            (row(100, &lines[..1], &[]), "a.c:7 (25.00%)"),
            (row(100, &[], &calls), "calls fdatasync (23.50%)"),
            (row(100, &[], &[]), ""),
        ] {
            assert_eq!(charged.lines_and_calls(200, Room::default()), expected);
        }
    }
}
