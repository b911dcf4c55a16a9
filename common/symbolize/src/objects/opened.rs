//! An executable that was found, and what is read from it when it is first needed.

use super::elf::Elf;
use super::exact_names::ExactNames;
use super::inlines::{FileLine, Inlined, Inlines};
use super::location::{Addressing, Detail};
use super::named::Names;
use super::no_symbols::NoSymbols;
use super::program::Program;
use super::search::{Found, is_same_build};
use super::split_dwarf::{MissingSplit, SplitDwarf};
use super::symbol_table::{Function, SymbolTable};
use crate::executable::is_ocaml;

/// An executable and what is known of its code so far.
#[derive(Debug)]
pub(super) struct Opened {
    program: Program,
    is_at_path: bool,
    addressing: Addressing,
    split: SplitDwarf,
    /// Whether functions of OCaml get their names from its frame tables.
    wants_exact_names: bool,
    symbols: Option<SymbolTable>,
    /// `None` until it is looked for, `Some(None)` if there is no debug information.
    inlines: Option<Option<Inlines>>,
    /// `None` until they are looked for, `Some(None)` if this is not an executable of OCaml.
    exact_names: Option<Option<ExactNames>>,
}

impl Opened {
    pub(super) fn new(
        found: Found,
        addressing: Addressing,
        split: SplitDwarf,
        wants_exact_names: bool,
    ) -> Opened {
        let Found { program, is_at_path } = found;
        Opened {
            program,
            is_at_path,
            addressing,
            split,
            wants_exact_names,
            symbols: None,
            inlines: None,
            exact_names: None,
        }
    }

    /// Whether it is the file at the path that was recorded.
    pub(super) fn is_at_path(&self) -> bool {
        self.is_at_path
    }

    /// Whether it has the recorded build-id.
    pub(super) fn is_of_build(&self, recorded: &[u8]) -> bool {
        is_same_build(recorded, self.program.build_id())
    }

    /// Whether it has the runtime of OCaml; known after names were asked for.
    pub(super) fn is_of_ocaml(&self) -> bool {
        self.symbols.as_ref().is_some_and(SymbolTable::is_of_ocaml)
    }

    /// The executable, unless it is one of macOS.
    pub(super) fn elf(&self) -> Option<&Elf> {
        match &self.program {
            Program::Elf(elf) => Some(elf),
            Program::MachO(_) => None,
        }
    }

    /// The function at an address, as the file has it.
    pub(super) fn function(&mut self, address: u64) -> Option<Function> {
        self.symbols.get_or_insert_with(|| self.program.symbols()).function(address)
    }

    /// Why it has no names; known after names were asked for.
    pub(super) fn why(&self) -> Option<NoSymbols> {
        if !self.symbols.as_ref().is_some_and(|symbols| symbols.is_stripped) {
            return None;
        }
        let build_id = self.program.build_id().map(Box::from);
        let other = self.elf().and_then(|elf| elf.other_debug.clone());
        Some(match (&self.program, other) {
            (Program::MachO(_), _) => NoSymbols::NoDsym(build_id),
            (Program::Elf(_), Some(file)) => NoSymbols::OtherDebugFile { build_id, file },
            (Program::Elf(_), None) => NoSymbols::Stripped(build_id),
        })
    }

    /// The files with split debug information that were not found.
    pub(super) fn missing_split(&self) -> Option<MissingSplit> {
        self.split.missing()
    }

    /// Adds the functions at an address, which counts from where `addressing` says, innermost
    /// first.
    pub(super) fn names(&mut self, address: u64, detail: Detail, names: &mut Names) {
        let Some(address) = self.program.address_at(address, self.addressing) else {
            return names.push(b"", b"", false);
        };
        let symbols = self.symbols.get_or_insert_with(|| self.program.symbols());
        let symbol = symbols.name(address).unwrap_or_default();
        let mut source = Vec::new();
        let mut push = |name: &[u8], line: &FileLine<'_>, inlined: bool| {
            if inlined && !detail.inlines {
                return;
            }
            source.clear();
            if detail.lines {
                line.write(&mut source);
            }
            names.push(name, &source, inlined);
        };
        if self.wants_exact_names && is_ocaml(&symbol) {
            let read = || ExactNames::new(self.program.bytes());
            let exact = self.exact_names.get_or_insert_with(read);
            if exact.as_ref().is_some_and(|exact| exact.frames(address, &mut push)) {
                return;
            }
        }
        let mut line = FileLine::default();
        if detail.inlines || detail.lines {
            let read = || self.program.inlines();
            if let Some(inlines) = self.inlines.get_or_insert_with(read) {
                let mut each = |it: Inlined<'_>| push(it.name, &it.line, true);
                line = inlines.frames(address, &self.split, &mut each);
            }
        }
        push(&symbol, &line, false);
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::ffi::OsStrExt;
    use std::path::Path;

