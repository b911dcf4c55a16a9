//! The kernel's symbols, as `/proc/kallsyms` lists them.

use std::fs::{self, File};
use std::io::{self, Read};
use std::path::Path;
use std::sync::{Arc, OnceLock};

use bstr::ByteSlice;

use super::finder::Finder;
use super::no_symbols::NoSymbols;
use super::spans::{Span, Spans};
use crate::bytes::{Cursor, hexadecimal};

/// The symbols whose addresses perf records to show where the kernel was loaded.
const REFERENCES: [&[u8]; 2] = [b"_text", b"_stext"];

/// The size that is assumed for the last function of the kernel or of a module, in bytes.
const PAGE: u64 = 4096;

/// The size of a list of symbols that is longer than most, in bytes. With this much memory from the
/// start, nothing is copied on growth; memory costs nothing until it is used.
const LONG_LIST: usize = 8 << 20;

/// The size of a line that is shorter than most, in bytes.
const SHORT_LINE: usize = 40;

/// The functions of a kernel and its modules.
#[derive(Debug)]
pub(super) struct Kallsyms {
    text: Vec<u8>,
    /// Known by the start of their names in `text`.
    spans: Spans,
    /// The addresses of [`REFERENCES`].
    references: Vec<Reference>,
}

/// A symbol and its address, which differs from boot to boot (KASLR).
#[derive(Clone, Debug)]
pub(super) struct Reference {
    pub(super) symbol: Box<[u8]>,
    pub(super) address: u64,
}

impl Kallsyms {
    /// Reads the text of a kallsyms file.
    ///
    /// # Errors
    ///
    /// [`NoSymbols::Restricted`] if all addresses are 0, [`NoSymbols::NotFound`] if there is no
    /// function.
    pub(super) fn parse(text: Vec<u8>) -> Result<Kallsyms, NoSymbols> {
        let mut found = functions(&text);
        if found.is_empty() {
            return Err(NoSymbols::NotFound);
        }
        if found.iter().all(|function| function.address == 0) {
            return Err(NoSymbols::Restricted);
        }
        found.sort_by_key(|function| function.address);
        let mut spans = Vec::with_capacity(found.len());
        for (number, function) in found.iter().enumerate() {
            let next = found.get(number + 1);
            // Of several at one address, perf takes the last.
            if next.is_some_and(|next| next.address == function.address) {
                continue;
            }
            let end = match next {
                Some(next) if are_together(&text, next, function) => next.address,
                _ => function.address.saturating_add(2 * PAGE - 1) & !(PAGE - 1),
            };
            spans.push(Span::new(function.address, end, function.name));
        }
        let reference = |symbol: &&[u8]| {
            let after_space = [b" ", *symbol].concat();
            let mut names =
                text.find_iter(&after_space).filter_map(|at| u32::try_from(at + 1).ok());
            let name = names.find(|&name| name_at(&text, name) == *symbol)?;
            let address = found.iter().find(|function| function.name == name)?.address;
            Some(Reference { symbol: (*symbol).into(), address })
        };
        let references = REFERENCES.iter().filter_map(reference).collect();
        Ok(Kallsyms { spans: Spans::new(spans), references, text })
    }

    /// The function at `address`.
    fn name(&self, address: u64) -> Option<&[u8]> {
        let span = self.spans.at(address).next()?;
        Some(name_at(&self.text, span.what))
    }

    /// How much higher in memory the kernel with this reference is.
    fn shift(&self, reference: &Reference) -> u64 {
        let ours = self.references.iter().find(|ours| ours.symbol == reference.symbol);
        ours.map_or(0, |ours| reference.address.wrapping_sub(ours.address))
    }
}

