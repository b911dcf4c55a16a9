//! Colours: by default by the kind of code, and always the same for the same name.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::io;

use clap::builder::{PossibleValuesParser, TypedValueParser};
use common::folded::ThreadState;
use common::names::{CodeKind, FrameParts, code_kinds, module, name_hash};
use common::pipe::Split;
use common::stacks::{FrameId, FrameTable};
use inferno::flamegraph::color::{Color, PaletteMap};
use inferno::flamegraph::{self, Options, Palette};

use crate::escape::{parseable, shown};

/// Our palettes and, by their own names, those of inferno.
const NAMES: [&str; 18] = [
    KIND, MODULE, "hot", "mem", "io", "red", "green", "blue", "aqua", "yellow", "purple", "orange",
    "wakeup", "java", "js", "perl", "python", "rust",
];

/// The hue shows the kind of code.
pub(crate) const KIND: &str = "kind";

/// The hue shows the module, or whatever comes before the function's name.
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
    /// Errors of inferno; none is expected.
    pub(crate) fn of_names(self, named: &Named) -> io::Result<Vec<Color>> {
        let Named { names, kinds, are_roots } = named;
        let all = names.iter().copied();
        match self {
            Colors::Kind => {
                let of_kind = |((kind, name), is_root): ((&CodeKind, &[u8]), &bool)| match is_root {
                    true => ROOT,
                    false => of_kind(*kind, name),
                };
                Ok(kinds.iter().zip(all).zip(are_roots).map(of_kind).collect())
            }
            Colors::Module => Ok(all.map(of_module).collect()),
            Colors::Inferno(palette) => of_palette(palette, all),
        }
    }

    /// The names with these numbers, and their kinds. Those that are states of threads, as
    /// `--split state` makes them the roots, are `waiting` without brackets.
    pub(crate) fn named<'a>(
        self,
        ids: &[FrameId],
        frames: &'a FrameTable,
        split: Option<&Split>,
        roots: &HashSet<FrameId>,
    ) -> Named<'a> {
        let names: Vec<&[u8]> = ids.iter().map(|&id| frames.name(id)).collect();
        let mut kinds = match self {
            Colors::Kind => code_kinds(names.iter().copied()),
            Colors::Module | Colors::Inferno(_) => Vec::new(),
        };
        if split.is_some_and(|it| it.key() == "state") {
            for (name, kind) in names.iter().zip(&mut kinds) {
                let state = ThreadState::of_label(name);
                *kind = state.and_then(CodeKind::of_state).unwrap_or(*kind);
            }
        }
        // In a profile in which nothing is known, a root may be the program's main function.
        let is_any_known = kinds.iter().any(|kind| *kind != CodeKind::Unknown);
        let unknown = ids
            .iter()
            .zip(&kinds)
            .map(|(id, kind)| is_any_known && *kind == CodeKind::Unknown && roots.contains(id));
        let are_roots = unknown.collect();
        Named { names, kinds, are_roots }
    }

    /// The colours of the kinds or modules of these names; `colors` are those of the names
    /// themselves.
    pub(crate) fn of_classes(self, named: &Named, colors: &[Color]) -> Vec<Color> {
        let Named { names, kinds, .. } = named;
        match self {
            Colors::Kind => kinds.iter().map(|kind| middle_of(*kind)).collect(),
            Colors::Module => names.iter().map(|name| middle_of_module(module(name))).collect(),
            Colors::Inferno(_) => colors.to_vec(),
        }
    }

    /// The colour of one name, which need not be in the profile.
    pub(crate) fn of_name(self, name: &[u8]) -> Color {
        let mut frames = FrameTable::default();
        let id = frames.intern(name);
        self.of_names(&self.named(&[id], &frames, None, &HashSet::new()))
            .map_or(WHOLE, |colors| colors[0])
    }
}

/// Names that get a colour.
#[derive(Clone, Debug)]
pub(crate) struct Named<'a> {
    names: Vec<&'a [u8]>,
    /// The kind of code of each; empty if the hue does not show it.
    kinds: Vec<CodeKind>,
    /// For each name with a kind, whether it is no function but a process or a thread.
    are_roots: Vec<bool>,
}

