//! Identifiers and their stamps: `map_342`, `fun_811`, `anon_fn[main.ml:6,35--143]_9`, `entry`.

use super::stamps::Stamps;

/// An identifier, split from what the compiler appended to it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Stamped<'a> {
    name: &'a [u8],
    /// `342`, or `1_2` of OxCaml's `_1_2_code`.
    stamp: Option<&'a [u8]>,
    /// Whether it is one of OxCaml's code symbols.
    is_code: bool,
}

/// What a symbol says of the function that it names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FunctionKind<'a> {
    /// What a unit runs at the start.
    Toplevel,
    /// A function without a name.
    Anonymous,
    /// A function's identifier, without its stamp, not in parentheses.
    Named(&'a [u8]),
}

/// Appends the readable form of `identifier`, which is decoded and has its stamp.
pub(super) fn write(identifier: &[u8], stamps: Stamps, out: &mut Vec<u8>) {
    if is_unit_symbol(identifier) {
        // `entry` is the initialiser of the unit: it runs the top-level definitions.
        let role = if identifier == b"entry" { b"toplevel" } else { identifier };
        return write_parts(&[b"(", role, b")"], out);
    }
    if is_number(identifier) {
        return write_parts(&[b"(const ", identifier, b")"], out);
    }
    let Stamped { name, stamp, is_code } = split_stamp(identifier);
    match origin(name, is_code) {
        Some(Origin { file, line }) => {
            out.extend_from_slice(b"(fun");
            if !line.is_empty() {
                write_parts(&[b" ", file, b":", line], out);
            }
            write_stamp(stamp.filter(|_| stamps != Stamps::Drop), out);
            out.push(b')');
        }
        None => {
            write_name(name, out);
            write_stamp(stamp.filter(|_| stamps == Stamps::Keep), out);
        }
    }
}

/// The function that `identifier`, decoded but with its stamp, names; `None` if it is a mark or a
/// constant.
pub(super) fn function(identifier: &[u8]) -> Option<FunctionKind<'_>> {
    if identifier == b"entry" {
        return Some(FunctionKind::Toplevel);
    }
    if is_unit_symbol(identifier) || is_number(identifier) {
        return None;
    }
    let Stamped { name, is_code, .. } = split_stamp(identifier);
    let is_anonymous = origin(name, is_code).is_some();
    Some(if is_anonymous { FunctionKind::Anonymous } else { FunctionKind::Named(name) })
}

/// The stamp of `identifier`.
pub(super) fn stamp(identifier: &[u8]) -> Option<&[u8]> {
    split_stamp(identifier).stamp
}

/// Appends `name`, with parentheses if OCaml's own backtraces have them: `(>>=)`, but `let*`.
///
/// ```
/// let mut name = b"Lwt.".to_vec();
/// ocaml_demangle::parts::write_name(b">>=", &mut name);
/// assert_eq!(name, b"Lwt.(>>=)");
/// ```
pub fn write_name(name: &[u8], out: &mut Vec<u8>) {
    match name.first() {
        Some(&b) if b.is_ascii_alphanumeric() || b == b'_' || !b.is_ascii() => {
            out.extend_from_slice(name);
        }
        _ => write_parts(&[b"(", name, b")"], out),
    }
}

fn write_stamp(stamp: Option<&[u8]>, out: &mut Vec<u8>) {
    if let Some(stamp) = stamp {
        write_parts(&[b"/", stamp], out);
    }
}

fn write_parts(parts: &[&[u8]], out: &mut Vec<u8>) {
    for part in parts {
        out.extend_from_slice(part);
    }
}

/// Whether `identifier` is one of the symbols that every unit has. These have no stamp: `entry_556`
/// is a function of the program.
pub(super) fn is_unit_symbol(identifier: &[u8]) -> bool {
    const SYMBOLS: [&[u8]; 7] = [
        b"entry",
        b"code_begin",
        b"code_end",
        b"data_begin",
        b"data_end",
        b"frametable",
        b"gc_roots",
    ];
    SYMBOLS.contains(&identifier)
}

/// Whether `identifier` ends in a stamp.
pub(super) fn has_stamp(identifier: &[u8]) -> bool {
    split_stamp(identifier).stamp.is_some()
}

fn split_stamp(identifier: &[u8]) -> Stamped<'_> {
    let unstamped = Stamped { name: identifier, stamp: None, is_code: false };
    if let Some(numbered) = identifier.strip_suffix(b"_code") {
        // OxCaml: add_64_1_2_code is add_64 with the stamp 1_2.
        let Some(last) = start_of_number(numbered) else {
            return unstamped;
        };
        let name = start_of_number(&numbered[..last]).unwrap_or(last);
        let (name, stamp) = (&numbered[..name], Some(&numbered[name + 1..]));
        return Stamped { name, stamp, is_code: true };
    }
    // flambda's data symbol of a function: map_342_closure
    let numbered = identifier.strip_suffix(b"_closure").unwrap_or(identifier);
    match start_of_number(numbered) {
        Some(end) => {
            let (name, stamp) = (&numbered[..end], Some(&numbered[end + 1..]));
            Stamped { name, stamp, is_code: false }
        }
        None => unstamped,
    }
}