/// The kernel of a recording.
#[derive(Clone, Debug, Default)]
pub(super) struct Kernel {
    build_id: Option<Box<[u8]>>,
    /// Whether it is the running kernel according to its version, if there is no build-id.
    is_ours: bool,
    /// Where it was loaded.
    pub(super) reference: Option<Reference>,
    /// Its symbols, shared by all kernels that have them.
    symbols: Arc<OnceLock<Result<Kallsyms, NoSymbols>>>,
}

impl Kernel {
    pub(super) fn new(build_id: Option<Box<[u8]>>, is_ours: bool) -> Kernel {
        Kernel { build_id, is_ours, ..Kernel::default() }
    }

    /// Whether both have the same symbols.
    pub(super) fn is_like(&self, other: &Kernel) -> bool {
        self.build_id == other.build_id && self.is_ours == other.is_ours
    }

    /// This kernel, loaded where `reference` says.
    pub(super) fn at(&self, reference: Option<Reference>) -> Kernel {
        Kernel { reference, ..self.clone() }
    }

    /// Reads the symbols, unless they were read before.
    pub(super) fn open(&self, finder: &Finder) {
        self.symbols.get_or_init(|| read(finder, self.build_id.as_deref(), self.is_ours));
    }

    /// The function of the kernel itself at `address`.
    pub(super) fn name(&self, address: u64) -> Option<&[u8]> {
        let symbols = self.symbols.get()?.as_ref().ok()?;
        let shift = self.reference.as_ref().map_or(0, |reference| symbols.shift(reference));
        symbols.name(address.wrapping_sub(shift))
    }

    /// The function of a module, or of other code of the kernel, at `address`. Code that is loaded
    /// later is at another address if the kernel is.
    pub(super) fn module_name(&self, address: u64) -> Option<&[u8]> {
        let symbols = self.symbols.get()?.as_ref().ok()?;
        let is_shifted = self.reference.as_ref().is_some_and(|it| symbols.shift(it) != 0);
        symbols.name(address).filter(|_| !is_shifted)
    }

    /// Why there are no symbols, if there are none.
    pub(super) fn why(&self) -> Option<&NoSymbols> {
        self.symbols.get()?.as_ref().err()
    }
}

/// A line of kallsyms that names code; its parts are known by their start in the text.
#[derive(Clone, Copy)]
struct Function {
    address: u64,
    name: u32,
    /// `[nf_tables]`; 0 for the kernel itself.
    module: u32,
}

/// All functions, in the order of the lines: `ffffffffc0a3d010 t nft_do_chain\t[nf_tables]`.
///
/// A list has more than 100,000 lines and takes longer to read than most recordings. So numbers are
/// parsed without checking the text first, and modules only where a line ends in one.
fn functions(text: &[u8]) -> Vec<Function> {
    let at = |part: &[u8]| u32::try_from(part.as_ptr().addr() - text.as_ptr().addr()).ok();
    let function = |line: &[u8]| {
        let (address, rest) = line.split_at(line.iter().position(|&byte| byte == b' ')?);
        let [b' ', b'T' | b't' | b'W' | b'w', b' ', name @ ..] = rest else { return None };
        let module = match line {
            [.., b']'] => name.iter().position(|&byte| byte == b'\t').map(|tab| &name[tab + 1..]),
            _ => None,
        };
        let module = module.map_or(Some(0), at)?;
        Some(Function { address: hexadecimal(address)?, name: at(name)?, module })
    };
    let mut functions = Vec::with_capacity(text.len() / SHORT_LINE);
    functions.extend(text.lines().filter_map(function));
    functions
}

/// Reads a list of symbols; in `/proc` its size is unknown.
fn read_list(file: &Path) -> io::Result<Vec<u8>> {
    let mut text = Vec::with_capacity(LONG_LIST);
    File::open(file)?.read_to_end(&mut text)?;
    Ok(text)
}

/// The name that starts at `start`.
fn name_at(text: &[u8], start: u32) -> &[u8] {
    let line = text[start as usize..].lines().next().unwrap_or_default();
    line.iter().position(|&byte| byte == b'\t').map_or(line, |tab| &line[..tab])
}

