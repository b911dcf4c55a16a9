//! What a JSON text is, by the keys of its first bytes.

use common::Result;

use super::{Json, Kind};

/// The keys of outer objects, as far as the first bytes of an input have them.
pub(crate) struct Outline {
    /// In how many objects each key is, and the key.
    keys: Vec<(usize, Vec<u8>)>,
}

/// Deeper arrays and objects are not looked at.
const DEEPEST: usize = 5;

/// More different keys than the outer objects of any format have.
const MOST_KEYS: usize = 200;

impl Outline {
    /// `None` if an input that starts so is no JSON.
    pub(crate) fn of(start: &[u8]) -> Option<Outline> {
        if !matches!(start.trim_ascii_start(), [b'{' | b'[', ..]) {
            return None;
        }
        let mut json = Json::named(String::new(), start);
        if !json.next_document().ok()? {
            return None;
        }
        let mut outline = Outline { keys: Vec::new() };
        // The start mostly ends somewhere in the text, which is no error here.
        let _ = outline.add(&mut json, 0, 0);
        Some(outline)
    }

    /// Whether an object of the first level has this key: the outermost one, or
    /// those of the outermost array.
    pub(crate) fn has(&self, key: &str) -> bool {
        self.has_at(1, key)
    }

    /// Whether an object of the second level has this key: those inside of the
    /// first ones, whether or not an array is between.
    pub(crate) fn has_inside(&self, key: &str) -> bool {
        self.has_at(2, key)
    }

    fn has_at(&self, level: usize, key: &str) -> bool {
        self.keys.iter().any(|(known, name)| *known == level && name == key.as_bytes())
    }

    fn add(&mut self, json: &mut Json<&[u8]>, level: usize, depth: usize) -> Result<()> {
        if depth == DEEPEST || level == 2 && json.kind()? == Kind::Object {
            return Ok(());
        }
        if json.begin_array()? {
            while json.next_element()? {
                self.add(json, level, depth + 1)?;
            }
        } else if json.begin_object()? {
            let level = level + 1;
            while let Some(key) = json.next_key()? {
                let is_same = |(known, name): &(usize, Vec<u8>)| *known == level && name == key;
                if self.keys.len() < MOST_KEYS && !self.keys.iter().any(is_same) {
                    self.keys.push((level, key.to_vec()));
                }
                self.add(json, level, depth + 1)?;
            }
        }
        Ok(())
    }
}