    use ::object::read::elf::ElfFile64;
    use ::object::{LittleEndian, Object as _, ObjectSymbol as _};

    use super::super::testing::{Library, read, test_data};
    use super::super::{Location, MappedObject, Objects, Options};
    use super::*;

    /// The functions at `distance` bytes after the address of `symbol`: `name (line)`, with a mark
    /// if they are inlined.
    fn names(file: &Path, options: Options, detail: Detail, symbol: &str, distance: u64) -> String {
        let bytes = read(file);
        let library = ElfFile64::<LittleEndian>::parse(bytes).expect("a library");
        let mut symbols = library.symbols();
        let found = symbols.find(|found| found.name() == Ok(symbol)).expect("a function");
        let elf = Elf::parse(bytes).expect("a library");
        let is_there = |&offset: &u64| elf.address_at(offset) == Some(found.address() + distance);
        let offset = (0..bytes.len() as u64).find(is_there);
        let mut objects = Objects::new(options);
        let path = file.as_os_str().as_bytes();
        let id = objects.intern(&MappedObject { path, pid: Some(1), ..MappedObject::default() });
        let location = Location { object: id, address: offset.expect("it is loaded") };
        let resolved = objects.resolve(&[location], detail, 1);
        let frames = resolved.frames(0).map(|frame| {
            let mark = if frame.inlined { "_[i]" } else { "" };
            format!("{} ({}){mark}", frame.name.escape_ascii(), frame.source.escape_ascii())
        });
        frames.collect::<Vec<_>>().join(" < ")
    }

    #[test]
    fn inlined_functions_come_before_the_symbol() {
        // The debug information that it shares with another library is in a file beside it.
        let library = test_data("dwz");
        let names = |inlines, lines| {
            names(&library, Options::default(), Detail { inlines, lines }, "_Z5plaind", 0)
        };
        assert_eq!(names(false, false), "_Z5plaind ()");
        assert_eq!(names(true, false), "twice ()_[i] < _Z5plaind ()");
        assert_eq!(names(true, true), "twice (./inlines.cc:21)_[i] < _Z5plaind (./inlines.cc:33)");
        assert_eq!(names(false, true), "_Z5plaind (./inlines.cc:33)");
    }

    #[test]
    fn ocaml_has_its_own_inlined_functions() {
        let sources = ["frames.s", "frames.c"].map(test_data);
        let sources = sources.each_ref().map(|path| path.to_str().expect("UTF-8"));
        let library = Library::new("", &[]);
        library.run("cc", &[&["-g", "-o", "frames"], &sources[..]].concat());
        let names = |exact_names, inlines| {
            let options = Options { exact_names, ..Options::default() };
            let detail = Detail { inlines, lines: true };
            // Within the call of leaf, which is 5 bytes long.
            names(&library.path("frames"), options, detail, "camlFoo.run_12", 4)
        };
        assert_eq!(names(false, true), format!("camlFoo.run_12 ({}:13)", sources[0]));
        let inlined = "Foo.Bar.(>>=) (lib/bar.ml:7)_[i] < ";
        assert_eq!(names(true, true), format!("{inlined}Foo.Make.run (foo.ml:1000)"));
        assert_eq!(names(true, false), "Foo.Make.run (foo.ml:1000)");
    }

    /// A library whose function `f` has as many functions inlined into each other, as DWARF 4.
    fn nested(depth: usize) -> Library {
        let (entries, ends) = (depth, depth + 2);
        // Each has children, a name, and where its code begins and how long it is.
        let tag = |tag: u8| format!("{tag}, 1, 3, 8, 17, 1, 18, 7, 0, 0\n");
        let range = ".quad f, 8\n";
        let source = format!(
            ".text\n.globl f\n.type f, @function\nf:\n.skip 8\n.size f, 8\n\
             .section .debug_abbrev\n.byte 1, {unit}.byte 2, {function}.byte 3, {inlined}.byte 0\n\
             .section .debug_info\n.long 1f - 0f\n0:\n.short 4\n.long 0\n.byte 8\n\
             .byte 1\n.asciz \"u.c\"\n{range}.byte 2\n.asciz \"f\"\n{range}\
             .rept {entries}\n.byte 3\n.asciz \"g\"\n{range}.endr\n.skip {ends}\n1:\n",
            unit = tag(0x11),
            function = tag(0x2e),
            inlined = tag(0x1d),
        );
        Library::new(&source, &[])
    }

    #[test]
    fn functions_inlined_deeper_than_the_stack_are_left_out() {
        let detail = Detail { inlines: true, lines: true };
        for (depth, inlined) in [(0, 0), (3, 3), (200, 200), (16_000, 0), (200_000, 0)] {
            let library = nested(depth);
            let names = names(&library.path("lib.so"), Options::default(), detail, "f", 4);
            assert_eq!(names, "g ()_[i] < ".repeat(inlined) + "f ()", "{depth}");
        }
    }
}
