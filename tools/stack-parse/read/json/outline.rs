//! The keys of the outer objects of a JSON text, which show its format.

use std::io::Read;

use common::{Error, Result};
use hashbrown::HashSet;

use super::{Json, Kind};

/// The keys of outer objects, as far as they were read.
#[derive(Default)]
pub(crate) struct Outline {
    /// The keys of all objects of the first level, and of the second.
    keys: [HashSet<Vec<u8>>; LEVELS],
    /// Whether the text ended before the JSON did.
    is_cut: bool,
}

/// The number of levels of objects whose keys are kept.
const LEVELS: usize = 2;

/// Arrays and objects at this depth are skipped.
const DEEPEST: usize = 5;

/// The most keys of one object that are kept. No object that shows a format has more; stackprof's
/// object of functions has a key for each function, which is only a number.
const MOST_KEYS: usize = 200;

/// The most different keys of one level that are kept: no format has more.
const MOST_DIFFERENT: usize = 10 * MOST_KEYS;

/// A function that is called after every new key, and returns whether no more are needed.
type Known<'a> = &'a mut dyn FnMut(&Outline) -> bool;

impl Outline {
    /// The keys at the start of an input; `None` if it is not JSON.
    pub(crate) fn of(start: &[u8]) -> Option<Outline> {
        if !matches!(start.trim_ascii_start(), [b'{' | b'[', ..]) {
            return None;
        }
        let mut json = Json::named(String::new(), start);
        let mut outline = Outline::default();
        // The start mostly ends somewhere in the text, which is no error here.
        let read = outline.add_document(&mut json, &mut |_| false);
        outline.is_cut = read.is_err() && json.is_at_end();
        Some(outline)
    }

    /// Reads the first document of a JSON text until `is_known`, which is called after every new
    /// key, returns true, or until the text is not JSON. Memory is that of [`Json`].
    ///
    /// # Errors
    ///
    /// [`Error::Input`].
    pub(crate) fn read<R: Read>(
        mut json: Json<R>,
        mut is_known: impl FnMut(&Outline) -> bool,
    ) -> Result<()> {
        match Outline::default().add_document(&mut json, &mut is_known) {
            Err(error @ Error::Input { .. }) => Err(error),
            _ => Ok(()),
        }
    }

    /// Whether the text ended before the JSON did, so that there may be more keys.
    pub(crate) fn is_cut(&self) -> bool {
        self.is_cut
    }

    /// Whether an object of the first level has this key: the outermost one, or
    /// those of the outermost array.
    pub(crate) fn has(&self, key: &str) -> bool {
        self.keys[0].contains(key.as_bytes())
    }

    /// Whether an object of the second level has this key: those inside of the
    /// first ones, whether or not an array is between.
    pub(crate) fn has_inside(&self, key: &str) -> bool {
        self.keys[1].contains(key.as_bytes())
    }

    fn add_document<R: Read>(&mut self, json: &mut Json<R>, is_known: Known<'_>) -> Result<()> {
        if json.next_document()? {
            self.add(json, 0, 0, is_known)?;
        }
        Ok(())
    }

    /// Adds the keys of the next value; true once they are enough.
    fn add<R: Read>(
        &mut self,
        json: &mut Json<R>,
        level: usize,
        depth: usize,
        is_known: Known<'_>,
    ) -> Result<bool> {
        if depth == DEEPEST || level == LEVELS && json.kind()? == Kind::Object {
            return Ok(false);
        }
        if json.begin_array()? {
            while json.next_element()? {
                if self.add(json, level, depth + 1, is_known)? {
                    return Ok(true);
                }
            }
        } else if json.begin_object()? {
            let mut left = MOST_KEYS;
            while let Some(key) = json.next_key()? {
                left = left.saturating_sub(1);
                let is_new = left > 0 && self.insert(level, key);
                if is_new && is_known(self) || self.add(json, level + 1, depth + 1, is_known)? {
                    return Ok(true);
                }
            }
        }
        Ok(false)
    }

    /// Adds a key; false if it is not new.
    fn insert(&mut self, level: usize, key: &[u8]) -> bool {
        let keys = &mut self.keys[level];
        let is_new = keys.len() < MOST_DIFFERENT && !keys.contains(key);
        if is_new {
            keys.insert(key.to_vec());
        }
        is_new
    }
}
