//! Which functions of an executable the program's own compiler made.

use common::names::rust;

/// What the linker adds to a program, whatever the options of the compiler were.
const OF_LINKER: [&[u8]; 8] = [
    b"_start",
    b"_init",
    b"_fini",
    b"_dl_relocate_static_pie",
    b"deregister_tm_clones",
    b"register_tm_clones",
    b"__do_global_dtors_aux",
    b"frame_dummy",
];

/// The crates of Rust's standard library. It comes compiled, with frame pointers, and is
/// most of a small program, whose own functions have none.
const OF_RUST: [&[u8]; 16] = [
    b"__rustc",
    b"std",
    b"core",
    b"alloc",
    b"addr2line",
    b"adler2",
    b"compiler_builtins",
    b"gimli",
    b"hashbrown",
    b"memchr",
    b"miniz_oxide",
    b"object",
    b"panic_abort",
    b"panic_unwind",
    b"rustc_demangle",
    b"std_detect",
];

/// What comes before the path of a type in the name of its method.
const BEFORE_PATH: [&[u8]; 8] = [b"<", b"&", b"*", b"[", b"mut ", b"const ", b"dyn ", b"impl "];

/// Whether a function comes compiled, from the linker or with Rust, so that the compiler of
/// the program did not make it.
pub(crate) fn comes_compiled(symbol: &[u8]) -> bool {
    OF_LINKER.contains(&symbol) || symbol.starts_with(b"__rust") || is_of_rust(symbol)
}

/// Whether a function is of Rust's standard library, as
/// `<std::io::stdio::StdoutLock as std::io::Write>::flush` and `<&u8 as core::fmt::Debug>::fmt`
/// are.
fn is_of_rust(symbol: &[u8]) -> bool {
    let mut name = Vec::new();
    if !rust::is_rust(symbol) || !rust::demangle(symbol, &mut name) {
        return false;
    }
    let mut path = &name[..];
    while let Some(rest) = BEFORE_PATH.iter().find_map(|mark| path.strip_prefix(*mark)) {
        path = rest;
    }
    let is_of_word = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_';
    let (crate_name, rest) = path.split_at(path.iter().take_while(|it| is_of_word(it)).count());
    // What belongs to no crate is a type of the language.
    !rest.starts_with(b"::") || OF_RUST.contains(&crate_name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_comes_compiled_with_rust_is_told_from_the_program() {
        for symbol in [
            "_start",
            "_ZN4core3fmt5write17h0123456789abcdefE",
            "_ZN61_$LT$std..io..stdio..StdoutLock$u20$as$u20$std..io..Write$GT$5flush17h0123456789abcdefE",
            "_ZN43_$LT$$RF$u8$u20$as$u20$core..fmt..Debug$GT$3fmt17h0123456789abcdefE",
            "_RNvNtCs1234_4core3fmt5write",
            "__rust_alloc",
        ] {
            assert!(comes_compiled(symbol.as_bytes()), "{symbol}");
        }
        for symbol in [
            "main",
            "_Z8sort_alli",
            "_ZN2rs5build17h0123456789abcdefE",
            "_ZN47_$LT$rs..Tree$u20$as$u20$core..fmt..Display$GT$3fmt17h0123456789abcdefE",
        ] {
            assert!(!comes_compiled(symbol.as_bytes()), "{symbol}");
        }
    }
}
