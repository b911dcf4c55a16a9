//! Functions that the recording itself lists: the recorder read them from the files of the recorded
//! machine.

use std::sync::Arc;

use super::mapped_object::{MappedObject, ObjectKind};
use super::spans::{Span, Spans};

/// The functions of a file, as the recording lists them.
#[derive(Debug)]
pub struct ListedFunctions {
    addresses: ListedAddresses,
    /// Known by the index of their names.
    spans: Spans,
    names: Vec<Box<[u8]>>,
}

/// What the addresses of listed functions are, in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ListedAddresses {
    /// Addresses in memory.
    Memory,
    /// Addresses as an executable has them.
    File {
        /// One of its addresses.
        address: u64,
        /// Where in the file that is; `None`: where the first of its maps begins.
        offset: Option<u64>,
    },
    /// Addresses as a module of the kernel has them.
    Module {
        /// One of its addresses.
        address: u64,
        /// How far from the start of the module in memory that is.
        offset: u64,
    },
}

impl ListedFunctions {
    /// Functions, each with its first address, its size in bytes and its name, not demangled.
    ///
    /// # Panics
    ///
    /// If there are more than 2^32 functions.
    pub fn new(
        addresses: ListedAddresses,
        functions: impl IntoIterator<Item = (u64, u64, Box<[u8]>)>,
    ) -> ListedFunctions {
        let (mut spans, mut names) = (Vec::new(), Vec::new());
        for (start, size, name) in functions {
            let number = u32::try_from(names.len()).expect("fewer than 2^32 functions");
            spans.push(Span::new(start, start.saturating_add(size), number));
            names.push(name);
        }
        ListedFunctions { addresses, spans: Spans::new(spans), names }
    }
}

/// The listed functions of an object.
#[derive(Debug)]
pub(super) struct Listed {
    functions: Arc<ListedFunctions>,
    /// What must be added to the address of a location to get that of the list, wrapping around.
    bias: u64,
}

impl Listed {
    pub(super) fn new(
        functions: &Arc<ListedFunctions>,
        kind: ObjectKind,
        mapped: &MappedObject<'_>,
    ) -> Listed {
        let bias = match (functions.addresses, kind) {
            (ListedAddresses::File { address, offset }, ObjectKind::File) => {
                address.wrapping_sub(offset.unwrap_or(mapped.offset))
            }
            (ListedAddresses::Module { address, offset }, _) => {
                address.wrapping_sub(offset).wrapping_sub(mapped.start)
            }
            // Other locations are addresses in memory: what a JIT made is listed by these.
            _ => 0,
        };
        Listed { functions: Arc::clone(functions), bias }
    }

    /// The kind of an object with these functions, which decides what the addresses of its
    /// locations are; without the list it would be `kind`.
    pub(super) fn kind(functions: &ListedFunctions, kind: ObjectKind) -> ObjectKind {
        match (functions.addresses, kind) {
            (ListedAddresses::Memory, ObjectKind::File | ObjectKind::JitDump) => {
                ObjectKind::Anonymous
            }
            _ => kind,
        }
    }

    /// The name of the function at the address of a location.
    pub(super) fn name(&self, address: u64) -> Option<&[u8]> {
        let span = self.functions.spans.at(address.wrapping_add(self.bias)).next()?;
        Some(&self.functions.names[span.what as usize])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Detail, Location, Objects, Options};

    /// Objects of which the recording lists the function `f` at 0x1010, 16 bytes long, and in it
    /// `inner`.
    fn listing(path: &[u8], addresses: ListedAddresses) -> Objects {
        let mut objects = Objects::new(Options::default());
        let functions = [(0x1010, 16, b"f"[..].into()), (0x1018, 2, b"inner"[..].into())];
        objects.set_functions(path, ListedFunctions::new(addresses, functions));
        objects
    }

    /// The name at an address, and an offset in a file, of a mapped object.
    fn name(objects: &mut Objects, mapped: &MappedObject<'_>, at: (u64, u64)) -> String {
        let object = objects.intern(mapped);
        let location: Location = objects.locate(object, at.0, at.1, None);
        let resolved = objects.resolve(&[location], Detail::default(), 1);
        let frame = resolved.frames(0).next().expect("a frame");
        String::from_utf8(frame.name.to_vec()).expect("UTF-8")
    }

    #[test]
    fn addresses_of_a_file_begin_where_the_list_says() {
        let path = b"/no/such/lib.so";
        let mapped = MappedObject { path, offset: 0x400, ..MappedObject::default() };
        let known = ListedAddresses::File { address: 0x1000, offset: Some(0x800) };
        let mut objects = listing(path, known);
        for (offset, expected) in [(0x810, "f"), (0x818, "inner"), (0x81f, "f"), (0x820, "")] {
            assert_eq!(name(&mut objects, &mapped, (0x7000_0000, offset)), expected, "{offset:x}");
        }
        let object = objects.intern(&mapped);
        assert_eq!(objects.why_nameless(object), None);
        // The first map begins at 0x400 of the file.
        let unknown = ListedAddresses::File { address: 0x1000, offset: None };
        assert_eq!(name(&mut listing(path, unknown), &mapped, (0x7000_0000, 0x410)), "f");
    }

    #[test]
    fn addresses_of_memory_and_modules_are_those_of_the_process_or_the_kernel() {
        let path = b"/memory";
        let mapped = MappedObject { path, pid: Some(7), ..MappedObject::default() };
        let mut objects = listing(path, ListedAddresses::Memory);
        assert_eq!(name(&mut objects, &mapped, (0x1010, 0)), "f");
        // What a JIT made has no file.
        let jit = MappedObject { path: b"cache:1-2", ..mapped };
        let of_file = ListedAddresses::File { address: 0, offset: Some(0) };
        let mut objects = listing(jit.path, of_file);
        assert_eq!(name(&mut objects, &jit, (0x1010, 0x99)), "f");
        let path = b"/lib/modules/a.ko";
        let start = 0xffff_0000;
        let module = MappedObject { path, start, is_kernel: true, ..MappedObject::default() };
        let mut objects = listing(path, ListedAddresses::Module { address: 0x1000, offset: 0x80 });
        assert_eq!(name(&mut objects, &module, (start + 0x90, 0)), "f");
        assert_eq!(name(&mut objects, &module, (start + 0x60, 0)), "");
    }

    #[test]
    fn files_without_a_list_are_as_ever() {
        let mut objects = listing(b"/listed", ListedAddresses::Memory);
        assert!(objects.lists_functions(b"/listed") && !objects.lists_functions(b"/other"));
        let mapped = MappedObject { path: b"/no/such/file", ..MappedObject::default() };
        assert_eq!(name(&mut objects, &mapped, (0x1010, 0x1010)), "");
        let object = objects.intern(&mapped);
        assert_eq!(objects.why_nameless(object), Some(crate::NoSymbols::NotFound));
    }
}