impl Named<'_> {
    /// The kinds of these names, each with its middle shade.
    pub(crate) fn legend(&self) -> impl Iterator<Item = (Color, &'static str)> {
        let of_code = self.kinds.iter().zip(&self.are_roots).filter(|(_, is_root)| !**is_root);
        let kinds: BTreeSet<CodeKind> = of_code.map(|(kind, _)| *kind).collect();
        kinds.into_iter().map(|kind| (middle_of(kind), kind.word()))
    }
}

/// Inferno gives the colours of a palette only in a drawing, so it draws the names side by side.
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

/// The whole: no code, so no colour.
pub(crate) const WHOLE: Color = Color { r: 230, g: 230, b: 230 };

/// A process or a thread: no code either.
const ROOT: Color = Color { r: 238, g: 239, b: 241 };

/// A colour a little nearer to white, for a box of several frames.
pub(crate) fn pale(Color { r, g, b }: Color) -> Color {
    let nearer = |part: u8| part.midpoint(part.midpoint(u8::MAX));
    Color { r: nearer(r), g: nearer(g), b: nearer(b) }
}

fn of_kind(kind: CodeKind, name: &[u8]) -> Color {
    let [r, g, b] = kind.color(name);
    Color { r, g, b }
}

/// The hue shows the module of a function, the shade sets functions apart.
fn of_module(name: &[u8]) -> Color {
    let shade = 0.12 * f64::from(name_hash(FrameParts::of(name).name)) / 255.0;
    hue_of(module(name), 0.70 + shade)
}

/// The colour of a module in this lightness.
fn hue_of(module: &[u8], lightness: f64) -> Color {
    let hue = f64::from(name_hash(module)) / 256.0 * 6.0;
    let strength = 0.55 * (1.0 - lightness).min(lightness);
    // The usual way from hue and lightness to red, green and blue.
    let channel = |shift: f64| {
        let distance = ((hue + shift).rem_euclid(6.0) - 3.0).abs() - 1.0;
        let light = lightness + strength * (2.0 * distance.clamp(0.0, 1.0) - 1.0);
        (light * 255.0).round() as u8
    };
    Color { r: channel(0.0), g: channel(4.0), b: channel(2.0) }
}

/// How many modules a legend names.
const MODULES: usize = 12;

/// The modules with the most weight of their own, the heaviest first, each with its
/// middle shade.
pub(crate) fn heaviest_modules<'a>(
    weights: impl Iterator<Item = (&'a [u8], u64)>,
) -> Vec<(Color, String)> {
    let mut modules: BTreeMap<&[u8], u64> = BTreeMap::new();
    for (name, weight) in weights {
        *modules.entry(module(name)).or_default() += weight;
    }
    let mut modules: Vec<_> = modules.into_iter().filter(|(name, _)| !name.is_empty()).collect();
    modules.sort_by_key(|&(_, weight)| Reverse(weight));
    let entry = |(name, _): &(&[u8], u64)| (middle_of_module(name), shown(name));
    modules.iter().take(MODULES).map(entry).collect()
}

/// The middle shade of a kind.
fn middle_of(kind: CodeKind) -> Color {
    let [light, dark] = kind.shades();
    let [r, g, b] = std::array::from_fn(|index| light[index].midpoint(dark[index]));
    Color { r, g, b }
}

/// The middle shade of a module.
fn middle_of_module(module: &[u8]) -> Color {
    hue_of(module, 0.76)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_legend_has_the_heaviest_modules_in_the_colours_of_their_functions() {
        let weights = [(&b"A.f"[..], 1), (b"B.g", 3), (b"A.h", 4), (b"main", 90)];
        let legend = heaviest_modules(weights.into_iter());
        let names: Vec<&str> = legend.iter().map(|(_, name)| name.as_str()).collect();
        assert_eq!(names, ["A", "B"]);
        let apart = |one: Color, other: Color| {
            [(one.r, other.r), (one.g, other.g), (one.b, other.b)]
                .map(|(one, other)| one.abs_diff(other))
                .into_iter()
                .max()
        };
        assert!(apart(legend[0].0, of_module(b"A.f")) < Some(24));
        let many: Vec<_> = (0..40).map(|n| format!("M{n}.f")).collect();
        let legend = heaviest_modules(many.iter().map(|name| (name.as_bytes(), 1)));
        assert_eq!(legend.len(), MODULES);
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
