//! Recordings of perf made by hand: the code at an address, and its name.

use std::fs;
use std::path::{Path, PathBuf};

use crate::perf_stream::{DATA, IN_KERNEL, IN_PROGRAM, KERNEL, Stream};
use crate::util::output;

/// The address of the kernel in the recordings.
const TEXT: u64 = 0xffff_ffff_8100_0000;

/// A folder of this name that stands for `/`, with a list of the kernel's symbols.
fn symfs(name: &str, kallsyms: &str) -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    fs::create_dir_all(folder.join("proc")).expect("a writable target directory");
    fs::write(folder.join("proc/kallsyms"), kallsyms).expect("a writable folder");
    folder
}

/// The stacks of a recording, and the messages.
fn parsed(stream: &Stream, symfs: &Path) -> (String, String) {
    let symfs = symfs.to_str().expect("UTF-8");
    let output = output("stack-parse", &["--root", "none", "--symfs", symfs], &stream.bytes);
    assert!(output.status.success(), "{output:?}");
    let [stdout, stderr] =
        [output.stdout, output.stderr].map(|text| String::from_utf8(text).expect("UTF-8"));
    (stdout, stderr)
}

/// A recording with samples in all kinds of code of the kernel.
fn of_kernel() -> Stream {
    Stream::new()
        .map(KERNEL, IN_KERNEL, TEXT, 0x100_0000, TEXT, "[kernel.kallsyms]_text")
        .map(KERNEL, IN_KERNEL, 0xffff_ffff_c000_0000, 0x1000, 0, "/lib/modules/6.1/nft.ko")
        .program(0xffff_ffff_c100_0000, 0x100, "bpf_prog_0123456789abcdef_filter")
        .sample(IN_KERNEL, TEXT + 0x110)
        .sample(IN_KERNEL, 0xffff_ffff_c000_0010)
        .sample(IN_KERNEL, 0xffff_ffff_c100_0010)
        // There is no record for trampolines.
        .sample(IN_KERNEL, 0xffff_ffff_c200_0010)
}

#[test]
fn all_code_of_the_kernel_has_a_name() {
    let symbols = format!(
        "{TEXT:x} T _text\n{:x} t do_work\nffffffffc0000000 t nft_do_chain\t[nft]\n\
         ffffffffc2000000 t ftrace_trampoline\t[__builtin__ftrace]\n",
        TEXT + 0x100
    );
    let (stacks, said) = parsed(&of_kernel(), &symfs("kernel", &symbols));
    let expected =
        "bpf_prog_0123456789abcdef_filter 1\ndo_work 1\nftrace_trampoline 1\nnft_do_chain 1\n";
    assert_eq!(stacks, expected);
    assert!(!said.contains("no symbols"), "{said}");
}

#[test]
fn a_kernel_that_hides_its_addresses_is_reported_once() {
    let hidden = "0000000000000000 T _text\n0000000000000000 t do_work\n";
    let (stacks, said) = parsed(&of_kernel(), &symfs("hidden-kernel", hidden));
    assert_eq!(stacks, "[kernel.kallsyms] 2\n[nft.ko] 1\nbpf_prog_0123456789abcdef_filter 1\n");
    let why = "[kernel.kallsyms]: no symbols for 50.0 % of all frames: all addresses in \
               /proc/kallsyms are 0, since the kernel hides them (kernel.kptr_restrict): run \
               stack-parse as root, or name a copy that root made with --kallsyms";
    assert_eq!(said.matches(why).count(), 1, "{said}");
}

#[test]
fn data_takes_the_place_of_code() {
    let code = |stream: Stream| stream.map(7, IN_PROGRAM, 0x1000, 0x3000, 0, "/gone.so");
    let stream = code(Stream::new())
        .sample(IN_PROGRAM, 0x2010)
        .map(7, IN_PROGRAM | DATA, 0x2000, 0x1000, 0, "//anon")
        .sample(IN_PROGRAM, 0x2010)
        .sample(IN_PROGRAM, 0x3010);
    let (stacks, _) = parsed(&code(stream).sample(IN_PROGRAM, 0x2010), &symfs("data", ""));
    assert_eq!(stacks, "[gone.so+0x1010] 2\n[gone.so+0x2010] 1\n[unknown] 1\n");
}
