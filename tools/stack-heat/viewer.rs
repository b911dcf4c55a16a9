//! The interactive part of the picture: its script, and the style of the whole.

use std::sync::LazyLock;

use common::PAGE_SCRIPT;

/// The script. It is the same in every picture, so that a page can allow it by
/// its hash; names and numbers are data outside of it.
pub(crate) static SCRIPT: LazyLock<String> = LazyLock::new(|| {
    [
        "(() => {\n'use strict';\n",
        include_str!("viewer/data.js"),
        PAGE_SCRIPT,
        include_str!("viewer/page.js"),
        include_str!("viewer/selection.js"),
        include_str!("viewer/main.js"),
        "})();\n",
    ]
    .concat()
});

/// The style, also of the picture without the script.
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
