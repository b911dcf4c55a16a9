//! An executable that was found, and what is read from it when it is first needed.

use super::Detail;
use super::elf::Elf;
use super::exact_names::ExactNames;
use super::inlines::{Inlines, Place};
use super::resolved::Names;
use super::symbols::SymbolTable;

/// An executable and what is known of its code so far.
#[derive(Debug)]
pub(super) struct Opened {
    pub(super) elf: Elf,
    /// Whether functions of OCaml have the names that its frame tables give them.
    wants_exact_names: bool,
    symbols: Option<SymbolTable>,
    /// Inner `None`: there is no debug information.
    inlines: Option<Option<Inlines>>,
    /// Inner `None`: it is no executable of OCaml.
    exact_names: Option<Option<ExactNames>>,
}

impl Opened {
    pub(super) fn new(elf: Elf, wants_exact_names: bool) -> Opened {
        Opened { elf, wants_exact_names, symbols: None, inlines: None, exact_names: None }
    }

    /// Whether names were asked for, and it has none but those that it exports.
    pub(super) fn is_stripped(&self) -> bool {
        self.symbols.as_ref().is_some_and(SymbolTable::is_stripped)
    }

    /// Adds the functions at an offset in the file, innermost first.
    pub(super) fn names(&mut self, offset: u64, detail: Detail, names: &mut Names) {
        let Some(address) = self.elf.address_at(offset) else {
            return names.push(b"", b"", false);
        };
        let symbols = self.symbols.get_or_insert_with(|| self.elf.symbols());
        let symbol = symbols.name(address).unwrap_or_default();
        let mut source = Vec::new();
        let mut push = |name: &[u8], place: &Place<'_>, inlined: bool| {
            if inlined && !detail.inlines {
                return;
            }
            source.clear();
            if detail.lines {
                place.write(&mut source);
            }
            names.push(name, &source, inlined);
        };
        if self.wants_exact_names && is_ocaml(&symbol) {
            let read = || ExactNames::new(self.elf.bytes);
            let exact = self.exact_names.get_or_insert_with(read);
            if exact.as_ref().is_some_and(|exact| exact.frames(address, &mut push)) {
                return;
            }
        }
        let mut place = Place::default();
        if detail.inlines || detail.lines {
            let read = || Inlines::new(self.elf.bytes, self.elf.debug, self.elf.shared);
            if let Some(inlines) = self.inlines.get_or_insert_with(read) {
                place = inlines.frames(address, &mut |it| push(it.name, &it.place, true));
            }
        }
        push(&symbol, &place, false);
    }
}

/// Whether this is a symbol of OCaml code; the runtime's own go on in lower case:
/// `caml_alloc`.
fn is_ocaml(symbol: &[u8]) -> bool {
    let unit = symbol.strip_prefix(b"caml").and_then(<[u8]>::first);
    unit.is_some_and(u8::is_ascii_uppercase)
}

#[cfg(test)]
mod tests {
    use std::os::unix::ffi::OsStrExt;
    use std::path::{Path, PathBuf};

    use ::object::read::elf::ElfFile64;
    use ::object::{LittleEndian, Object as _, ObjectSymbol as _};

    use super::super::testing::{Library, read};
    use super::super::{Location, Objects, SymbolizeArgs, Wanted};
    use super::*;

    /// The functions at the address of `symbol` and so many bytes behind it: `name
    /// (place)`, with a mark if they are inlined.
    fn names(
        file: &Path,
        args: &SymbolizeArgs,
        detail: Detail,
        symbol: &str,
        distance: u64,
    ) -> String {
        let bytes = read(file);
        let library = ElfFile64::<LittleEndian>::parse(bytes).expect("a library");
        let mut symbols = library.symbols();
        let found = symbols.find(|found| found.name() == Ok(symbol)).expect("a function");
        let elf = Elf::parse(bytes).expect("a library");
        let is_there = |&offset: &u64| elf.address_at(offset) == Some(found.address() + distance);
        let offset = (0..bytes.len() as u64).find(is_there);
        let mut objects = Objects::new(args);
        let path = file.as_os_str().as_bytes();
        let id = objects.intern(&Wanted { path, pid: Some(1), ..Wanted::default() });
        let location = Location { object: id, address: offset.expect("it is loaded") };
        let resolved = objects.resolve(&[location], detail, 1);
        let frames = resolved.frames(0).map(|frame| {
            let mark = if frame.inlined { "_[i]" } else { "" };
            format!("{} ({}){mark}", frame.name.escape_ascii(), frame.source.escape_ascii())
        });
        frames.collect::<Vec<_>>().join(" < ")
    }

    fn tests_file(name: &str) -> PathBuf {
        Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/tests")).join(name)
    }

    #[test]
    fn inlined_functions_stand_before_the_symbol() {
        // What it shares with another library is in a file beside it.
        let library = tests_file("inlines/dwz");
        let args = SymbolizeArgs::default();
        let names =
            |inlines, lines| names(&library, &args, Detail { inlines, lines }, "_Z5plaind", 0);
        assert_eq!(names(false, false), "_Z5plaind ()");
        assert_eq!(names(true, false), "twice ()_[i] < _Z5plaind ()");
        assert_eq!(names(true, true), "twice (inlines.cc:21)_[i] < _Z5plaind (inlines.cc:33)");
        assert_eq!(names(false, true), "_Z5plaind (inlines.cc:33)");
    }

    #[test]
    fn ocaml_has_its_own_inlined_functions() {
        let sources = ["ocaml/frames.s", "ocaml/frames.c"].map(tests_file);
        let sources = sources.each_ref().map(|path| path.to_str().expect("UTF-8"));
        let library = Library::new("", &[]);
        library.run("cc", &[&["-g", "-o", "frames"], &sources[..]].concat());
        let names = |exact_names, inlines| {
            let args = SymbolizeArgs { exact_names, ..SymbolizeArgs::default() };
            let detail = Detail { inlines, lines: true };
            // Within the call of leaf, which is 5 bytes long.
            names(&library.path("frames"), &args, detail, "camlFoo.run_12", 4)
        };
        assert_eq!(names(false, true), "camlFoo.run_12 (frames.s:13)");
        let inlined = "Foo.Bar.(>>=) (bar.ml:7)_[i] < ";
        assert_eq!(names(true, true), format!("{inlined}Foo.Make.run (foo.ml:1000)"));
        assert_eq!(names(true, false), "Foo.Make.run (foo.ml:1000)");
    }
}
