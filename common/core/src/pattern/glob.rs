//! Globs, by which names of events are chosen.

use std::str::FromStr;

/// A glob that matches the whole of a name: `*` is any text, `?` is one byte, all else is itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Glob(String);

impl Glob {
    /// The glob that a user typed.
    #[must_use]
    pub fn new(text: &str) -> Glob {
        Glob(text.to_owned())
    }

    /// As it was typed.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Whether it matches all of a name. The time is at most the product of both lengths.
    #[must_use]
    pub fn is_match(&self, name: &[u8]) -> bool {
        let (glob, mut at, mut in_name) = (self.0.as_bytes(), 0, 0);
        // After the last star: where the glob goes on, and where the text of the star ends.
        let mut star: Option<(usize, usize)> = None;
        while in_name < name.len() {
            match (glob.get(at), star) {
                (Some(b'*'), _) => {
                    at += 1;
                    star = Some((at, in_name));
                }
                (Some(byte), _) if *byte == b'?' || *byte == name[in_name] => {
                    at += 1;
                    in_name += 1;
                }
                // The star takes one byte more.
                (_, Some((after, end))) => {
                    star = Some((after, end + 1));
                    (at, in_name) = (after, end + 1);
                }
                (_, None) => return false,
            }
        }
        glob[at..].iter().all(|byte| *byte == b'*')
    }
}

impl FromStr for Glob {
    type Err = std::convert::Infallible;

    fn from_str(text: &str) -> Result<Glob, Self::Err> {
        Ok(Glob::new(text))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn it_is_the_regular_expression(glob in "[ab*?.]{0,6}", name in "[ab.\n]{0,8}") {
            let pattern = regex::escape(&glob).replace(r"\*", ".*").replace(r"\?", ".");
            let pattern = regex::Regex::new(&format!("(?s)^(?:{pattern})$")).expect("a pattern");
            prop_assert_eq!(Glob::new(&glob).is_match(name.as_bytes()), pattern.is_match(&name));
        }
    }
}
