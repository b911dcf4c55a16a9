//! What interactive SVG pictures have in common: light and dark, the clipboard, and
//! the policy by which a page allows their script and no other.

use clap::ValueEnum;
use sha2::{Digest, Sha256};

/// Functions that all pictures have.
const PAGE_SCRIPT: &str = include_str!("picture/page.js");

/// The script of a picture. Its parts see each other and nothing of the page around it. They can
/// also call `make` and `makeIn`, which make elements of HTML; `async copyText(text, within)`,
/// which copies a text with the clipboard, or else with an element that it adds to `within` for a
/// moment, and returns whether that worked; and `showOver(picture, app)`, which puts a page over
/// the static picture.
///
/// Comment lines, the white space before lines and that around some operators are left out, as the
/// script is in every picture. So a string in a script must not go over several lines, nor hold such
/// an operator between spaces.
#[must_use]
pub fn page_script(parts: &[&str]) -> String {
    let script = ["(() => {\n'use strict';\n", PAGE_SCRIPT, &parts.concat(), "})();\n"].concat();
    // What is code wherever it is: no text of the scripts has these.
    let spaces = [" => ", " === ", " !== ", " && "];
    let script = without_comments(&script, "//");
    spaces.into_iter().fold(script, |script, space| script.replace(space, space.trim()))
}

/// The style of a picture, without comments that are lines of their own, without indentation,
/// and without spaces that only make it easier to read.
#[must_use]
pub fn page_style(style: &str) -> String {
    let spaces = [" {", "{ ", " }", "; ", ": ", ", "];
    let style = without_comments(style, "/*");
    spaces.into_iter().fold(style, |style, space| style.replace(space, space.trim()))
}

fn without_comments(code: &str, comment: &str) -> String {
    let lines = code.lines().map(str::trim_start);
    let lines = lines.filter(|line| !line.is_empty() && !line.starts_with(comment));
    lines.flat_map(|line| [line, "\n"]).collect()
}

/// The colours of the background and of the text on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Theme {
    /// As the reader's system is.
    Auto,
    /// Dark on light.
    Light,
    /// Light on dark.
    Dark,
}

impl Theme {
    /// The class of a picture of this tool: `stack-svg dark`.
    #[must_use]
    pub fn class(self, tool: &str) -> String {
        match self {
            Theme::Auto => tool.to_owned(),
            Theme::Light => format!("{tool} light"),
            Theme::Dark => format!("{tool} dark"),
        }
    }
}

/// The content security policy that allows this script and this style in a picture,
/// by their hashes.
#[must_use]
pub fn content_policy(script: &str, style: &str) -> String {
    let [script, style] = [script, style].map(|text| base64(&Sha256::digest(text)));
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
    fn a_script_has_no_comments_and_no_indentation() {
        let script = page_script(&["// Is.\nfunction is(a) {\n  return a === 1; // one\n}\n\n"]);
        assert!(script.starts_with("(()=>{\n'use strict';\nconst HTML"), "{script}");
        assert!(
            script.ends_with("\nfunction is(a) {\nreturn a===1; // one\n}\n})();\n"),
            "{script}"
        );
    }

    #[test]
    fn a_style_has_no_comments_and_no_indentation() {
        let style = page_style("/* Red. */\n.a {\n  color: red; /* or so */\n}\n");
        assert_eq!(style, ".a{\ncolor:red;/* or so */\n}\n");
    }

    #[test]
    fn base64_is_that_of_rfc_4648() {
        let texts = ["", "f", "fo", "foo", "foob", "fooba", "foobar"].map(|t| base64(t.as_bytes()));
        assert_eq!(texts, ["", "Zg==", "Zm8=", "Zm9v", "Zm9vYg==", "Zm9vYmE=", "Zm9vYmFy"]);
    }
}
