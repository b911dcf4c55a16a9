//! Tells the flat schemes apart, by their separators and escapes.

use std::borrow::Cow;

/// How the parts of a symbol are joined and how other characters are escaped.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Scheme {
    /// `Foo__bar_81`, escapes `$2b`: OCaml up to 5.0, and OxCaml, which leaves `.` as it is.
    Underscores,
    /// `Foo.bar_270`, escapes `$2b`: OCaml 5.1 and later (ocaml/ocaml#11430).
    Dot,
    /// `Foo$bar_271`, escapes `$$2b`, but `$` means itself: OCaml 5.4 alpha on every system,
    /// later on macOS and Windows (ocaml/ocaml#13050, #14143).
    Dollar,
    /// `Foo$bar_271`, escapes `$2b`: OCaml 5.2 and 5.3 with Microsoft's compiler
    /// (ocaml/ocaml#12640).
    Msvc,
}

impl Scheme {
    /// Recognises the scheme of `body`.
    pub(super) fn of(body: &[u8]) -> Self {
        if has_dollar_separator(body) {
            if has_msvc_escape(body) { Self::Msvc } else { Self::Dollar }
        } else if body.contains(&b'.') && !has_oxcaml_dot(body) {
            Self::Dot
        } else {
            Self::Underscores
        }
    }

    /// What follows the separator that `text` begins with.
    pub(super) fn after_separator(self, text: &[u8]) -> Option<&[u8]> {
        let separator: &[u8] = match self {
            Self::Underscores => b"__",
            Self::Dot => b".",
            Self::Dollar | Self::Msvc => b"$",
        };
        text.strip_prefix(separator)
    }

    fn escape(self) -> &'static [u8] {
        match self {
            Self::Dollar => b"$$",
            Self::Underscores | Self::Dot | Self::Msvc => b"$",
        }
    }

    /// Splits `text` at its first separator; `None` for the `__` scheme, where it is not certain.
    pub(super) fn split_component(self, text: &[u8]) -> Option<(&[u8], &[u8])> {
        let separator = match self {
            Self::Underscores => None,
            Self::Dot => text.iter().position(|&b| b == b'.'),
            Self::Dollar | Self::Msvc => find_dollar_separator(text, self.escape()),
        }?;
        Some((&text[..separator], &text[separator + 1..]))
    }

    /// Returns `text` without its escapes, as UTF-8 where the compiler read Latin-1 (up to 5.2).
    pub(super) fn decode(self, text: &[u8]) -> Cow<'_, [u8]> {
        if text.is_ascii() && !text.contains(&b'$') {
            return Cow::Borrowed(text);
        }
        let mut decoded = Vec::with_capacity(text.len());
        let mut rest = text;
        while let Some((&byte, tail)) = rest.split_first() {
            let escaped = rest.strip_prefix(self.escape()).and_then(escaped_byte);
            decoded.push(escaped.unwrap_or(byte));
            rest = match escaped {
                Some(_) => &rest[self.escape().len() + 2..],
                None => tail,
            };
        }
        if std::str::from_utf8(&decoded).is_err() {
            let characters: String = decoded.iter().map(|&b| char::from(b)).collect();
            decoded = characters.into_bytes();
        }
        Cow::Owned(decoded)
    }
}

/// Whether the compiler escapes `byte`. No identifier has control characters.
pub(super) fn is_escapable(byte: u8) -> bool {
    !byte.is_ascii_alphanumeric() && byte != b'_' && !byte.is_ascii_control()
}

/// Returns the byte that the hexadecimal digits at the start of `text` stand for, if the compiler
/// would have escaped it.
fn escaped_byte(text: &[u8]) -> Option<u8> {
    hex_byte(text).filter(|&byte| is_escapable(byte))
}

/// Returns the byte that the two lower-case hexadecimal digits at the start of `text` stand for.
pub(super) fn hex_byte(text: &[u8]) -> Option<u8> {
    let digit = |b: u8| match b {
        b'0'..=b'9' => Some(b - b'0'),
        b'a'..=b'f' => Some(b - b'a' + 10),
        _ => None,
    };
    let &[high, low, ..] = text else { return None };
    Some(digit(high)? << 4 | digit(low)?)
}

/// Whether a `$` separates the parts of `body`.
///
/// The other schemes have `$` only in escapes. Those of ASCII characters begin with a digit, `$21`
/// to `$7e`, which no identifier does. Those of other characters come in sequences of UTF-8:
/// `caf$c3$a9`.
fn has_dollar_separator(body: &[u8]) -> bool {
    let Some(last) = body.iter().rposition(|&b| b == b'$') else {
        return false;
    };
    // The constants of a unit: Foo$12
    let ends_in_constant = body[last + 1..].iter().all(u8::is_ascii_digit);
    if ends_in_constant || body.windows(2).any(|w| w == b"$$") {
        return true;
    }
    let before_letter = |w: &[u8]| w[0] == b'$' && (w[1].is_ascii_alphabetic() || w[1] == b'_');
    match body.windows(2).position(before_letter) {
        Some(at) => !is_utf8_sequence(&body[at..]) && !body.contains(&b'.'),
        None => false,
    }
}

