//! What is written in one place only: the colours of heat, and how frames are separated.

use std::path::Path;

use regex::Regex;

use super::{ROOT, code_of, crates, files_below, read, shown};

/// The ramp, from which pictures, styles and terminals take the colours of heat.
const RAMP: &str = "common/core/src/heat/ramp.rs";

#[test]
fn only_the_ramp_has_colours_of_heat() {
    let ramp = read(&Path::new(ROOT).join(RAMP));
    let hex = Regex::new("#([0-9a-f]{2})([0-9a-f]{2})([0-9a-f]{2})").expect("a pattern");
    let mut forms = Vec::new();
    for color in hex.captures_iter(&ramp) {
        let [red, green, blue] =
            [1, 2, 3].map(|part| u8::from_str_radix(&color[part], 16).expect("hex"));
        forms.push(color[0].to_owned());
        forms.push(format!("{red}, {green}, {blue}"));
    }
    assert!(forms.len() >= 32, "{RAMP}: expected the shades on light and on dark paper");
    for path in crates().iter().flat_map(|folder| files_below(folder)) {
        let is_text = |ending: &std::ffi::OsStr| ["rs", "js", "css"].iter().any(|it| ending == *it);
        let is_other = shown(&path) != RAMP && path.extension().is_some_and(is_text);
        let text = if is_other { read(&path).to_lowercase() } else { String::new() };
        let form = forms.iter().find(|form| text.contains(&***form));
        assert!(
            form.is_none(),
            "{} has {form:?}, a colour of {RAMP}: take it from there",
            shown(&path)
        );
    }
}

/// The files of tools that look for `;`, and why they may.
const SEMICOLONS: [(&str, &str); 8] = [
    ("stack-export/labelled.rs", "a `;` in a label would end the frame that the labels become"),
    (
        "stack-fold-towers/numbered.rs",
        "finds a frame by its first eight bytes, faster than by its end",
    ),
    ("stack-parse/formats/austin.rs", "the frames of Austin"),
    ("stack-parse/formats/detected.rs", "the punctuation of a message"),
    ("stack-parse/formats/folded.rs", "what looks like folded stacks, before they are read"),
    ("stack-parse/formats/landmarks/text.rs", "the fields of Landmarks"),
    ("stack-parse/formats/memray.rs", "the fields of a frame of memray"),
    ("stack-parse/formats/stackprof/dump.rs", "the mark of a symbol that Ruby dumped before"),
];

/// Frames are split by `common::folded`, which knows what a separator is. Text that is only
/// printed may join names with `;`.
#[test]
fn no_tool_splits_stacks_itself() {
    let join = Regex::new(r#"(push(_str)?|join)\(&?b?['"];['"]\)"#).expect("a pattern");
    let semicolon = Regex::new(r#"['"];['"]"#).expect("a pattern");
    let tools =
        crates().into_iter().filter(|folder| folder.starts_with(Path::new(ROOT).join("tools")));
    let mut found = Vec::new();
    for (path, lines) in tools.flat_map(|folder| code_of(&folder)) {
        let code = lines.iter().filter(|line| !line.trim_start().starts_with("//"));
        let mut code = code.map(|line| join.replace_all(line, ""));
        if code.any(|line| semicolon.is_match(&line)) {
            found.push(shown(&path).trim_start_matches("tools/").to_owned());
        }
    }
    found.sort();
    assert_eq!(found, SEMICOLONS.map(|(file, _)| file), "use common::folded::Frames");
}
