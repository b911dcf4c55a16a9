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
