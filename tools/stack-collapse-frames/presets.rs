//! The rule files that come with the tool.

use std::ffi::{OsStr, OsString};

use clap::builder::{OsStringValueParser, PossibleValue, TypedValueParser};
use clap::{Arg, Command};
use common::{Error, Result, Status, io::append_row, peers, pipe::Pipe};

/// Each preset with its text, by name.
const PRESETS: [(&str, &str); 17] = [
    ("async", include_str!("presets/async.rules")),
    ("cpython", include_str!("presets/cpython.rules")),
    ("eio", include_str!("presets/eio.rules")),
    ("go-runtime", include_str!("presets/go-runtime.rules")),
    ("jvm", include_str!("presets/jvm.rules")),
    ("kernel", include_str!("presets/kernel.rules")),
    ("libc-start", include_str!("presets/libc-start.rules")),
    ("lwt", include_str!("presets/lwt.rules")),
    ("lwt-entries", include_str!("presets/lwt-entries.rules")),
    ("lwt-reroot", include_str!("presets/lwt-reroot.rules")),
    ("ocaml-gc", include_str!("presets/ocaml-gc.rules")),
    ("ocaml-gc-phases", include_str!("presets/ocaml-gc-phases.rules")),
    ("ocaml-runtime", include_str!("presets/ocaml-runtime.rules")),
    ("rayon", include_str!("presets/rayon.rules")),
    ("rust-std", include_str!("presets/rust-std.rules")),
    ("tokio", include_str!("presets/tokio.rules")),
    ("v8", include_str!("presets/v8.rules")),
];

/// Accepts any name, so that [`text`] can report a wrong one, and shows the presets to shells.
#[derive(Clone)]
pub(crate) struct NameParser;

impl TypedValueParser for NameParser {
    type Value = OsString;

    fn parse_ref(
        &self,
        command: &Command,
        arg: Option<&Arg>,
        value: &OsStr,
    ) -> Result<OsString, clap::Error> {
        OsStringValueParser::new().parse_ref(command, arg, value)
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        let value = |(name, text)| PossibleValue::new(name).help(title(text));
        Some(Box::new(PRESETS.into_iter().map(value)))
    }
}

/// What a preset does: the first line of its file.
fn title(text: &'static str) -> &'static str {
    text.lines().next().unwrap_or_default().trim_start_matches(['#', ' '])
}

/// The file of a preset.
///
/// # Errors
/// A usage error that lists the presets, if there is none of this name.
pub(crate) fn text(name: &str) -> Result<&'static str> {
    let found = PRESETS.iter().find(|(preset, _)| *preset == name);
    found.map(|(_, text)| *text).ok_or_else(|| {
        let names: Vec<_> = PRESETS.iter().map(|(name, _)| *name).collect();
        let answer = peers::answer("stack-collapse-frames", &format!("--preset={name}"));
        let answer = answer.map_or_else(String::new, |answer| format!("; {answer}"));
        let names = names.join(", ");
        Error::Usage(format!("preset '{name}': no such preset; expected {names}{answer}"))
    })
}

/// Prints a line for each preset: its name and what it does, as a table for programs if `tsv`.
///
/// # Errors
///
/// Errors of writing.
pub(crate) fn list(tsv: bool, pipe: &mut Pipe) -> Result<Status> {
    if tsv {
        let mut rows = b"preset\tabout\n".to_vec();
        PRESETS.iter().for_each(|(name, text)| append_row(&[name, title(text)], &mut rows));
        pipe.out().lines(&rows)?;
        return Ok(Status::Success);
    }
    for (name, text) in PRESETS {
        pipe.out().line(format!("{name:<17}{}", title(text)).as_bytes())?;
    }
    Ok(Status::Success)
}

/// Prints the rules of a preset.
///
/// # Errors
///
/// A usage error if there is no such preset, and errors of writing.
pub(crate) fn show(name: &OsStr, pipe: &mut Pipe) -> Result<Status> {
    for line in text(&name.to_string_lossy())?.lines() {
        pipe.out().line(line.as_bytes())?;
    }
    Ok(Status::Success)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::PRESETS;

    #[test]
    fn every_file_is_a_preset() {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tools/stack-collapse-frames/presets");
        let files: BTreeSet<_> = std::fs::read_dir(folder)
            .expect("the folder of presets")
            .map(|entry| entry.expect("an entry").file_name().into_string().expect("UTF-8"))
            .collect();
        let expected = PRESETS.iter().map(|(name, _)| format!("{name}.rules"));
        assert_eq!(files, expected.collect());
    }
}
