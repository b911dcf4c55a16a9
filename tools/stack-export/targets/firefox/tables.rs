//! The tables of a thread: each is a list of columns.

use std::collections::HashMap;
use std::hash::Hash;

use common::stacks::FrameId;
use serde_json::{Value, json};

use crate::functions::{Functions, Site};
use crate::profile::Profile;

/// The tables for the stacks of a thread. Rows are in the order in which they were added.
pub(super) struct Tables<'a> {
    profile: &'a Profile,
    functions: &'a Functions<'a>,
    strings: Rows<String>,
    /// The sites of frames, with how deep they are inlined.
    frames: Rows<(Site<'a>, u32)>,
    /// Functions, by their index in the profile.
    rows_of_functions: Rows<u32>,
    /// Callers and frames.
    stacks: Rows<(Option<usize>, usize)>,
    /// The rows of the stack that was added last, and its frames.
    open: Vec<usize>,
    last: &'a [FrameId],
}

/// The rows of a table, each once.
struct Rows<T> {
    list: Vec<T>,
    numbers: HashMap<T, usize>,
}

impl<T: Clone + Eq + Hash> Rows<T> {
    fn new() -> Rows<T> {
        Rows { list: Vec::new(), numbers: HashMap::new() }
    }

    /// The index of a row, which is added if it is new.
    fn add(&mut self, row: T) -> usize {
        let next = self.list.len();
        let number = *self.numbers.entry(row.clone()).or_insert(next);
        if number == next {
            self.list.push(row);
        }
        number
    }
}

/// The marks that have a category, its name and its colour. The first is for all other frames.
pub(super) const CATEGORIES: [(u8, &str, &str); 6] = [
    (0, "Other", "grey"),
    (b'k', "Kernel", "orange"),
    (b'l', "Library", "lightblue"),
    (b'j', "JIT", "yellow"),
    (b'o', "Own", "green"),
    (b'w', "Waker", "purple"),
];

/// The index of the category of a frame, by its marks.
fn category(marks: &[u8]) -> usize {
    let parts = common::names::FrameParts::of(marks);
    CATEGORIES.iter().position(|(letter, ..)| parts.has_mark(*letter)).unwrap_or(0)
}

impl<'a> Tables<'a> {
    pub(super) fn new(profile: &'a Profile, functions: &'a Functions<'a>) -> Tables<'a> {
        Tables {
            profile,
            functions,
            strings: Rows::new(),
            frames: Rows::new(),
            rows_of_functions: Rows::new(),
            stacks: Rows::new(),
            open: Vec::new(),
            last: &[],
        }
    }

    /// The row of a stack, root first.
    pub(super) fn stack(&mut self, frames: &'a [FrameId]) -> usize {
        let shared = common::stacks::shared_prefix(self.last, frames);
        self.last = frames;
        self.open.truncate(shared);
        let mut depth = 0;
        for (place, &frame) in frames.iter().enumerate() {
            let site = self.functions.site(self.profile, frame);
            depth = if site.is_inlined { depth + 1 } else { 0 };
            if place < shared {
                continue;
            }
            let next = self.frames.list.len();
            let frame = self.frames.add((site, depth));
            if frame == next {
                self.rows_of_functions.add(site.function);
            }
            self.open.push(self.stacks.add((self.open.last().copied(), frame)));
        }
        self.open.last().copied().unwrap_or_default()
    }

    /// All tables, by their names.
    pub(super) fn into_json(mut self) -> [(&'static str, Value); 4] {
        let (mut names, mut files) = (Vec::new(), Vec::new());
        for number in std::mem::take(&mut self.rows_of_functions.list) {
            let function = &self.functions.list[number as usize];
            names.push(self.strings.add(function.text().into_owned()));
            let has_file = !function.file.is_empty();
            files.push(has_file.then(|| self.strings.add(function.file_text().into_owned())));
        }
        let mut mark = |(site, _): &(Site<'_>, u32)| match site.marks {
            b"" => Value::Null,
            marks => json!(self.strings.add(common::names::utf8(marks).into_owned())),
        };
        let marks: Vec<Value> = self.frames.list.iter().map(&mut mark).collect();
        [
            ("frameTable", self.frame_table(&marks)),
            ("funcTable", function_table(&names, &files)),
            ("stackTable", self.stack_table()),
            ("stringArray", self.strings.list.into()),
        ]
    }

    /// The column `marks` is one that stack-parse reads, and viewers do not.
    fn frame_table(&self, marks: &[Value]) -> Value {
        let column = |of: &dyn Fn(&(Site<'_>, u32)) -> Value| -> Value {
            self.frames.list.iter().map(of).collect::<Vec<Value>>().into()
        };
        let known = |number: u32| if number > 0 { json!(number) } else { Value::Null };
        json!({
            "length": self.frames.list.len(),
            "address": column(&|_| json!(-1)),
            "inlineDepth": column(&|(_, depth)| json!(depth)),
            "category": column(&|(site, _)| json!(category(site.marks))),
            "subcategory": column(&|_| json!(0)),
            "func": column(&|(site, _)| json!(self.rows_of_functions.numbers[&site.function])),
            "nativeSymbol": column(&|_| Value::Null),
            "innerWindowID": column(&|_| json!(0)),
            "line": column(&|(site, _)| known(site.line)),
            "column": column(&|(site, _)| known(site.column)),
            "marks": marks,
        })
    }

    fn stack_table(&self) -> Value {
        json!({
            "length": self.stacks.list.len(),
            "prefix": self.stacks.list.iter().map(|(caller, _)| *caller).collect::<Vec<_>>(),
            "frame": self.stacks.list.iter().map(|(_, frame)| *frame).collect::<Vec<_>>(),
        })
    }
}

fn function_table(names: &[usize], files: &[Option<usize>]) -> Value {
    let none = vec![Value::Null; names.len()];
    let no = vec![false; names.len()];
    json!({
        "length": names.len(),
        "name": names,
        "isJS": no,
        "relevantForJS": no,
        "resource": vec![-1; names.len()],
        "fileName": files,
        "lineNumber": none,
        "columnNumber": none,
    })
}
