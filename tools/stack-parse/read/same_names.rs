//! Functions that share a name, told apart by their place.

use hashbrown::HashMap;

/// How many functions have each name.
pub(crate) struct SameNames<'a>(HashMap<&'a [u8], u32>);

impl<'a> SameNames<'a> {
    pub(crate) fn new(names: impl Iterator<Item = &'a [u8]>) -> SameNames<'a> {
        let mut counts = HashMap::new();
        names.for_each(|name| *counts.entry(name).or_default() += 1);
        SameNames(counts)
    }

    /// The name; if others have it, too, with the place after it: `init (shop.c)`. An empty place
    /// tells nothing.
    pub(crate) fn told_apart(&self, name: &[u8], place: &[u8]) -> Vec<u8> {
        let is_shared = self.0.get(name).is_some_and(|count| *count > 1);
        match is_shared && !name.is_empty() && !place.is_empty() {
            true => [name, b" (", place, b")"].concat(),
            false => name.to_vec(),
        }
    }
}
