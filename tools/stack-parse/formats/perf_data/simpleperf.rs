//! The functions that simpleperf, the perf of Android, lists in its recordings: those that it found
//! in the files of the recorded machine. The grammar is that of record_file_format.h and
//! record_file.proto in system/extras/simpleperf of AOSP; what addresses mean is in dso.cpp.

use stack_perf_data::FileSymbols;
use symbolize::{ListedAddresses, ListedFunctions};

use crate::read::bytes::{Bytes, Ended};
use crate::read::protobuf::{Malformed, messages, repeated};

messages! {
    /// `FileFeature`.
    file { PATH = 1, TYPE = 2, MIN_VADDR = 3, SYMBOL = 4, ELF_FILE = 6, KERNEL_MODULE = 7 }
    /// `FileFeature.Symbol`.
    symbol { VADDR = 1, LEN = 2, NAME = 3 }
    /// `FileFeature.ElfFile`.
    elf_file { FILE_OFFSET_OF_MIN_VADDR = 1 }
    /// `FileFeature.KernelModule`.
    kernel_module { MEMORY_OFFSET_OF_MIN_VADDR = 1 }
}

/// The types of files, `DsoType` of dso.h. Symbols of the others have addresses in memory: the
/// kernel, maps of symbols that a process wrote, unknown memory.
mod types {
    pub(super) const KERNEL_MODULE: u64 = 1;
    pub(super) const ELF_FILE: u64 = 2;
    pub(super) const DEX_FILE: u64 = 3;
}

/// A function: its first address, its size in bytes, its name.
type Function = (u64, u64, Box<[u8]>);

/// A file as simpleperf lists it.
#[derive(Debug, PartialEq, Eq)]
struct File<'a> {
    path: &'a [u8],
    /// One of [`types`].
    kind: u64,
    /// The lowest address of its code, and where that is: in a file of ELF from its start, in
    /// a module of the kernel from its start in memory.
    min_address: u64,
    offset: Option<u64>,
    functions: Vec<Function>,
}

/// The path of a file and its functions; `None` if it is damaged or lists none.
pub(super) fn listed(file: FileSymbols<'_>) -> Option<(&[u8], ListedFunctions)> {
    let file = match file {
        FileSymbols::Struct(bytes) => of_struct(Bytes(bytes)).ok()?,
        FileSymbols::Message(message) => of_message(message).ok()?,
    };
    let File { path, functions, .. } = file;
    let addresses = addresses(file.kind, file.min_address, file.offset);
    (!functions.is_empty()).then(|| (path, ListedFunctions::new(addresses, functions)))
}

fn addresses(kind: u64, address: u64, offset: Option<u64>) -> ListedAddresses {
    // simpleperf's mark for an offset that it does not know.
    let offset = offset.filter(|offset| *offset != u64::MAX);
    match kind {
        types::ELF_FILE => ListedAddresses::File { address, offset },
        // Their addresses are offsets.
        types::DEX_FILE => ListedAddresses::File { address: 0, offset: Some(0) },
        types::KERNEL_MODULE => {
            ListedAddresses::Module { address, offset: offset.unwrap_or_default() }
        }
        _ => ListedAddresses::Memory,
    }
}

