//! The policy by which a page allows the script of a picture and no other.

use sha2::{Digest, Sha256};

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
    fn base64_is_that_of_rfc_4648() {
        let texts = ["", "f", "fo", "foo", "foob", "fooba", "foobar"].map(|t| base64(t.as_bytes()));
        assert_eq!(texts, ["", "Zg==", "Zm8=", "Zm9v", "Zm9vYg==", "Zm9vYmE=", "Zm9vYmFy"]);
    }
}