/// Whether both functions are of the kernel itself, or of one module.
fn are_together(text: &[u8], one: &Function, other: &Function) -> bool {
    // Nearly all are of the kernel: then no texts are compared.
    if one.module == 0 || other.module == 0 {
        return one.module == other.module;
    }
    let [one, other] =
        [one, other].map(|it| text[it.module as usize..].lines().next().unwrap_or_default());
    one == other
}

/// Reads the symbols of the recorded kernel: from the file that the caller names, from the copy
/// that perf kept, or from the running kernel if it is the same one.
fn read(finder: &Finder, build_id: Option<&[u8]>, is_ours: bool) -> Result<Kallsyms, NoSymbols> {
    let read = |file: &Path| Kallsyms::parse(read_list(file)?);
    if let Some(file) = &finder.options.kallsyms {
        return read(file);
    }
    let cached = build_id.and_then(|build_id| finder.cached(build_id, "kallsyms"));
    if let Some(kallsyms) = cached.and_then(|file| read(&file).ok()) {
        return Ok(kallsyms);
    }
    let is_right = match build_id {
        _ if !finder.is_of_this_machine() => true,
        Some(build_id) => running_build_id().is_some_and(|running| running == build_id),
        None => is_ours,
    };
    if is_right { read(&finder.file(b"/proc/kallsyms")) } else { Err(NoSymbols::OtherKernel) }
}

/// The build-id of the kernel that runs.
fn running_build_id() -> Option<Vec<u8>> {
    build_id_note(&fs::read("/sys/kernel/notes").ok()?).map(<[u8]>::to_vec)
}

/// The build-id among notes of ELF. Each note has three numbers of 4 bytes, the size of its name,
/// the size of its content and its type, and then name and content, padded to 4 bytes.
fn build_id_note(notes: &[u8]) -> Option<&[u8]> {
    const BUILD_ID: u32 = 3;
    let mut notes = Cursor::new(notes);
    loop {
        let (name_size, size, kind) = (notes.u32()?, notes.u32()?, notes.u32()?);
        let name = notes.take(padded(name_size)?)?;
        // The last note may lack its padding.
        if kind == BUILD_ID && name == b"GNU\0" {
            return notes.take(size as usize);
        }
        notes.take(padded(size)?)?;
    }
}

fn padded(size: u32) -> Option<usize> {
    Some(size.checked_next_multiple_of(4)? as usize)
}

/// Whether the running kernel has this version.
pub(super) fn is_running(release: &[u8]) -> bool {
    let running = fs::read("/proc/sys/kernel/osrelease");
    running.is_ok_and(|running| running.trim_ascii_end() == release)
}

#[cfg(test)]
mod tests {
    use super::super::options::Options;
    use super::*;

    const TEXT: &str = "\
0000000000000000 A fixed_percpu_data
ffffffff81000000 T _text
ffffffff81000000 T startup_64
ffffffff81000100 t local_helper
ffffffff81000200 T memset
ffffffff81000200 W __memset
ffffffff81000200 T __pi_memset
ffffffff81000300 W last_of_the_kernel
ffffffff82000000 D a_variable
ffffffffc0a3d010 t nft_do_chain\t[nf_tables]
ffffffffc0a3d100 t last_of_the_module\t[nf_tables]
ffffffffc0b00000 t bpf_prog_6deef7357e7b4530\t[bpf]
";

    fn kernel(text: &str, reference: Option<(&str, u64)>) -> Kernel {
        let reference = reference
            .map(|(symbol, address)| Reference { symbol: symbol.as_bytes().into(), address });
        let kernel = Kernel::default().at(reference);
        kernel.symbols.set(Kallsyms::parse(text.as_bytes().to_vec())).expect("not set yet");
        kernel
    }

    fn text(name: Option<&[u8]>) -> &str {
        name.map_or("", |name| name.to_str().expect("UTF-8"))
    }

