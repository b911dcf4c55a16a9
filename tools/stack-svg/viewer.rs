//! The interactive viewer: its script, and the style of the whole picture.

use std::sync::LazyLock;

use common::picture::{page_script, page_style};

/// The files of the script.
const PARTS: [&str; 33] = [
    include_str!("viewer/data.js"),
    include_str!("viewer/words.js"),
    include_str!("viewer/fit.js"),
    include_str!("viewer/names.js"),
    include_str!("viewer/rebuild.js"),
    include_str!("viewer/steps.js"),
    include_str!("viewer/strip.js"),
    include_str!("viewer/chart.js"),
    include_str!("viewer/commands.js"),
    include_str!("viewer/save.js"),
    include_str!("viewer/trees.js"),
    include_str!("viewer/search.js"),
    include_str!("viewer/profiles.js"),
    include_str!("viewer/pattern.js"),
    include_str!("viewer/legend.js"),
    include_str!("viewer/page.js"),
    include_str!("viewer/layout.js"),
    include_str!("viewer/blocks.js"),
    include_str!("viewer/range.js"),
    include_str!("viewer/colors.js"),
    include_str!("viewer/draw.js"),
    include_str!("viewer/minimap.js"),
    include_str!("viewer/lanes.js"),
    include_str!("viewer/marks.js"),
    include_str!("viewer/table.js"),
    include_str!("viewer/address.js"),
    include_str!("viewer/state.js"),
    include_str!("viewer/views.js"),
    include_str!("viewer/menu.js"),
    include_str!("viewer/keys.js"),
    include_str!("viewer/pointer.js"),
    include_str!("viewer/paper.js"),
    include_str!("viewer/main.js"),
];

/// The script. It is the same in every picture, so that a page can allow it by
/// its hash; names and numbers are data outside of it.
pub(crate) static SCRIPT: LazyLock<String> = LazyLock::new(|| page_script(&PARTS));

/// The style, also of the static picture.
pub(crate) static STYLE: LazyLock<String> =
    LazyLock::new(|| page_style(include_str!("viewer/style.css")));

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    /// The files see each other's names, and a second function would replace the first.
    #[test]
    fn every_name_of_the_script_is_declared_once() {
        let mut names = HashSet::new();
        for line in PARTS.iter().flat_map(|part| part.lines()) {
            let mut words = line.trim_start_matches("async ").split([' ', '(', ';']);
            let is_declared = matches!(words.next(), Some("function" | "const" | "let" | "class"));
            if let Some(name) = words.next().filter(|_| is_declared) {
                assert!(names.insert(name), "{line}");
            }
        }
        assert!(names.contains("render"));
    }

    /// They are in every picture.
    #[test]
    fn script_and_style_are_small() {
        let bytes = SCRIPT.len() + STYLE.len();
        assert!(bytes <= 165 << 10, "{bytes} bytes");
    }

    #[test]
    fn script_and_style_fit_into_cdata_and_ask_no_server() {
        for text in [&*SCRIPT, &*STYLE] {
            assert!(!text.contains("]]>") && !text.contains("fetch(") && !text.contains("url("));
        }
        // A comment of two lines would leave its end.
        assert!(!STYLE.contains("*/"));
    }
}
