//! The tables of a thread: each is a list of columns.

use std::collections::HashMap;

use common::stacks::FrameId;
use serde_json::{Value, json};

use crate::functions::{Functions, Site};
use crate::profile::Profile;

/// The tables for the stacks of a thread. Rows are in the order in which they were added.
pub(super) struct Tables<'a> {
    profile: &'a Profile,
    functions: &'a Functions<'a>,
    strings: Vec<String>,
    by_string: HashMap<String, usize>,
    /// The sites of the rows of the table of frames, with how deep they are inlined.
    frames: Vec<(Site, u32)>,
    by_frame: HashMap<(Site, u32), usize>,
    /// The functions of the rows of their table, by their index in the profile.
    rows_of_functions: Vec<u32>,
    by_function: HashMap<u32, usize>,
    /// The caller and the frame of each row.
    stacks: Vec<(Option<usize>, usize)>,
    by_stack: HashMap<(Option<usize>, usize), usize>,
    /// The rows of the stack that was added last, and its frames.
    open: Vec<usize>,
    last: &'a [FrameId],
}

/// The categories that marks of frames show, and their colours. The first is for all other frames.
pub(super) const CATEGORIES: [(&str, &str); 4] =
    [("Other", "grey"), ("Kernel", "orange"), ("Library", "lightblue"), ("JIT", "yellow")];

/// The index of the category of a function, by the marks of its name.
fn category(name: &[u8]) -> usize {
    let parts = common::names::FrameParts::of(name);
    let marks = [b'k', b'l', b'j'];
    marks.iter().position(|mark| parts.has_mark(*mark)).map_or(0, |place| place + 1)
}

impl<'a> Tables<'a> {
    pub(super) fn new(profile: &'a Profile, functions: &'a Functions<'a>) -> Tables<'a> {
        Tables {
            profile,
            functions,
            strings: Vec::new(),
            by_string: HashMap::new(),
            frames: Vec::new(),
            by_frame: HashMap::new(),
            rows_of_functions: Vec::new(),
            by_function: HashMap::new(),
            stacks: Vec::new(),
            by_stack: HashMap::new(),
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
            let frame = self.frame(site, depth);
            let key = (self.open.last().copied(), frame);
            let next = self.stacks.len();
            let row = *self.by_stack.entry(key).or_insert(next);
            if row == next {
                self.stacks.push(key);
            }
            self.open.push(row);
        }
        self.open.last().copied().unwrap_or_default()
    }

    fn frame(&mut self, site: Site, depth: u32) -> usize {
        let next = self.frames.len();
        let row = *self.by_frame.entry((site, depth)).or_insert(next);
        if row == next {
            self.frames.push((site, depth));
            let next = self.rows_of_functions.len();
            if *self.by_function.entry(site.function).or_insert(next) == next {
                self.rows_of_functions.push(site.function);
            }
        }
        row
    }

    fn string(&mut self, text: &str) -> usize {
        if let Some(&place) = self.by_string.get(text) {
            return place;
        }
        self.strings.push(text.to_owned());
        self.by_string.insert(text.to_owned(), self.strings.len() - 1);
        self.strings.len() - 1
    }

    /// All tables, by their names.
    pub(super) fn into_json(mut self) -> [(&'static str, Value); 4] {
        let (mut names, mut files, mut categories) = (Vec::new(), Vec::new(), HashMap::new());
        for number in std::mem::take(&mut self.rows_of_functions) {
            let function = &self.functions.list()[number as usize];
            names.push(self.string(&function.text()));
            let has_file = !function.file.is_empty();
            files.push(has_file.then(|| self.string(&function.file_text())));
            categories.insert(number, category(&function.name));
        }
        [
            ("frameTable", self.frame_table(&categories)),
            ("funcTable", function_table(&names, &files)),
            ("stackTable", self.stack_table()),
            ("stringArray", self.strings.into()),
        ]
    }

    fn frame_table(&self, categories: &HashMap<u32, usize>) -> Value {
        let column = |of: &dyn Fn(&(Site, u32)) -> Value| -> Value {
            self.frames.iter().map(of).collect::<Vec<Value>>().into()
        };
        let known = |number: u32| if number > 0 { json!(number) } else { Value::Null };
        json!({
            "length": self.frames.len(),
            "address": column(&|_| json!(-1)),
            "inlineDepth": column(&|(_, depth)| json!(depth)),
            "category": column(&|(site, _)| json!(categories[&site.function])),
            "subcategory": column(&|_| json!(0)),
            "func": column(&|(site, _)| json!(self.by_function[&site.function])),
            "nativeSymbol": column(&|_| Value::Null),
            "innerWindowID": column(&|_| json!(0)),
            "line": column(&|(site, _)| known(site.line)),
            "column": column(&|(site, _)| known(site.column)),
        })
    }

    fn stack_table(&self) -> Value {
        json!({
            "length": self.stacks.len(),
            "prefix": self.stacks.iter().map(|(caller, _)| *caller).collect::<Vec<_>>(),
            "frame": self.stacks.iter().map(|(_, frame)| *frame).collect::<Vec<_>>(),
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