/// Returns where the `_342` at the end of `text` begins, if it is not the whole text.
fn start_of_number(text: &[u8]) -> Option<usize> {
    let underscore = text.iter().rposition(|&b| b == b'_')?;
    let number = &text[underscore + 1..];
    // Stamps have no leading zeros: the 007 of `agent_007` belongs to the name.
    let is_stamp = is_number(number) && (number[0] != b'0' || number.len() == 1);
    (is_stamp && underscore > 0).then_some(underscore)
}

fn is_number(text: &[u8]) -> bool {
    !text.is_empty() && text.iter().all(u8::is_ascii_digit)
}

/// The source location of an anonymous function; both parts are empty if its name has none.
#[derive(Default)]
struct Origin<'a> {
    file: &'a [u8],
    line: &'a [u8],
}

/// Returns the origin of an anonymous function, None if `name` is that of a named one.
///
/// In closure mode it is `fun`, a keyword. In flambda it is `anon_fn[main.ml:6,35--143]`, or
/// `anon_fn` if the location is unknown; from 4.03 to 4.06 it was `anon-fn[..]`. In OxCaml it is
/// `fn`; outside of its code symbols, that may be the name of a user's function.
fn origin(name: &[u8], is_code: bool) -> Option<Origin<'_>> {
    match name {
        b"fun" | b"anon_fn" => Some(Origin::default()),
        b"fn" if is_code => Some(Origin::default()),
        _ => {
            let location = [&b"anon_fn["[..], b"anon-fn[", b"fn["]
                .iter()
                .find_map(|prefix| name.strip_prefix(*prefix))?
                .strip_suffix(b"]")?;
            parse_location(location)
        }
    }
}

/// `main.ml:6,35--143`: file, line and columns.
fn parse_location(location: &[u8]) -> Option<Origin<'_>> {
    let colon = location.iter().rposition(|&b| b == b':')?;
    let (file, span) = (&location[..colon], &location[colon + 1..]);
    let comma = span.iter().position(|&b| b == b',')?;
    let (line, columns) = (&span[..comma], &span[comma + 1..]);
    let dashes = columns.windows(2).position(|w| w == b"--")?;
    let is_span =
        is_number(line) && is_number(&columns[..dashes]) && is_number(&columns[dashes + 2..]);
    is_span.then_some(Origin { file, line })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(identifier: &str) -> [String; 3] {
        [Stamps::Anonymous, Stamps::Drop, Stamps::Keep].map(|stamps| {
            let mut out = Vec::new();
            write(identifier.as_bytes(), stamps, &mut out);
            String::from_utf8(out).unwrap()
        })
    }

    #[test]
    fn named_functions_lose_their_stamp() {
        for (identifier, name, kept) in [
            ("add_349", "add", "add/349"),
            ("add_64_542", "add_64", "add_64/542"),
            ("find'_501", "find'", "find'/501"),
            (">>=_521", "(>>=)", "(>>=)/521"),
            ("let*_516", "let*", "let*/516"),
            ("x_1__536", "x_1_", "x_1_/536"),
            ("fun_7_562", "fun_7", "fun_7/562"),
            ("fun__364", "fun_", "fun_/364"),
            ("fn_12", "fn", "fn/12"),
            ("entry_556", "entry", "entry/556"),
            ("map_342_closure", "map", "map/342"),
            ("add_64_1_2_code", "add_64", "add_64/1_2"),
            ("add_5_code", "add", "add/5"),
            ("machine_code", "machine_code", "machine_code"),
            ("agent_007", "agent_007", "agent_007"),
            ("_12", "_12", "_12"),
            ("x", "x", "x"),
            ("anon_fn[main.ml]_9", "anon_fn[main.ml]", "anon_fn[main.ml]/9"),
        ] {
            assert_eq!(written(identifier), [name, name, kept], "{identifier}");
        }
    }

    #[test]
    fn anonymous_functions_keep_their_stamp_as_identity() {
        for (identifier, dropped, kept) in [
            ("fun_811", "(fun)", "(fun/811)"),
            ("anon_fn_500", "(fun)", "(fun/500)"),
            ("anon_fn[a.ml:25,9--118]_373", "(fun a.ml:25)", "(fun a.ml:25/373)"),
            ("anon-fn[a/b.ml:6,35--143]_9", "(fun a/b.ml:6)", "(fun a/b.ml:6/9)"),
            ("fn[a.ml:134,13--51]_12_34_code", "(fun a.ml:134)", "(fun a.ml:134/12_34)"),
            ("fn_12_34_code", "(fun)", "(fun/12_34)"),
        ] {
            assert_eq!(written(identifier), [kept, dropped, kept], "{identifier}");
        }
    }

    #[test]
    fn symbols_of_the_unit_are_in_parentheses() {
        for (identifier, shown) in [
            ("entry", "(toplevel)"),
            ("code_begin", "(code_begin)"),
            ("gc_roots", "(gc_roots)"),
            ("12", "(const 12)"),
        ] {
            assert_eq!(written(identifier), [shown; 3], "{identifier}");
        }
    }
}
