//! Callgrind's format: <https://valgrind.org/docs/manual/cl-format.html>.
//!
//! A call graph: which function calls which, from which line, without the rest of the stack.

use std::io::{self, Write};

use common::names::{NAMELESS, unit_of_event};
use common::{io::Output, numbers::Unit};

use crate::calls::{Calls, FunctionId};
use crate::event::ExportedEvent;
use crate::functions::{Functions, NamedMarks};
use crate::profile::Profile;
use crate::target::{Target, Writer};

pub(super) const TARGET: Target = Target {
    has_places: true,
    is_text: false,
    ..Target::plain(
        "callgrind",
        "A call graph for KCachegrind and callgrind_annotate",
        Writer::OneEvent(write),
    )
};

/// The caller of the functions with which stacks begin. callgrind_annotate adds up what callers
/// spend on a function to get its total, so these functions need a caller, too.
const TOP: &str = "[all]";

/// What callgrind writes in place of a name that it does not know.
const UNKNOWN: &[u8] = b"???";

fn write(profile: &Profile, out: &mut Output) -> io::Result<()> {
    let event = profile.only_event();
    let functions = Functions::of(profile, NamedMarks::None);
    let graph = Calls::of(profile, event, &functions);
    writeln!(out, "# callgrind format\nversion: 1")?;
    writeln!(out, "creator: stack-export {}", env!("CARGO_PKG_VERSION"))?;
    if let Some(trust) = &profile.trust {
        writeln!(out, "desc: {trust}")?;
    }
    writeln!(out, "positions: line\nevents: {}", event_word(event))?;
    writeln!(out, "summary: {}\n", event.total)?;
    let mut names = Names::of(&functions);
    writeln!(out, "fl=(1) ???\nfn=(1) {TOP}")?;
    graph.roots.iter().try_for_each(|(&root, &weight)| names.call(root, 0, weight, 1, out))?;
    for &function in graph.functions.keys() {
        out.write_all(b"\nfl=")?;
        names.file(function, out)?;
        out.write_all(b"fn=")?;
        names.function(function, out)?;
        let mut lines = graph.lines_of(function);
        lines.try_for_each(|(line, weight)| writeln!(out, "{line} {weight}"))?;
        let file = names.files[function as usize];
        let mut calls = graph.of_caller(function);
        calls.try_for_each(|(callee, line, weight)| names.call(callee, line, weight, file, out))?;
    }
    Ok(())
}

/// The name of the event, with its unit where the name does not show it: `cpu-clock_(count)`.
/// Without spaces, which separate events.
fn event_word(event: &ExportedEvent) -> String {
    let label = event.label();
    let unit = match event.unit() {
        Unit::Time(1) => "ns",
        Unit::Time(1_000) => "us",
        Unit::Time(1_000_000) => "ms",
        Unit::Time(_) => "s",
        Unit::Bytes => "bytes",
        Unit::Things(unit) if unit == "samples" => "count",
        Unit::Things(_) | Unit::Unknown => "",
    };
    let of_name = Unit::named(&String::from_utf8_lossy(unit_of_event(label.as_bytes())));
    let is_told = unit.is_empty() || of_name == event.unit() || Unit::named(label) == event.unit();
    let word = label.replace(char::is_whitespace, "_");
    if is_told { word } else { format!("{word}_({unit})") }
}

/// Names of functions and files: each is written out once, then only its number.
struct Names<'a> {
    functions: &'a Functions<'a>,
    is_said: Vec<bool>,
    /// The number of the file of each function. Numbers start with 1, the unknown file.
    files: Vec<usize>,
    is_file_said: Vec<bool>,
}

impl<'a> Names<'a> {
    fn of(functions: &'a Functions<'a>) -> Names<'a> {
        let mut numbers = std::collections::HashMap::from([(&b""[..], 1)]);
        let files = functions.list.iter().map(|function| {
            let next = numbers.len() + 1;
            *numbers.entry(function.file).or_insert(next)
        });
        let files: Vec<usize> = files.collect();
        let mut is_file_said = vec![false; numbers.len() + 1];
        is_file_said[1] = true;
        Names { functions, is_said: vec![false; functions.list.len()], files, is_file_said }
    }

    /// `(7) main` the first time, then `(7)`. The number 1 is that of [`TOP`].
    fn function(&mut self, function: FunctionId, out: &mut Output) -> io::Result<()> {
        let place = function as usize;
        write!(out, "({})", place + 2)?;
        if !std::mem::replace(&mut self.is_said[place], true) {
            out.write_all(b" ")?;
            out.write_all(match &*self.functions.list[place].name {
                b"" => NAMELESS.as_bytes(),
                // Programs that read it skip spaces.
                name if name.trim_ascii().is_empty() => UNKNOWN,
                name => name,
            })?;
        }
        out.write_all(b"\n")
    }

    /// The file of a function, written in the same way.
    fn file(&mut self, function: FunctionId, out: &mut Output) -> io::Result<()> {
        let file = self.files[function as usize];
        write!(out, "({file})")?;
        if !std::mem::replace(&mut self.is_file_said[file], true) {
            out.write_all(b" ")?;
            out.write_all(self.functions.list[function as usize].file)?;
        }
        out.write_all(b"\n")
    }

    /// A call from a line of this file. How often a function was called is not known: at least
    /// once.
    fn call(
        &mut self,
        callee: FunctionId,
        line: u32,
        weight: u64,
        file: usize,
        out: &mut Output,
    ) -> io::Result<()> {
        if self.files[callee as usize] != file {
            out.write_all(b"cfi=")?;
            self.file(callee, out)?;
        }
        out.write_all(b"cfn=")?;
        self.function(callee, out)?;
        writeln!(out, "calls=1 0\n{line} {weight}")
    }
}
