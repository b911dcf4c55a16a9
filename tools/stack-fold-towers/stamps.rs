//! The numbers that OCaml's compiler appends to names.

/// The name of an OCaml function without the stamp at its end; any other name as it is.
///
/// Anonymous functions keep theirs: only the stamp distinguishes them.
pub(crate) fn without_stamp(name: &[u8]) -> &[u8] {
    let digits = name.iter().rev().take_while(|byte| byte.is_ascii_digit()).count();
    let Some((b'_' | b'/', base)) = name[..name.len() - digits].split_last() else {
        return name;
    };
    if digits == 0 || !is_ocaml(base) || is_anonymous(base) { name } else { base }
}

/// Whether the name begins with an OCaml unit: `Stdlib.Map.add` as perf prints it,
/// `camlStdlib__Map__add` as the compiler mangles it, with a `_` before it on macOS.
fn is_ocaml(name: &[u8]) -> bool {
    let name = name.strip_prefix(b"_").unwrap_or(name);
    let mangled = name.strip_prefix(b"caml").filter(|unit| starts_upper(unit));
    if let Some(unit) = mangled {
        return unit.windows(2).any(|pair| pair == b"__") || unit.iter().any(is_separator);
    }
    starts_upper(name) && name.iter().find(|byte| !is_of_unit(byte)).is_some_and(is_separator)
}

fn starts_upper(name: &[u8]) -> bool {
    name.first().is_some_and(u8::is_ascii_uppercase)
}

fn is_of_unit(byte: &u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'\'')
}

/// `$` is the separator of OCaml 5.4 on macOS; where perf takes it and what follows for an
/// escape, it prints a byte that is not ASCII: `Stdlib.Map\xadd_437`.
fn is_separator(byte: &u8) -> bool {
    matches!(byte, b'.' | b'$') || !byte.is_ascii()
}

/// `fun` is a keyword, so no function has it as its name.
fn is_anonymous(base: &[u8]) -> bool {
    [&b"fun"[..], b"anon_fn"].iter().any(|word| {
        let before = base.strip_suffix(*word);
        before.is_some_and(|before| {
            before.ends_with(b"__") || before.last().is_some_and(is_separator)
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stamps_of_named_functions_go() {
        for (name, base) in [
            ("Treegc.rename_775", "Treegc.rename"),
            ("Treegc.rename/775", "Treegc.rename"),
            ("camlTreegc__rename_775", "camlTreegc__rename"),
            ("camlStdlib__Map.add_436", "camlStdlib__Map.add"),
            ("camlOdd$let$$2b_504", "camlOdd$let$$2b"),
            ("_camlFib.main_271", "_camlFib.main"),
            ("Pack_store.Inode.add_64_542", "Pack_store.Inode.add_64"),
            ("Pack_store.Inode.find'_501", "Pack_store.Inode.find'"),
            ("Lwt.>|=_2458", "Lwt.>|="),
            ("Odd$let$+_504", "Odd$let$+"),
            ("Lwtsim.fun_7_562", "Lwtsim.fun_7"),
        ] {
            assert_eq!(without_stamp(name.as_bytes()), base.as_bytes());
        }
        assert_eq!(without_stamp(b"Stdlib.Map\xadd_437"), b"Stdlib.Map\xadd");
    }

    #[test]
    fn other_names_stay() {
        for name in [
            "Lwtsim.fun_811",
            "camlLwtsim__fun_811",
            "Odd$fun_1192",
            "Lwtsim.(fun/811)",
            "Pack_store.Codec.anon_fn_2207",
            "Treegc.rename_775 (x4+)",
            "Treegc.rename_775_[k]",
            "Treegc.entry",
            "caml_apply2",
            "caml_curry4_1",
            "do_syscall_64",
            "Worker_3",
            "std::thread_1",
            "_12",
            "12",
            "",
        ] {
            assert_eq!(without_stamp(name.as_bytes()), name.as_bytes());
        }
    }
}