    #[test]
    fn functions_are_chosen_as_perf_does() {
        let kernel = kernel(TEXT, None);
        for (address, expected) in [
            (0xffff_ffff_8100_0000, "startup_64"),
            (0xffff_ffff_8100_00ff, "startup_64"),
            (0xffff_ffff_8100_0100, "local_helper"),
            // The last one at an address.
            (0xffff_ffff_8100_0200, "__pi_memset"),
            (0xffff_ffff_8100_1000, "last_of_the_kernel"),
            (0xffff_ffff_8100_2000, ""),
            (0xffff_ffff_8200_0000, ""),
        ] {
            assert_eq!(text(kernel.name(address)), expected, "{address:x}");
        }
    }

    #[test]
    fn modules_have_their_functions() {
        let kernel = kernel(TEXT, Some(("_text", 0xffff_ffff_8100_0000)));
        for (address, expected) in [
            (0xffff_ffff_c0a3_d010, "nft_do_chain"),
            (0xffff_ffff_c0a3_e0ff, "last_of_the_module"),
            (0xffff_ffff_c0a3_f000, ""),
            (0xffff_ffff_c0b0_0004, "bpf_prog_6deef7357e7b4530"),
        ] {
            assert_eq!(text(kernel.module_name(address)), expected, "{address:x}");
        }
    }

    #[test]
    fn a_kernel_that_was_loaded_elsewhere_is_shifted_and_its_modules_are_unknown() {
        for symbol in ["_text", "_stext"] {
            let listed = format!("ffffffff81000000 T {symbol}\n{TEXT}");
            let kernel = kernel(&listed, Some((symbol, 0xffff_ffff_9a00_0000)));
            assert_eq!(text(kernel.name(0xffff_ffff_9a00_0100)), "local_helper");
            assert_eq!(kernel.name(0xffff_ffff_8100_0100), None);
            assert_eq!(kernel.module_name(0xffff_ffff_c0a3_d010), None);
        }
    }

    #[test]
    fn hidden_addresses_are_told() {
        let hidden = "0000000000000000 T _text\n0000000000000000 t f\n";
        assert_eq!(kernel(hidden, None).why(), Some(&NoSymbols::Restricted));
        assert_eq!(kernel("", None).why(), Some(&NoSymbols::NotFound));
        assert_eq!(kernel(TEXT, None).why(), None);
    }

    #[test]
    fn the_build_id_is_among_other_notes() {
        let note = |name: &[u8], kind: u32, contents: &[u8]| {
            let padded = |bytes: &[u8]| {
                let mut bytes = bytes.to_vec();
                bytes.resize(bytes.len().next_multiple_of(4), 0);
                bytes
            };
            let sizes = [name.len() as u32, contents.len() as u32, kind];
            let sizes: Vec<u8> = sizes.iter().flat_map(|size| size.to_le_bytes()).collect();
            [sizes, padded(name), padded(contents)].concat()
        };
        let notes = [
            note(b"Xen\0", 3, b"other"),
            note(b"Linux\0", 0x101, b"12345"),
            note(b"GNU\0", 1, b"abi"),
            note(b"GNU\0", 3, b"the build-id"),
        ]
        .concat();
        assert_eq!(build_id_note(&notes), Some(&b"the build-id"[..]));
        for end in 0..notes.len() {
            assert_eq!(build_id_note(&notes[..end]), None);
        }
    }

    #[test]
    fn another_kernel_does_not_lend_its_symbols() {
        let here = Finder::new(Options::default());
        let why = |build_id, is_ours| read(&here, build_id, is_ours).err();
        assert_eq!(why(Some(b"another"), true), Some(NoSymbols::OtherKernel));
        assert_eq!(why(None, false), Some(NoSymbols::OtherKernel));
        let running = running_build_id();
        assert_ne!(why(running.as_deref(), running.is_none()), Some(NoSymbols::OtherKernel));
    }
}
