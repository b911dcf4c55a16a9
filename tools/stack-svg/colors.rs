//! Colours: by the kind of code unless told otherwise, and always the same for
//! the same name.

use std::collections::BTreeSet;
use std::io;

use clap::builder::{PossibleValuesParser, TypedValueParser};
use common::{FrameId, FrameTable, module};
use inferno::flamegraph::color::{Color, PaletteMap};
use inferno::flamegraph::{self, Options, Palette};

use crate::escape::{bare, parseable};

/// Our palettes and, by their own names, those of inferno.
const NAMES: [&str; 18] = [
    KIND, MODULE, "hot", "mem", "io", "red", "green", "blue", "aqua", "yellow", "purple", "orange",
    "wakeup", "java", "js", "perl", "python", "rust",
];

/// The hue tells the kind of code.
pub(crate) const KIND: &str = "kind";

/// The hue tells the module, or whatever stands before the function's name.
const MODULE: &str = "module";

/// How frames are coloured.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Colors {
    Kind,
    Module,
    Inferno(Palette),
}

impl Colors {
    /// Takes the name of a palette.
    pub(crate) fn parser() -> impl TypedValueParser<Value = Colors> {
        PossibleValuesParser::new(NAMES).try_map(|name| {
            Ok(match name.as_str() {
                KIND => Colors::Kind,
                MODULE => Colors::Module,
                name => return name.parse().map(Colors::Inferno),
            })
        })
    }

    /// The colours of these names, in their order.
    ///
    /// # Errors
    ///
    /// What inferno says, which has no reason to.
    pub(crate) fn of_names(self, ids: &[FrameId], frames: &FrameTable) -> io::Result<Vec<Color>> {
        let names = ids.iter().map(|&id| frames.name(id));
        match self {
            Colors::Kind => Ok(names.map(of_kind).collect()),
            Colors::Module => Ok(names.map(of_module).collect()),
            Colors::Inferno(palette) => of_palette(palette, names),
        }
    }
}

/// Inferno tells the colours of a palette only where it draws, so it draws the
/// names side by side.
fn of_palette<'a>(
    palette: Palette,
    names: impl Iterator<Item = &'a [u8]>,
) -> io::Result<Vec<Color>> {
    let names: Vec<String> = names.map(parseable).collect();
    let lines: Vec<String> = names.iter().map(|name| format!("{name} 1")).collect();
    let mut colors = PaletteMap::default();
    let mut options = Options::default();
    options.colors = palette;
    options.deterministic = true;
    options.flame_chart = true;
    options.palette_map = Some(&mut colors);
    flamegraph::from_lines(&mut options, lines.iter().map(String::as_str), io::sink())?;
    Ok(names.iter().map(|name| colors.get(name).unwrap_or(WHOLE)).collect())
}

/// From gone, in blue, over unchanged to new, in orange: told apart by
/// everyone, and each of the two is darker the further it is from the middle.
pub(crate) const CHANGES: [Color; 9] = [
    Color { r: 88, g: 152, b: 208 },
    Color { r: 128, g: 178, b: 221 },
    Color { r: 168, g: 203, b: 232 },
    Color { r: 205, g: 224, b: 240 },
    Color { r: 234, g: 234, b: 234 },
    Color { r: 251, g: 222, b: 190 },
    Color { r: 247, g: 196, b: 139 },
    Color { r: 240, g: 168, b: 92 },
    Color { r: 230, g: 139, b: 48 },
];

/// Changes that are smaller, as a share of both weights, may be chance.
const LEAST_CHANGE: f64 = 0.02;

/// The colour of the change from the first of two profiles to the second.
pub(crate) fn of_change(before: u64, after: u64) -> Color {
    let middle = (CHANGES.len() / 2) as f64;
    let change = (after as f64 - before as f64) / (before as f64 + after as f64);
    let steps = if change.abs() < LEAST_CHANGE { 0.0 } else { (change.abs() * middle).ceil() };
    CHANGES[(middle + steps.copysign(change)) as usize]
}

/// What the colours of changes mean.
pub(crate) const CHANGE_LEGEND: [(Color, &str); 5] = [
    (CHANGES[0], "gone"),
    (CHANGES[2], "less"),
    (CHANGES[4], "as before"),
    (CHANGES[6], "more"),
    (CHANGES[8], "new"),
];

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
fn of_kind(name: &[u8]) -> Color {
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

/// The hue says in which module a function is, the shade sets functions apart.
fn of_module(name: &[u8]) -> Color {
    let hue = f64::from(hash(module(name))) / 256.0 * 6.0;
    let lightness = 0.70 + 0.12 * f64::from(hash(bare(name))) / 255.0;
    let strength = 0.55 * (1.0 - lightness).min(lightness);
    // The usual way from hue and lightness to red, green and blue.
    let channel = |shift: f64| {
        let distance = ((hue + shift).rem_euclid(6.0) - 3.0).abs() - 1.0;
        let light = lightness + strength * (2.0 * distance.clamp(0.0, 1.0) - 1.0);
        (light * 255.0).round() as u8
    };
    Color { r: channel(0.0), g: channel(4.0), b: channel(2.0) }
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
    use crate::embed::hex;

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
    fn what_changed_has_a_colour() {
        let table = [
            (1, 0, 0),
            (100, 40, 2),
            (100, 95, 3),
            (100, 97, 4),
            (100, 100, 4),
            (100, 103, 4),
            (100, 105, 5),
            (100, 180, 6),
            (0, u64::MAX, 8),
        ];
        for (before, after, place) in table {
            assert_eq!(hex(of_change(before, after)), hex(CHANGES[place]), "{before} {after}");
        }
    }

    #[test]
    fn inferno_tells_the_colours_of_its_palettes() {
        let names: [&[u8]; 3] = [b"a", b"b 1", b""];
        let colors = of_palette("hot".parse().expect("a palette"), names.into_iter());
        let colors = colors.expect("it draws");
        assert_eq!(colors.len(), 3);
        assert!(colors.iter().all(|color| color.r > 200 && *color != WHOLE), "{colors:?}");
    }

    #[test]
    fn every_palette_is_known_to_inferno() {
        for name in NAMES.into_iter().filter(|name| ![KIND, MODULE].contains(name)) {
            assert!(name.parse::<Palette>().is_ok(), "{name}");
        }
    }
}
