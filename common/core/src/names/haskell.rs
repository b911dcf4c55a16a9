//! Readable names for the symbols of GHC: `GHC.Base.map` for `base_GHCziBase_map_info`.
//!
//! A symbol is the package, the module and the function, with `_` between them, and then what kind of
//! code it is. In each of them a byte that a symbol may not have is a code that begins with `z` or `Z`;
//! GHC's documentation calls this the z-encoding.

/// What kind of code a symbol is: that of a function or of a constructor, or where one goes on.
const KINDS: [&[u8]; 8] = [
    b"_con_info",
    b"_static_info",
    b"_con_entry",
    b"_closure",
    b"_entry",
    b"_info",
    b"_fast",
    b"_slow",
];

/// The codes after `z` and what they stand for, and those after `Z`.
const SMALL: [(u8, u8); 19] = [
    (b'z', b'z'),
    (b'a', b'&'),
    (b'b', b'|'),
    (b'c', b'^'),
    (b'd', b'$'),
    (b'e', b'='),
    (b'g', b'>'),
    (b'h', b'#'),
    (b'i', b'.'),
    (b'l', b'<'),
    (b'm', b'-'),
    (b'n', b'!'),
    (b'p', b'+'),
    (b'q', b'\''),
    (b'r', b'\\'),
    (b's', b'/'),
    (b't', b'*'),
    (b'u', b'_'),
    (b'v', b'%'),
];
const CAPITAL: [(u8, u8); 6] =
    [(b'L', b'('), (b'R', b')'), (b'M', b'['), (b'N', b']'), (b'C', b':'), (b'Z', b'Z')];

/// Appends the readable form of `symbol` and returns true; returns false and leaves `out` as it was if
/// the form of `symbol` is not one that only GHC's have.
pub fn demangle(symbol: &[u8], out: &mut Vec<u8>) -> bool {
    let name = readable(symbol);
    out.extend_from_slice(name.as_deref().unwrap_or_default());
    name.is_some()
}

fn readable(symbol: &[u8]) -> Option<Vec<u8>> {
    let body = KINDS.iter().find_map(|kind| symbol.strip_suffix(*kind))?;
    let parts: Vec<&[u8]> = body.split(|&byte| byte == b'_').collect();
    let (module, function) = match parts[..] {
        // A module of several words has their dots, and no name of C.
        [package, module, function] if !package.is_empty() => {
            (module.windows(2).any(|it| it == b"zi") || package == b"main").then_some(module)?;
            (module, function)
        }
        // The program itself has no package.
        [module @ (b"Main" | b"ZCMain"), function] => (module, function),
        _ => return None,
    };
    if !module.first().is_some_and(u8::is_ascii_uppercase) || function.is_empty() {
        return None;
    }
    let mut name = decoded(module)?;
    name.push(b'.');
    name.extend(decoded(function)?);
    Some(name)
}

/// The text of a part; `None` if it has a code of no text.
fn decoded(part: &[u8]) -> Option<Vec<u8>> {
    let mut text = Vec::with_capacity(part.len());
    let mut rest = part;
    while let [byte, after @ ..] = rest {
        rest = match (byte, after) {
            // `z2cU` is the byte 0x2c.
            (b'z', [b'0'..=b'9', ..]) => {
                let (digits, after) = split_after(after, b'U')?;
                let code = u32::from_str_radix(digits, 16).ok().and_then(char::from_u32)?;
                text.extend_from_slice(code.encode_utf8(&mut [0; 4]).as_bytes());
                after
            }
            // `Z3T` is `(,,)`.
            (b'Z', [b'0'..=b'9', ..]) => {
                let (count, after) = split_after(after, b'T')?;
                let commas = count.parse::<u8>().ok()?.saturating_sub(1);
                text.push(b'(');
                text.extend(std::iter::repeat_n(b',', commas.into()));
                text.push(b')');
                after
            }
            (b'z' | b'Z', [code, after @ ..]) => {
                let codes: &[(u8, u8)] = if *byte == b'z' { &SMALL } else { &CAPITAL };
                text.push(codes.iter().find(|(known, _)| known == code)?.1);
                after
            }
            (b'z' | b'Z', []) => return None,
            _ => {
                text.push(*byte);
                after
            }
        };
    }
    Some(text)
}

/// The number before `end`, and what comes after it.
fn split_after(text: &[u8], end: u8) -> Option<(&str, &[u8])> {
    let at = text.iter().position(|&byte| byte == end)?;
    Some((std::str::from_utf8(&text[..at]).ok()?, &text[at + 1..]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn symbols_of_ghc_are_read() {
        for (symbol, name) in [
            ("base_GHCziBase_map_info", "GHC.Base.map"),
            (
                "containerszm0zi6zi7_DataziMapziInternal_zdwinsert_info",
                "Data.Map.Internal.$winsert",
            ),
            ("ghczmprim_GHCziClasses_zdfEqInt_closure", "GHC.Classes.$fEqInt"),
            ("base_GHCziBase_zpzp_entry", "GHC.Base.++"),
            ("base_GHCziBase_zczb_con_info", "GHC.Base.^|"),
            ("base_GHCziBase_zdfMonoidZLz2cUZR_info", "GHC.Base.$fMonoid(,)"),
            ("ghczmprim_GHCziTuple_Z3T_con_info", "GHC.Tuple.(,,)"),
            ("Main_main1_info", "Main.main1"),
            ("ZCMain_main_closure", ":Main.main"),
        ] {
            let mut out = Vec::new();
            assert!(demangle(symbol.as_bytes(), &mut out), "{symbol}");
            assert_eq!(out, name.as_bytes());
        }
    }

    #[test]
    fn other_names_stay() {
        for symbol in [
            "get_Foo_info",
            "base_GHCziBase_map",
            "base_ghcziBase_map_info",
            "_GHCziBase_map_info",
            "base_GHCziBase__info",
            "base_GHCziBase_a_b_info",
            "base_GHCziBase_mapz_info",
            "base_GHCziBase_mapz1_info",
            "Main_info",
            "_info",
            "",
        ] {
            let mut out = b"kept".to_vec();
            assert!(!demangle(symbol.as_bytes(), &mut out), "{symbol}");
            assert_eq!(out, b"kept");
        }
    }
}
