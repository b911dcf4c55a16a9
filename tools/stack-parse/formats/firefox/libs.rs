//! Programs and libraries, and the addresses in them.

use std::io::Read;

use common::{Result, numbers::hexadecimal};
use symbolize::{Addressing, MappedObject};

use crate::frame::{Frame, Kind};
use crate::read::json::Json;
use crate::read::mapped_code::Code;

/// The address where the kernel is assumed to be loaded: profiles count from its `_text`.
const KERNEL: u64 = 0xffff_ffff_8000_0000;

/// A program or library, and where it was in memory.
#[derive(Debug, Default)]
pub(super) struct Lib {
    pub(super) name: Vec<u8>,
    path: Vec<u8>,
    /// `63260a3e…`: the build-id of an ELF file; empty if it is not known.
    pub(super) code_id: Vec<u8>,
    /// `3E0A2663466E57DBABF718F6A3562C6E0`: the same as Breakpad writes it.
    pub(super) debug_id: Vec<u8>,
    build_id: Vec<u8>,
    start: u64,
    end: u64,
    /// The distance of `start` from the address at which the file's lowest address is loaded.
    offset: u64,
}

/// Reads a library:
/// `{"name":"ls","path":"/usr/bin/ls","breakpadId":"3E0A…0","codeId":"6326…"}`,
/// Gecko's with `"start":4294967296,"end":4294977296,"offset":0`.
pub(super) fn read_lib<R: Read>(json: &mut Json<R>, libs: &mut Vec<Lib>) -> Result<()> {
    let mut lib = Lib::default();
    json.enter_object()?;
    while let Some(key) = json.next_key()? {
        match key {
            b"name" => lib.name = json.text()?.unwrap_or_default().to_vec(),
            b"path" => lib.path = json.text()?.unwrap_or_default().to_vec(),
            b"breakpadId" => lib.debug_id = json.text()?.unwrap_or_default().to_vec(),
            b"codeId" => lib.code_id = json.text()?.unwrap_or_default().to_vec(),
            b"start" => lib.start = json.integer()?.unwrap_or_default(),
            b"end" => lib.end = json.integer()?.unwrap_or_default(),
            b"offset" => lib.offset = json.integer()?.unwrap_or_default(),
            _ => {}
        }
    }
    lib.build_id = build_id(&lib.code_id, &lib.debug_id);
    libs.push(lib);
    Ok(())
}

/// The build-id of a library: all of it from `code_id`, or its first 16 bytes as in Breakpad's
/// `debug_id`; empty if it is not known. Breakpad adds a number after these bytes, and writes zeros
/// if they are not known.
fn build_id(code_id: &[u8], debug_id: &[u8]) -> Vec<u8> {
    const DIGITS: usize = 32;
    let byte = |pair: &[u8]| hexadecimal(pair).filter(|_| pair.len() == 2).map(|byte| byte as u8);
    let bytes = |digits: &[u8]| digits.chunks(2).map(byte).collect::<Option<Vec<u8>>>();
    let debug_id = debug_id.get(..DIGITS).unwrap_or_default();
    let of_code = Some(code_id).filter(|id| id.len() >= DIGITS).and_then(bytes);
    let known = of_code.or_else(|| bytes(debug_id)).unwrap_or_default();
    if known.iter().all(|byte| *byte == 0) { Vec::new() } else { known }
}

impl Lib {
    /// The address in this library of an address in memory; `None` if it is outside.
    pub(super) fn address_in(&self, address: u64) -> Option<u64> {
        let within = address.checked_sub(self.start).filter(|_| address < self.end)?;
        Some(within.wrapping_add(self.offset))
    }

    /// The frame of an address whose function has no name.
    pub(super) fn bare(&self, address: u64) -> Frame<'_> {
        let kind = Kind::of_object(&self.path, None);
        Frame { object: &self.name, offset: Some(address), kind, ..Frame::default() }
    }

    /// The code at an address; its function is called `known` if the library's file does not name
    /// it.
    pub(super) fn code<'a>(&'a self, address: u64, known: &'a [u8]) -> Code<'a> {
        let build_id = Some(&self.build_id[..]).filter(|id| !id.is_empty());
        let bare = Frame { name: known, ..self.bare(address) };
        let object = match (bare.kind, &self.path[..]) {
            (Kind::Kernel, b"[kernel.kallsyms]") => {
                let (path, offset) = (&b"[kernel.kallsyms]_text"[..], KERNEL);
                let kernel = MappedObject {
                    path,
                    build_id,
                    offset,
                    is_kernel: true,
                    ..MappedObject::default()
                };
                Some((kernel, KERNEL.wrapping_add(address)))
            }
            // Nothing says where the sections of a module were loaded.
            (Kind::Kernel, _) => None,
            (_, [b'/', ..]) => {
                let (path, addressing) = (&self.path[..], Addressing::Image);
                Some((
                    MappedObject { path, build_id, addressing, ..MappedObject::default() },
                    address,
                ))
            }
            _ => None,
        };
        Code { bare, object }
    }

    pub(super) fn key(&self, address: u64) -> Key<'_> {
        (&self.path, &self.build_id, address)
    }
}

/// An address: the path and the build-id of its library, and the address in it.
pub(super) type Key<'a> = (&'a [u8], &'a [u8], u64);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn build_ids_are_those_of_the_code_or_of_breakpad() {
        let code_id = "63260a3e6e46db57abf718f6a3562c6eedccf269";
        let debug_id = "3E0A2663466E57DBABF718F6A3562C6E0";
        let id = |code_id: &str, debug_id: &str| build_id(code_id.as_bytes(), debug_id.as_bytes());
        assert_eq!(id(code_id, debug_id)[..4], [0x63, 0x26, 0x0a, 0x3e]);
        assert_eq!(id(code_id, debug_id).len(), 20);
        assert_eq!(id("", debug_id)[..4], [0x3e, 0x0a, 0x26, 0x63]);
        assert_eq!(id("", debug_id).len(), 16);
        // A program of Windows has another kind of identity.
        assert_eq!(id("5CA1AB1E2000", debug_id).len(), 16);
        for unknown in [
            "000000000000000000000000000000000",
            "",
            "123",
            "no digits at all, but thirty-two of them",
        ] {
            assert!(id("", unknown).is_empty(), "{unknown}");
        }
    }
}