/// Whether `body`, whose separator is `$`, has escapes with one `$`:
/// `Foo$let$2b_12`, and `Foo$$2b_12` where `$$` escapes would make it `Foo$$$2b_12`.
fn has_msvc_escape(body: &[u8]) -> bool {
    let Some(first) = body.iter().position(|&b| b == b'$') else {
        return false;
    };
    // A constant is no escape: Foo$21
    let is_escape = |at: usize| {
        (is_ascii_escape(&body[at..]) || is_utf8_sequence(&body[at..]))
            && !body[at + 1..].iter().all(u8::is_ascii_digit)
    };
    // 5.4.0 escaped the dot between packs: Parent$$2ePack$Unit$f_12 (ocaml/ocaml#14415)
    let is_operator = is_ascii_escape(&body[first + 1..]) && !body[first..].starts_with(b"$$2e");
    is_operator || (first..body.len()).any(|at| body[at - 1] != b'$' && is_escape(at))
}

/// Whether `text` begins with the escape of an ASCII character: `$2b`.
fn is_ascii_escape(text: &[u8]) -> bool {
    text.strip_prefix(b"$").and_then(escaped_byte).is_some_and(|byte| byte.is_ascii())
}

/// Whether `text` begins with two escapes that are one character: `$c3$a9`.
fn is_utf8_sequence(text: &[u8]) -> bool {
    let byte_at = |at: usize| text.get(at..)?.strip_prefix(b"$").and_then(hex_byte);
    matches!((byte_at(0), byte_at(3)), (Some(0xc2..=0xf4), Some(0x80..=0xbf)))
}

/// Whether the first `.` of `body` belongs to an identifier, because a `__`
/// separator comes before it.
///
/// OxCaml keeps `__` and does not escape `.`: `Foo__.$25$28$29_1_2_code`,
/// `Foo__fn$5bfoo.ml$3a134..`
fn has_oxcaml_dot(body: &[u8]) -> bool {
    let dot = body.iter().position(|&b| b == b'.').unwrap_or(body.len());
    body[..dot]
        .windows(2)
        .enumerate()
        .any(|(at, w)| w == b"__" && (at + 2 == dot || body[at + 2] == b'$'))
        || find_located_function(&body[..dot]).is_some()
}

/// Returns where the `__` before an anonymous function with its source location is, such as
/// `anon_fn$5bmain$2eml$3a6..`
pub(super) fn find_located_function(body: &[u8]) -> Option<usize> {
    let bracket = body.windows(3).position(|w| w == b"$5b")?;
    [&b"__anon_fn"[..], b"__anon$2dfn", b"__fn"]
        .iter()
        .find_map(|function| body[..bracket].strip_suffix(*function))
        .map(<[u8]>::len)
}

/// Returns the first separator, which is a `$` that does not begin an escape `$$2b`: `Foo$bar_271`,
/// `Foo$$$2b_271`, `Foo$$_271`.
fn find_dollar_separator(text: &[u8], escape: &[u8]) -> Option<usize> {
    let mut at = 0;
    while at < text.len() {
        let escaped = text[at..].strip_prefix(escape).and_then(escaped_byte);
        // With MSVC, $ca may be an escape or begin the identifier of Foo$cancel_12.
        if escaped.is_some_and(|byte| byte.is_ascii() || escape.len() > 1) {
            at += escape.len() + 2;
        } else if text[at] == b'$' {
            return Some(at);
        } else {
            at += 1;
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn schemes_are_told_apart() {
        for (body, scheme) in [
            ("Stdlib__List__map_342", Scheme::Underscores),
            ("Odd__$2b$2b_81", Scheme::Underscores),
            ("Foo__caf$c3$a9_12", Scheme::Underscores),
            ("Foo__.$25$28$29$3c$2d_5_6_code", Scheme::Underscores),
            ("Foo__fn$5bfoo.ml$3a134$2c13$2d$2d51$5d_12_34_code", Scheme::Underscores),
            ("Foo_.bar_81", Scheme::Dot),
            ("Odd..$25$28$3b..$29_449", Scheme::Dot),
            ("Foo.caf$c3$a9_12", Scheme::Dot),
            ("Pack_store__Inode.__private___498", Scheme::Dot),
            ("Stdlib__Map$add_437", Scheme::Dollar),
            ("Odd$__double_533", Scheme::Dollar),
            ("Odd$$_518", Scheme::Dollar),
            ("Odd$$$21$$21_512", Scheme::Dollar),
            ("Foo$caf$$c3$$a9_12", Scheme::Dollar),
            ("Foo$21", Scheme::Dollar),
            ("Foo$let$2b_12", Scheme::Msvc),
            ("Foo$$2b_12", Scheme::Msvc),
            ("Foo$caf$c3$a9_12", Scheme::Msvc),
        ] {
            assert_eq!(Scheme::of(body.as_bytes()), scheme, "{body}");
        }
    }
}
