//! The readable name of a frame.

use std::borrow::Cow;

use clap::Args;
use common::folded::clean_frame_in_place;
use common::names::ocaml::{self, Stamps};
use common::names::{cpp, haskell, normalize, rust, short_cpp, short_others, short_rust};

use crate::brackets;
use crate::exact::Functions;
use crate::frame::{Frame, split_module};
use crate::stamps::StampsArg;

/// Options: which names are demangled, and how much of them is kept.
#[derive(Args, Clone, Debug)]
pub(crate) struct NameArgs {
    /// Demangle OCaml, and no other language unless its option is given
    #[arg(long)]
    ocaml: bool,

    /// Demangle Rust, and no other language unless its option is given
    #[arg(long)]
    rust: bool,

    /// Demangle C++, and no other language unless its option is given
    #[arg(long)]
    cpp: bool,

    /// Demangle Haskell, and no other language unless its option is given
    #[arg(long)]
    haskell: bool,

    /// What to do with the numbers that the OCaml compiler appends to names
    #[arg(long, value_enum, default_value = "anonymous")]
    pub(crate) stamps: StampsArg,

    /// Keep what is left out of the names of C++, Rust and Go otherwise: default arguments of
    /// templates, return types, inline namespaces, paths of the standard library
    #[arg(long)]
    full_names: bool,

    /// Drop arguments and return types of functions
    #[arg(long)]
    no_args: bool,

    /// Drop template and generic arguments
    #[arg(long)]
    no_templates: bool,

    /// Drop what differs between builds or runs: suffixes of clones, numbers of
    /// Java lambdas, hashes of Rust, tiers of V8
    #[arg(long)]
    normalize: bool,
}

/// The language of a mangled name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Language {
    Ocaml,
    Rust,
    Cpp,
    Haskell,
}

impl NameArgs {
    /// Appends the readable name of `frame` to `out`, and its line if `functions`
    /// have lines. A symbol that `functions` do not have is demangled.
    pub(crate) fn rename(
        &self,
        frame: &[u8],
        functions: &Functions,
        stamps: Stamps,
        out: &mut Vec<u8>,
    ) {
        let Frame { name, tail, has_place } = Frame::split(frame);
        let mut demangled = Vec::new();
        let language = self.demangle_in_module(name, functions, stamps, &mut demangled);
        let mut text = match language {
            Some(_) => Cow::Owned(demangled),
            None => Cow::Borrowed(name),
        };
        if !self.full_names && language != Some(Language::Ocaml) {
            self.shorten(&mut text);
        }
        if self.no_templates {
            text = brackets::without_templates(&text).into();
        }
        if self.no_args {
            text = brackets::without_arguments(&text).into();
        }
        // OCaml makes no clones: `Foo.cold` is a function with this name.
        if self.normalize && language != Some(Language::Ocaml) {
            normalize(text.to_mut());
        }
        // `::<a>` without its arguments is empty, so it stays as it is.
        out.extend_from_slice(if text.is_empty() { name } else { &text });
        if let Some(source) = functions.line_of(name).filter(|_| !has_place) {
            out.extend_from_slice(&[b" (", &source.to_bytes()[..], b")"].concat());
        }
        out.extend_from_slice(tail);
    }

    /// Makes a name of C++ or Rust, demangled by us or before, what people say.
    fn shorten(&self, text: &mut Cow<'_, [u8]>) {
        type Short = fn(&[u8]) -> Option<Vec<u8>>;
        let module = split_module(text).map_or(0, |(module, _)| module.len());
        let all = self.is_for_all();
        for (is_wanted, short) in [
            (all || self.cpp, short_cpp as Short),
            (all || self.rust, short_rust),
            (all, short_others),
        ] {
            if is_wanted && let Some(short) = short(&text[module..]) {
                text.to_mut().splice(module.., short);
            }
        }
    }

    /// Whether no language is named.
    fn is_for_all(&self) -> bool {
        !(self.ocaml || self.rust || self.cpp || self.haskell)
    }

    /// [`NameArgs::demangle`] for a name that may start with its module, as in
    /// ``libfoo.so`_ZN5space3fooEii``.
    fn demangle_in_module(
        &self,
        name: &[u8],
        functions: &Functions,
        stamps: Stamps,
        out: &mut Vec<u8>,
    ) -> Option<Language> {
        if let Some(language) = self.demangle(name, functions, stamps, out) {
            return Some(language);
        }
        let (module, symbol) = split_module(name)?;
        out.extend_from_slice(module);
        let language = self.demangle(symbol, functions, stamps, out);
        if language.is_none() {
            out.clear();
        }
        language
    }

    /// Appends the readable form of `symbol`, which is the exact name if
    /// `functions` have it, and returns its language. Leaves `out` as it was if
    /// the symbol is not mangled.
    ///
    /// Rust comes before C++, whose demanglers also accept Rust's old names and
    /// make them `core::ops::function::FnOnce::call_once::h0123456789abcdef`.
    fn demangle(
        &self,
        symbol: &[u8],
        functions: &Functions,
        stamps: Stamps,
        out: &mut Vec<u8>,
    ) -> Option<Language> {
        let all = self.is_for_all();
        if (all || self.ocaml)
            && let Some(name) = functions.get(symbol).and_then(|it| it.ocaml.as_ref())
        {
            functions.tally(symbol);
            out.extend_from_slice(&name.with(stamps));
            return Some(Language::Ocaml);
        }
        let (known, language) = if rust::is_rust(symbol) {
            ((all || self.rust) && rust::demangle(symbol, out), Language::Rust)
        } else if (all || self.ocaml) && demangle_ocaml(symbol, stamps, out) {
            // Names of backtraces, which do not end in a digit, are not symbols.
            if symbol.last().is_some_and(u8::is_ascii_digit) {
                functions.tally(symbol);
            }
            (true, Language::Ocaml)
        } else if (all || self.cpp) && cpp::demangle(symbol, out) {
            (true, Language::Cpp)
        } else {
            ((all || self.haskell) && haskell::demangle(symbol, out), Language::Haskell)
        };
        known.then_some(language)
    }
}

