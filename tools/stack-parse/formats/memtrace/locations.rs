//! Where location codes are in the source (src/location_codec.ml).
//!
//! Names are written once, and then referred to by their index in a table of those used most
//! recently. Each file has a table of its functions.

use super::malformed::Malformed;
use crate::read::bytes::Bytes;

/// The most entries of a table; as an index it means that a new name follows.
const TABLE_SIZE: usize = 31;

/// The entries used most recently, the last one first.
#[derive(Debug)]
struct LineCache<T>(Vec<T>);

impl<T> LineCache<T> {
    fn new() -> LineCache<T> {
        LineCache(Vec::new())
    }

    /// Moves an entry to the front.
    fn reuse(&mut self, index: usize) -> Result<(), Malformed> {
        self.0.get_mut(..=index).ok_or(Malformed::Name)?.rotate_right(1);
        Ok(())
    }

    /// Removes and returns the oldest entry if the table is full.
    fn make_room(&mut self) -> Option<T> {
        if self.0.len() == TABLE_SIZE { self.0.pop() } else { None }
    }

    fn push(&mut self, entry: T) {
        self.make_room();
        self.0.insert(0, entry);
    }
}

#[derive(Debug)]
struct File {
    name: Vec<u8>,
    functions: LineCache<Vec<u8>>,
}

/// A place in the source.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Location<'a> {
    pub(super) file: &'a [u8],
    pub(super) line: u32,
    /// The name in OCaml's backtraces: `Stdlib__Map.Make.add`.
    pub(super) function: &'a [u8],
}

/// The tables of one domain.
#[derive(Debug)]
pub(super) struct Locations(LineCache<File>);

impl Locations {
    pub(super) fn new() -> Locations {
        Locations(LineCache::new())
    }

    /// Reads one location: 48 bits of line, columns and table indices, then
    /// the names that are new.
    pub(super) fn read(&mut self, bytes: &mut Bytes<'_>) -> Result<Location<'_>, Malformed> {
        let bits = u64::from(bytes.u32()?) | u64::from(bytes.u16()?) << 32;
        let line = (bits & 0xF_FFFF) as u32;
        let file_index = (bits >> 38 & 31) as usize;
        let function_index = (bits >> 43 & 31) as usize;
        let Locations(files) = self;
        if file_index == TABLE_SIZE {
            let name = bytes.string()?.to_vec();
            // Version 1 reused the functions of the file that is pushed out; later versions do not
            // refer to what is left in there.
            let pushed_out = files.make_room().map(|file| file.functions);
            files.push(File { name, functions: pushed_out.unwrap_or_else(LineCache::new) });
        } else {
            files.reuse(file_index)?;
        }
        let file = &mut files.0[0];
        if function_index == TABLE_SIZE {
            file.functions.push(bytes.string()?.to_vec());
        } else {
            file.functions.reuse(function_index)?;
        }
        Ok(Location { file: &file.name, line, function: &file.functions.0[0] })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A location as memtrace writes it; an index of 31 takes a name along.
    fn written(line: u64, file: u64, function: u64, names: &[&str]) -> Vec<u8> {
        let bits = line | 3 << 20 | 9 << 28 | file << 38 | function << 43;
        let mut bytes = bits.to_le_bytes()[..6].to_vec();
        for name in names {
            bytes.extend_from_slice(name.as_bytes());
            bytes.push(0);
        }
        bytes
    }

    fn read(locations: &mut Locations, bytes: &[u8]) -> Result<String, Malformed> {
        let location = locations.read(&mut Bytes(bytes))?;
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        Ok(format!("{}@{}:{}", text(location.function), text(location.file), location.line))
    }

    #[test]
    fn names_are_called_by_how_recently_they_were_used() {
        let locations = &mut Locations::new();
        for (bytes, expected) in [
            (written(1, 31, 31, &["a.ml", "f"]), "f@a.ml:1"),
            (written(2, 31, 31, &["b.ml", "g"]), "g@b.ml:2"),
            (written(3, 1, 31, &["h"]), "h@a.ml:3"),
            (written(4, 0, 1, &[]), "f@a.ml:4"),
            (written(5, 1, 0, &[]), "g@b.ml:5"),
            (written(6, 1, 1, &[]), "h@a.ml:6"),
        ] {
            assert_eq!(read(locations, &bytes).as_deref(), Ok(expected));
        }
        assert_eq!(read(locations, &written(1, 2, 0, &[])), Err(Malformed::Name));
        assert_eq!(read(locations, &written(1, 0, 2, &[])), Err(Malformed::Name));
        assert_eq!(read(locations, &written(1, 31, 31, &["c.ml"])), Err(Malformed::Short));
    }

    #[test]
    fn a_full_table_forgets_the_oldest_but_for_its_functions() {
        let locations = &mut Locations::new();
        for file in 0..31 {
            let names = [format!("{file}.ml"), format!("f{file}")];
            let bytes = written(1, 31, 31, &[&names[0], &names[1]]);
            assert!(read(locations, &bytes).is_ok(), "{file}");
        }
        let new = written(1, 31, 0, &["new.ml"]);
        assert_eq!(read(locations, &new).as_deref(), Ok("f0@new.ml:1"));
        assert_eq!(read(locations, &written(1, 30, 0, &[])).as_deref(), Ok("f1@1.ml:1"));
    }
}
