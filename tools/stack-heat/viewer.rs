//! The interactive part of the picture: its script, and the style of the whole.

use std::sync::LazyLock;

use common::{heat::with_ramp, picture::page_script};

/// The script. It is the same in every picture, so that a page can allow it by
/// its hash; names and numbers are data outside of it.
pub(crate) static SCRIPT: LazyLock<String> = LazyLock::new(|| {
    page_script(&[
        include_str!("viewer/data.js"),
        include_str!("viewer/page.js"),
        include_str!("viewer/selection.js"),
        include_str!("viewer/main.js"),
    ])
});

/// The style, also of the picture without the script.
pub(crate) static STYLE: LazyLock<String> =
    LazyLock::new(|| with_ramp(include_str!("viewer/style.css")));

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn script_and_style_fit_into_cdata_and_ask_no_server() {
        for text in [&*SCRIPT, &*STYLE] {
            assert!(!text.contains("]]>") && !text.contains("fetch(") && !text.contains("url("));
        }
    }
}