/// `struct file_struct` without its size. Simpleperf wrote the offset at its end only later.
fn of_struct(mut bytes: Bytes<'_>) -> Result<File<'_>, Ended> {
    let path = bytes.string()?;
    let (kind, min_address) = (bytes.u32()?.into(), bytes.u64()?);
    let mut functions = Vec::new();
    for _symbol in 0..bytes.u32()? {
        let (start, size) = (bytes.u64()?, bytes.u32()?.into());
        functions.push((start, size, bytes.string()?.into()));
    }
    let has_offset = matches!(kind, types::ELF_FILE | types::KERNEL_MODULE) && !bytes.is_empty();
    let offset = if has_offset { Some(bytes.u64()?) } else { None };
    Ok(File { path, kind, min_address, offset, functions })
}

fn of_message(message: &[u8]) -> Result<File<'_>, Malformed> {
    let said = file::read(message)?;
    let elf = said.message(file::ELF_FILE).map(elf_file::read).transpose()?;
    let module = said.message(file::KERNEL_MODULE).map(kernel_module::read).transpose()?;
    let of_elf = elf.map(|elf| elf.number(elf_file::FILE_OFFSET_OF_MIN_VADDR));
    let of_module = module.map(|it| it.number(kernel_module::MEMORY_OFFSET_OF_MIN_VADDR));
    Ok(File {
        path: said.bytes(file::PATH),
        kind: said.number(file::TYPE),
        min_address: said.number(file::MIN_VADDR),
        offset: of_elf.or(of_module),
        functions: repeated(message, file::SYMBOL).map(function).collect::<Result<_, _>>()?,
    })
}

fn function(message: Result<&[u8], Malformed>) -> Result<Function, Malformed> {
    let said = symbol::read(message?)?;
    let [start, size] = said.numbers([symbol::VADDR, symbol::LEN]);
    Ok((start, size, said.bytes(symbol::NAME).into()))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A file of ELF with one function, as simpleperf wrote it first and last.
    const STRUCT: &[u8] = b"/app\0\x02\0\0\0\0\x10\0\0\0\0\0\0\x01\0\0\0\
        \x10\x10\0\0\0\0\0\0\x04\0\0\0main\0\0\x08\0\0\0\0\0\0";
    const MESSAGE: &[u8] =
        b"\x0a\x04/app\x10\x02\x18\x80\x20\x22\x0b\x08\x90\x20\x10\x04\x1a\x04main\x32\x03\x08\x80\x10";

    #[test]
    fn both_forms_say_the_same() {
        let functions = vec![(0x1010, 4, b"main"[..].into())];
        let (kind, min_address, offset) = (types::ELF_FILE, 0x1000, Some(0x800));
        let file = File { path: b"/app", kind, min_address, offset, functions };
        assert_eq!(of_struct(Bytes(STRUCT)), Ok(file));
        assert_eq!(of_message(MESSAGE), Ok(of_struct(Bytes(STRUCT)).expect("a whole file")));
        let without = of_struct(Bytes(&STRUCT[..STRUCT.len() - 8])).expect("a whole file");
        assert_eq!(without.offset, None);
    }

    #[test]
    fn a_damaged_file_lists_nothing() {
        // Without the offset at its end it is whole, as simpleperf once wrote it.
        let optional = [STRUCT.len() - 8, STRUCT.len()];
        for end in (0..STRUCT.len()).filter(|end| !optional.contains(end)) {
            assert!(listed(FileSymbols::Struct(&STRUCT[..end])).is_none(), "{end}");
        }
        let huge = [b"/app\0\x02\0\0\0", &[0; 8][..], &[0xff; 4]].concat();
        assert!(listed(FileSymbols::Struct(&huge)).is_none());
        assert!(listed(FileSymbols::Message(&MESSAGE[..20])).is_none());
    }

    #[test]
    fn addresses_are_those_that_simpleperf_means() {
        let elf = |offset| ListedAddresses::File { address: 9, offset };
        assert_eq!(addresses(types::ELF_FILE, 9, Some(4)), elf(Some(4)));
        assert_eq!(addresses(types::ELF_FILE, 9, Some(u64::MAX)), elf(None));
        let dex = ListedAddresses::File { address: 0, offset: Some(0) };
        assert_eq!(addresses(types::DEX_FILE, 9, None), dex);
        let module = ListedAddresses::Module { address: 9, offset: 0 };
        assert_eq!(addresses(types::KERNEL_MODULE, 9, None), module);
        assert_eq!(addresses(0, 9, None), ListedAddresses::Memory);
    }
}
