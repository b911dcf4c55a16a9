//! Compilation units: `Stdlib__List` is the module `Stdlib.List`.

/// Appends the module path of `unit`, the name of a compilation unit.
///
/// dune joins the names of a library and its module by `__`. If a lower-case name follows, the `__`
/// belongs to the name: a program can write `Eio__core.Fiber`.
pub(super) fn write(unit: &[u8], out: &mut Vec<u8>) {
    // dune wraps the modules of an executable: `Dune__exe__Main`.
    let mut rest = match unit.strip_prefix(b"Dune__exe__") {
        Some(module) if !module.is_empty() => module,
        _ => unit,
    };
    while let Some(end) = end_of_module(rest) {
        write_capitalised(&rest[..end], out);
        out.push(b'.');
        rest = &rest[end + 2..];
    }
    write_capitalised(rest, out);
}

/// Returns the length of the first module's name if another module follows.
fn end_of_module(unit: &[u8]) -> Option<usize> {
    // `Stdlib__map` is a module from 4.07 to 4.12.
    if is_lower_case_stdlib(unit) {
        return Some(b"Stdlib".len());
    }
    let joint = unit
        .get(1..)?
        .windows(3)
        .position(|w| w.starts_with(b"__") && w[2].is_ascii_uppercase())?;
    Some(joint + 1)
}

/// Whether `unit` begins like the units of the standard library from 4.07 to 4.12: `Stdlib__map`.
pub(super) fn is_lower_case_stdlib(unit: &[u8]) -> bool {
    unit.strip_prefix(b"Stdlib__")
        .is_some_and(|module| module.first().is_some_and(u8::is_ascii_lowercase))
}

/// Whether `text` can be a module's name: `Make_list`, `Foo'`.
pub(super) fn is_module_name(text: &[u8]) -> bool {
    text.first().is_some_and(u8::is_ascii_uppercase)
        && text.iter().all(|&b| b.is_ascii_alphanumeric() || b == b'_' || b == b'\'')
}

fn write_capitalised(module: &[u8], out: &mut Vec<u8>) {
    if let Some((first, rest)) = module.split_first() {
        out.push(first.to_ascii_uppercase());
        out.extend_from_slice(rest);
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn a_module_has_a_capital_and_no_other_characters_than_identifiers() {
        for (text, is_module) in [
            ("Make_list", true),
            ("Foo'", true),
            ("F'oo9", true),
            ("", false),
            ("foo", false),
            ("'Foo", false),
            ("_Foo", false),
            ("Foo.Bar", false),
            ("Foo\"", false),
            ("Caf\u{e9}", false),
        ] {
            assert_eq!(super::is_module_name(text.as_bytes()), is_module, "{text}");
        }
    }

    #[test]
    fn modules_are_joined_by_dots() {
        for (unit, path) in [
            ("List", "List"),
            ("Stdlib__List", "Stdlib.List"),
            ("Stdlib__map", "Stdlib.Map"),
            ("Eio__core__Fiber", "Eio__core.Fiber"),
            ("My__lib", "My__lib"),
            ("Foo___Bar", "Foo_.Bar"),
            ("Foo_", "Foo_"),
            ("Dune__exe__Main", "Main"),
            ("Dune__exe", "Dune__exe"),
            ("Dune__exe__", "Dune__exe__"),
            ("A__B__C", "A.B.C"),
        ] {
            let mut out = Vec::new();
            super::write(unit.as_bytes(), &mut out);
            assert_eq!(out, path.as_bytes(), "{unit}");
        }
    }
}
