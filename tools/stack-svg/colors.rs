//! Colours: by the kind of code unless told otherwise, and always the same for
//! the same name.

use std::collections::BTreeSet;

use clap::builder::{PossibleValuesParser, TypedValueParser};
use inferno::flamegraph::Palette;
use inferno::flamegraph::color::Color;

use crate::names::bare;

/// Our palette and, by its own names, those of inferno.
const NAMES: [&str; 17] = [
    KIND, "hot", "mem", "io", "red", "green", "blue", "aqua", "yellow", "purple", "orange",
    "wakeup", "java", "js", "perl", "python", "rust",
];

/// The palette of this file.
pub(crate) const KIND: &str = "kind";

/// How frames are coloured.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Colors {
    Kind,
    Inferno(Palette),
}

impl Colors {
    /// Takes the name of a palette.
    pub(crate) fn parser() -> impl TypedValueParser<Value = Colors> {
        PossibleValuesParser::new(NAMES).try_map(|name| {
            if name == KIND { Ok(Colors::Kind) } else { name.parse().map(Colors::Inferno) }
        })
    }
}

/// What code a frame is, as far as its name tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Kind {
    /// `main`, `__libc_start_main`: whatever has no better mark.
    Native,
    /// `Stdlib.List.map`, `camlStdlib__List__map_12`.
    Module,
    /// `alloc::vec::Vec::push`, `std::sort`.
    Path,
    /// `caml_alloc_shr`, `[GC]`: what a language does on its own account.
    Runtime,
    /// `do_syscall_64_[k]`.
    Kernel,
    /// `LazyCompile:~handler_[j]`.
    Jit,
    /// `[unknown]`, `[libc.so.6]`: no name was found.
    Nameless,
}

impl Kind {
    fn of(name: &[u8]) -> Kind {
        if name.ends_with(b"_[k]") {
            return Kind::Kernel;
        } else if name.ends_with(b"_[j]") {
            return Kind::Jit;
        }
        let name = bare(name);
        match name {
            b"[GC]" | b"[gc]" => Kind::Runtime,
            [] | [b'[', .., b']'] => Kind::Nameless,
            _ if name.starts_with(b"caml_") => Kind::Runtime,
            [b'c', b'a', b'm', b'l', b'A'..=b'Z', ..] => Kind::Module,
            _ if name.windows(2).any(|pair| pair == b"::") => Kind::Path,
            [b'A'..=b'Z', rest @ ..] if rest.contains(&b'.') => Kind::Module,
            _ => Kind::Native,
        }
    }

    /// As the legend says it: what the names have in common.
    fn word(self) -> &'static str {
        match self {
            Kind::Native => "native",
            Kind::Module => "Module.function",
            Kind::Path => "path::function",
            Kind::Runtime => "runtime",
            Kind::Kernel => "kernel",
            Kind::Jit => "JIT",
            Kind::Nameless => "no symbol",
        }
    }

    /// The two ends of the kind's shades, all light enough for black letters.
    fn shades(self) -> [[u8; 3]; 2] {
        match self {
            Kind::Native => [[186, 214, 242], [121, 164, 212]],
            Kind::Module => [[255, 220, 156], [242, 154, 72]],
            Kind::Path => [[250, 236, 164], [226, 192, 72]],
            Kind::Runtime => [[176, 226, 212], [96, 178, 162]],
            Kind::Kernel => [[222, 200, 238], [172, 138, 202]],
            Kind::Jit => [[208, 232, 168], [146, 190, 92]],
            Kind::Nameless => [[228, 228, 228], [190, 190, 190]],
        }
    }
}

/// The whole: no code, so no colour.
pub(crate) const WHOLE: Color = Color { r: 230, g: 230, b: 230 };

/// The hue says what kind of code it is, the shade sets neighbours apart; what
/// was inlined is paler.
pub(crate) fn of_kind(name: &[u8]) -> Color {
    let [light, dark] = Kind::of(name).shades();
    let depth = hash(bare(name));
    let inlined = name.ends_with(b"_[i]");
    let channel = |index: usize| {
        let (light, dark) = (u32::from(light[index]), u32::from(dark[index]));
        let shade = (light * (255 - depth) + dark * depth) / 255;
        (if inlined { (shade + 255) / 2 } else { shade }) as u8
    };
    Color { r: channel(0), g: channel(1), b: channel(2) }
}

/// The kinds of these names, each with its middle shade.
pub(crate) fn legend<'a>(
    names: impl Iterator<Item = &'a [u8]>,
) -> impl Iterator<Item = (Color, &'static str)> {
    let kinds: BTreeSet<Kind> = names.map(Kind::of).collect();
    kinds.into_iter().map(|kind| {
        let [light, dark] = kind.shades();
        let [r, g, b] = std::array::from_fn(|index| light[index].midpoint(dark[index]));
        (Color { r, g, b }, kind.word())
    })
}

/// FNV-1a, as it is the same on every machine and in every year, down to 0..=255.
fn hash(name: &[u8]) -> u32 {
    let hash = name
        .iter()
        .fold(0x811c_9dc5_u32, |hash, &byte| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193));
    (hash ^ hash >> 8 ^ hash >> 16 ^ hash >> 24) & 0xff
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_are_told_by_names() {
        let table: [(&str, Kind); 14] = [
            ("main", Kind::Native),
            ("operator new(unsigned long)", Kind::Native),
            ("finish_task_switch.isra.0", Kind::Native),
            ("Stdlib.List.map", Kind::Module),
            ("camlStdlib__List__map_12", Kind::Module),
            ("alloc::vec::Vec<T>::push", Kind::Path),
            ("<Foo.Bar as core::Clone>::clone_[i]", Kind::Path),
            ("caml_alloc_small_dispatch", Kind::Runtime),
            ("[GC]", Kind::Runtime),
            ("do_syscall_64_[k]", Kind::Kernel),
            ("caml_page_fault_[k]", Kind::Kernel),
            ("LazyCompile:~f app.js:1_[j]", Kind::Jit),
            ("[libc.so.6]", Kind::Nameless),
            ("", Kind::Nameless),
        ];
        for (name, kind) in table {
            assert_eq!(Kind::of(name.as_bytes()), kind, "{name}");
        }
    }

    #[test]
    fn shades_lie_between_the_ends() {
        for number in 0..1000 {
            let color = of_kind(format!("f{number}").as_bytes());
            let [light, dark] = Kind::Native.shades();
            assert!((dark[0]..=light[0]).contains(&color.r), "{number}: {color}");
        }
    }

    #[test]
    fn an_inlined_frame_is_a_paler_one_of_the_same_name() {
        let (plain, inlined) = (of_kind(b"std::sort"), of_kind(b"std::sort_[i]"));
        assert!(inlined.r > plain.r && inlined.g > plain.g && inlined.b > plain.b);
    }

    #[test]
    fn every_palette_is_known_to_inferno() {
        for name in NAMES.into_iter().filter(|&name| name != KIND) {
            assert!(name.parse::<Palette>().is_ok(), "{name}");
        }
    }
}
