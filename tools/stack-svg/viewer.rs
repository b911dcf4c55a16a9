//! The interactive viewer: its script, and the style of the whole picture.

use std::sync::LazyLock;

use common::page_script;

/// The script. It is the same in every picture, so that a page can allow it by
/// its hash; names and numbers are data outside of it.
pub(crate) static SCRIPT: LazyLock<String> = LazyLock::new(|| {
    page_script(&[
        include_str!("viewer/data.js"),
        include_str!("viewer/words.js"),
        include_str!("viewer/names.js"),
        include_str!("viewer/rebuild.js"),
        include_str!("viewer/steps.js"),
        include_str!("viewer/commands.js"),
        include_str!("viewer/save.js"),
        include_str!("viewer/trees.js"),
        include_str!("viewer/search.js"),
        include_str!("viewer/profiles.js"),
        include_str!("viewer/pattern.js"),
        include_str!("viewer/page.js"),
        include_str!("viewer/layout.js"),
        include_str!("viewer/range.js"),
        include_str!("viewer/draw.js"),
        include_str!("viewer/minimap.js"),
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
    ])
});

/// The style, also of the static picture.
pub(crate) const STYLE: &str = include_str!("viewer/style.css");

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn script_and_style_fit_into_cdata_and_ask_no_server() {
        for text in [SCRIPT.as_str(), STYLE] {
            assert!(!text.contains("]]>") && !text.contains("fetch(") && !text.contains("url("));
        }
    }
}
