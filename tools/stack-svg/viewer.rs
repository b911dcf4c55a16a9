//! The interactive viewer: its script, and the style of the whole picture.

use sha2::{Digest, Sha256};

/// The script. It is the same in every picture, so that a page can allow it by
/// its hash; names and numbers are data outside of it.
pub(crate) const SCRIPT: &str = concat!(
    "(() => {\n'use strict';\n",
    include_str!("viewer/data.js"),
    include_str!("viewer/words.js"),
    include_str!("viewer/trees.js"),
    include_str!("viewer/search.js"),
    include_str!("viewer/page.js"),
    include_str!("viewer/layout.js"),
    include_str!("viewer/draw.js"),
    include_str!("viewer/table.js"),
    include_str!("viewer/state.js"),
    include_str!("viewer/keys.js"),
    include_str!("viewer/main.js"),
    "})();\n",
);

/// The style, also of the static picture.
pub(crate) const STYLE: &str = include_str!("viewer/style.css");

/// The content security policy that allows the script and the style.
pub(crate) fn policy() -> String {
    let [script, style] = [SCRIPT, STYLE].map(|text| base64(&Sha256::digest(text)));
    format!("script-src 'sha256-{script}'; style-src 'sha256-{style}'")
}

fn base64(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::new();
    for three in bytes.chunks(3) {
        let number = three.iter().fold(0, |number, &byte| number << 8 | usize::from(byte));
        let number = number << (8 * (3 - three.len()));
        for digit in 0..4 {
            let shown = digit <= three.len();
            let value = number >> (6 * (3 - digit)) & 63;
            text.push(if shown { char::from(DIGITS[value]) } else { '=' });
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn base64_is_that_of_rfc_4648() {
        let texts = ["", "f", "fo", "foo", "foob", "fooba", "foobar"].map(|t| base64(t.as_bytes()));
        assert_eq!(texts, ["", "Zg==", "Zm8=", "Zm9v", "Zm9vYg==", "Zm9vYmE=", "Zm9vYmFy"]);
    }

    #[test]
    fn script_and_style_fit_into_cdata_and_ask_no_server() {
        for text in [SCRIPT, STYLE] {
            assert!(!text.contains("]]>") && !text.contains("fetch(") && !text.contains("url("));
        }
    }
}