/// Appends the readable form of a symbol of OCaml, as a frame can hold it: the options that look
/// for brackets then see the name as it is written.
fn demangle_ocaml(symbol: &[u8], stamps: Stamps, out: &mut Vec<u8>) -> bool {
    let start = out.len();
    let is_ocaml = ocaml::demangle_into(symbol, stamps, out);
    clean_frame_in_place(&mut out[start..]);
    is_ocaml
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;

    #[derive(Parser)]
    struct Command {
        #[command(flatten)]
        names: NameArgs,
    }

    fn renamed(options: &str, frame: &str) -> String {
        let words = ["stack-demangle"].into_iter().chain(options.split_whitespace());
        let mut out = Vec::new();
        let names = Command::parse_from(words).names;
        let stamps = names.stamps.for_each_name().expect("not auto");
        names.rename(frame.as_bytes(), &Functions::default(), stamps, &mut out);
        String::from_utf8(out).expect("UTF-8")
    }

    const OCAML: &str = "camlStdlib__List__map_342";
    const RUST: &str = "_ZN4core3ops8function6FnOnce9call_once17h0123456789abcdefE";
    const V0: &str = "_RNvC6_123foo3bar";
    const CPP: &str = "_ZN5space3fooEii";

    #[test]
    fn every_language_is_demangled_unless_some_are_named() {
        let readable = [
            "Stdlib.List.map",
            "core::ops::function::FnOnce::call_once",
            "123foo::bar",
            "space::foo(int, int)",
        ];
        for (options, known) in [
            ("", [true, true, true, true]),
            ("--ocaml", [true, false, false, false]),
            ("--rust", [false, true, true, false]),
            ("--cpp", [false, false, false, true]),
            ("--cpp --ocaml", [true, false, false, true]),
        ] {
            for ((symbol, readable), known) in
                [OCAML, RUST, V0, CPP].into_iter().zip(readable).zip(known)
            {
                let expected = if known { readable } else { symbol };
                assert_eq!(renamed(options, symbol), expected, "{options}");
            }
        }
    }

    #[test]
    fn what_surrounds_a_symbol_is_kept() {
        for (frame, name) in [
            ("_ZN5space3fooEii_[k]", "space::foo(int, int)_[k]"),
            ("_ZN5space3fooEii+0x1f", "space::foo(int, int)+0x1f"),
            ("_ZN5space3fooEii@plt+0x1f_[i]", "space::foo(int, int)@plt+0x1f_[i]"),
            ("_ZNSt8ios_base4InitC1Ev@@GLIBCXX_3.4", "std::ios_base::Init::Init()@@GLIBCXX_3.4"),
            ("camlFoo__bar_12_[j]", "Foo.bar_[j]"),
            ("camlFoo__bar_12@plt", "Foo.bar@plt"),
            ("Foo.bar_12_[i]", "Foo.bar_[i]"),
            ("_ZN5space3fooEii (demo.c:14)_[i]", "space::foo(int, int) (demo.c:14)_[i]"),
            ("Dune__exe__Alloc.deep (app/alloc.ml:12)", "Alloc.deep (app/alloc.ml:12)"),
            ("libfoo.so`_ZN5space3fooEii", "libfoo.so`space::foo(int, int)"),
            ("my app`camlFoo__bar_12+0x8", "my app`Foo.bar+0x8"),
            ("demo.exe!_RNvC6_123foo3bar", "demo.exe!123foo::bar"),
            ("/usr/lib/libfoo.so!_ZN5space3fooEii", "/usr/lib/libfoo.so!space::foo(int, int)"),
        ] {
            assert_eq!(renamed("", frame), name);
        }
    }

    #[test]
    fn names_that_are_not_mangled_stay() {
        for frame in [
            "",
            "main",
            "_[k]",
            "+0x12",
            "@plt",
            "`",
            "!",
            "a!b",
            "_Z",
            "_R",
            "_Read",
            "_ZN",
            "ZN",
            "__libc_start_main@@GLIBC_2.34",
            "caml_apply2",
            "[libc.so.6]",
            "(anonymous namespace)::f(int)",
            "Stdlib.(@)",
            "Stdlib.(!)",
            "<A as B>::f",
            "_ZN3fooE?",
            "?x@@3HA",
            "$s4main3fooyyF",
        ] {
            assert_eq!(renamed("", frame), frame);
        }
    }

    #[test]
    fn options_work_together() {
        let all = "--no-args --no-templates --normalize";
        for (frame, name) in [
            ("_Z3fooIiEvT_.isra.0.cold", "foo"),
            ("_ZNKSt8functionIFviEEclEi", "std::function::operator()"),
            ("void foo<int>(int) [clone .cold]_[i]", "foo_[i]"),
            ("mod`_ZN5space3fooEii", "mod`space::foo"),
            ("camlFoo__cold_12", "Foo.cold"),
            ("Foo.cold_12", "Foo.cold"),
            // The operator `.%(;..)`, and one that no program has, which becomes `.::<>`.
            ("camlFoo__$2e$25$28$3b$2e$2e$29_12", "Foo.(.%(:..))"),
            ("camlFoo__$2e$3b$3b$3c$3e_12", "Foo.(.)"),
        ] {
            assert_eq!(renamed(all, frame), name);
        }
    }
}
