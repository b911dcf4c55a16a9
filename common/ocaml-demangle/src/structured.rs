//! OxCaml's structured names: a path of items, each with a tag and a length.
//!
//! `_CamlU3FooM3BarF3baz` is `Foo.Bar.baz` (oxcaml: utils/structured_mangling.ml, PRs #5099, #5963,
//! #6242, #7150). The scheme is young and has changed: anonymous items had a source location before
//! they had an ordinal, and stamps were a suffix before they were items. All these forms are read.

use std::borrow::Cow;

use super::stamps::Stamps;
use super::{identifier, scheme, unit};

/// How a structured name begins: its first item is the unit. macOS adds a `_`.
pub(super) const STRUCTURED_PREFIXES: [&str; 2] = ["_CamlU", "__CamlU"];

/// Appends the readable form of `path`, a structured name without its prefix: `3FooM3BarF3baz`.
///
/// Anonymous items are told apart by an ordinal or a location, so only `Stamps::Keep` shows stamps.
pub(super) fn demangle(path: &[u8], stamps: Stamps, out: &mut Vec<u8>) -> bool {
    let is_symbol = |&b: &u8| b.is_ascii_alphanumeric() || b == b'_';
    path.iter().all(is_symbol) && ItemReader { rest: path }.path(stamps, out).is_some()
}

/// Reads items from the front of a path. Every method returns `None` if it cannot read one.
struct ItemReader<'a> {
    rest: &'a [u8],
}

impl<'a> ItemReader<'a> {
    fn path(mut self, stamps: Stamps, out: &mut Vec<u8>) -> Option<()> {
        let mut numbers = Vec::new();
        unit::write(&self.name()?, out);
        let mut last_item = out.len();
        while let Some(tag) = self.tag() {
            match tag {
                // 2026-09: map with the stamps 15 and 113 is F3mapD15_D113_
                b'D' => numbers.push(self.number()?),
                b'_' => {
                    numbers.push(self.code_suffix()?);
                    drop_stamp(last_item, out);
                }
                _ => {
                    out.push(b'.');
                    last_item = out.len();
                    self.item(tag, out)?;
                }
            }
        }
        if stamps == Stamps::Keep && !numbers.is_empty() {
            out.push(b'/');
            out.extend_from_slice(&numbers.join(&b','));
        }
        Some(())
    }

    fn item(&mut self, tag: u8, out: &mut Vec<u8>) -> Option<()> {
        match tag {
            b'U' => unit::write(&self.name()?, out),
            // A class is `O`; in 2025 it was `C`.
            b'M' | b'O' | b'C' | b'F' => identifier::write_name(&self.name()?, out),
            // A copy of the function that the rest of the path names.
            b'I' => out.extend_from_slice(b"<specialization_of>"),
            b'L' => self.anonymous(b"fun", out)?,
            b'S' => self.anonymous(b"struct", out)?,
            b'Z' => self.anonymous(b"lazy", out)?,
            b'P' => self.partial_application(out)?,
            _ => return None,
        }
        Some(())
    }

    /// `L0_`, or in early 2026 `Lu16F2e_worldml_2_25`: (fun 0), (fun world.ml:2).
    fn anonymous(&mut self, kind: &[u8], out: &mut Vec<u8>) -> Option<()> {
        out.push(b'(');
        out.extend_from_slice(kind);
        out.push(b' ');
        match self.ordinal() {
            Some(ordinal) => out.extend_from_slice(ordinal),
            None => self.location(out)?,
        }
        out.push(b')');
        Some(())
    }

    /// `P2_M5InnerF3add`, or in early 2026 `Pu14D2e_fooml_9_15`: (partial Inner.add), (partial
    /// foo.ml:9).
    fn partial_application(&mut self, out: &mut Vec<u8>) -> Option<()> {
        out.extend_from_slice(b"(partial ");
        match self.ordinal() {
            Some(b"0") => out.push(b'?'),
            Some(items) => self.callee(decimal(items)?, out)?,
            None => self.location(out)?,
        }
        out.push(b')');
        Some(())
    }

    /// The path of a partially applied function.
    fn callee(&mut self, items: usize, out: &mut Vec<u8>) -> Option<()> {
        for item in 0..items {
            if item > 0 {
                out.push(b'.');
            }
            // Partial applications do not nest.
            let tag = self.tag().filter(|&tag| tag != b'P')?;
            self.item(tag, out)?;
        }
        Some(())
    }

    /// A location `world.ml_2_25`: file, line and column.
    fn location(&mut self, out: &mut Vec<u8>) -> Option<()> {
        let name = self.name()?;
        let mut parts = name.rsplitn(3, |&b| b == b'_');
        let (column, line, file) = (parts.next()?, parts.next()?, parts.next()?);
        if decimal(column).is_none() || decimal(line).is_none() {
            return None;
        }
        out.extend_from_slice(file);
        out.push(b':');
        out.extend_from_slice(line);
        Some(())
    }

    fn tag(&mut self) -> Option<u8> {
        let (&tag, rest) = self.rest.split_first()?;
        self.rest = rest;
        Some(tag)
    }

    fn digits(&mut self) -> Option<&'a [u8]> {
        let end = self.rest.iter().position(|b| !b.is_ascii_digit());
        let (digits, rest) = self.rest.split_at(end.unwrap_or(self.rest.len()));
        self.rest = rest;
        (!digits.is_empty()).then_some(digits)
    }

    /// `15_`
    fn number(&mut self) -> Option<&'a [u8]> {
        let digits = self.digits()?;
        self.rest = self.rest.strip_prefix(b"_")?;
        Some(digits)
    }

    /// Reads a number if it is not the length of a name: in `S5_42_7`, 5 is the length of the name
    /// `_42_7`.
    fn ordinal(&mut self) -> Option<&'a [u8]> {
        let start = self.rest;
        let number = self.number().filter(|_| !self.rest.first().is_some_and(u8::is_ascii_digit));
        if number.is_none() {
            self.rest = start;
        }
        number
    }

    /// `3baz`, `u8A3e3e3d_`
    fn name(&mut self) -> Option<Cow<'a, [u8]>> {
        let escaped = self.rest.strip_prefix(b"u");
        self.rest = escaped.unwrap_or(self.rest);
        let len = decimal(self.digits()?).filter(|&len| len > 0)?;
        let (payload, rest) = self.rest.split_at_checked(len)?;
        self.rest = rest;
        if escaped.is_some() {
            decode(payload).map(Cow::Owned)
        } else {
            Some(Cow::Borrowed(payload))
        }
    }

    /// `_5_code`, `_15_113_code`, after their first `_`
    fn code_suffix(&mut self) -> Option<&'a [u8]> {
        let numbers = self.rest.strip_suffix(b"_code")?;
        self.rest = b"";
        numbers.split(|&b| b == b'_').all(|n| decimal(n).is_some()).then_some(numbers)
    }
}

/// Names of early 2026 contain a stamp: `F16nested_lambdas_5_6_code` is `nested_lambdas`.
fn drop_stamp(item: usize, out: &mut Vec<u8>) {
    let name = &out[item..];
    if let Some(underscore) = name.iter().rposition(|&b| b == b'_')
        && underscore > 0
        && decimal(&name[underscore + 1..]).is_some()
    {
        out.truncate(item + underscore);
    }
}

/// Decodes `D2a_let`, which is `let*`. Each escape is a distance from the one before, in base 26,
/// and the bytes to insert there, in hexadecimal. The plain characters follow.
fn decode(payload: &[u8]) -> Option<Vec<u8>> {
    let underscore = payload.iter().position(|&b| b == b'_')?;
    let (mut escapes, mut plain) = (&payload[..underscore], &payload[underscore + 1..]);
    let mut name = Vec::with_capacity(payload.len());
    while !escapes.is_empty() {
        let end = escapes.iter().position(|b| !b.is_ascii_uppercase())?;
        let (before, after) = plain.split_at_checked(base26(&escapes[..end])?)?;
        name.extend_from_slice(before);
        plain = after;
        escapes = &escapes[end..];
        while escapes.first().is_some_and(|b| !b.is_ascii_uppercase()) {
            // A control character cannot be in a name, and a line end would break the output.
            name.push(scheme::hex_byte(escapes).filter(|b| !b.is_ascii_control())?);
            escapes = &escapes[2..];
        }
    }
    name.extend_from_slice(plain);
    Some(name)
}

fn base26(letters: &[u8]) -> Option<usize> {
    if letters.is_empty() {
        return None;
    }
    letters
        .iter()
        .try_fold(0usize, |n, &letter| n.checked_mul(26)?.checked_add(usize::from(letter - b'A')))
}

fn decimal(digits: &[u8]) -> Option<usize> {
    std::str::from_utf8(digits).ok()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn demangled(path: &str, stamps: Stamps) -> Option<String> {
        let mut out = Vec::new();
        demangle(path.as_bytes(), stamps, &mut out).then(|| String::from_utf8(out).unwrap())
    }

    #[test]
    fn paths_of_every_age_are_read() {
        for (path, dropped, kept) in [
            ("3FooM3BarF3baz", "Foo.Bar.baz", ""),
            ("12Stdlib__ListF3mapD15_D113_", "Stdlib.List.map", "/15,113"),
            ("3FooO5ShapeF4area", "Foo.Shape.area", ""),
            ("3FooC5ShapeF4area", "Foo.Shape.area", ""),
            ("3FooIU3BarF3qux", "Foo.<specialization_of>.Bar.qux", ""),
            ("3FooFu14E27D27_funcsub", "Foo.func'sub'", ""),
            ("3FooFu5_0foo", "Foo.0foo", ""),
            ("3FooFu10A2e252829_D1_D2_", "Foo.(.%())", "/1,2"),
            ("3FooS0_F4initL0_D5_", "Foo.(struct 0).init.(fun 0)", "/5"),
            ("3FooL0__5_code", "Foo.(fun 0)", "/5"),
            ("3FooF3barP0_", "Foo.bar.(partial ?)", ""),
            ("3FooF3barL0_P1_F1f", "Foo.bar.(fun 0).(partial f)", ""),
            ("3FooF3barPu14D2e_fooml_9_15", "Foo.bar.(partial foo.ml:9)", ""),
            ("5HelloLu16F2e_worldml_2_25", "Hello.(fun world.ml:2)", ""),
            ("3FooS5_42_7", "Foo.(struct :42)", ""),
            ("4MainF11say_hello_0_5_code", "Main.say_hello", "/5"),
            ("4MainF9say_hello_0_5_code", "Main.say_hello", "/0_5"),
        ] {
            let kept = format!("{dropped}{kept}");
            assert_eq!(demangled(path, Stamps::Drop).as_deref(), Some(dropped), "{path}");
            assert_eq!(demangled(path, Stamps::Anonymous).as_deref(), Some(dropped), "{path}");
            assert_eq!(demangled(path, Stamps::Keep), Some(kept), "{path}");
        }
    }

    #[test]
    fn broken_paths_are_refused() {
        for path in [
            "",
            "3Fo",
            "0",
            "99999999999999999999Foo",
            "3FooX",
            "3FooF",
            "3FooF9say_helloD0_D5",
            "3FooF9say_helloD0_D5_x",
            "3FooL0",
            "3FooL2__",
            "3FooLu14D2e_fooml__512",
            "3FooP3_F1f",
            "3FooP1_P1_F1f",
            "3FooF1f_code",
            "3FooFu4A0a_",
            "3FooFu4A3e3",
            "3FooFu5Z3e_x",
            "3FooFu23ZZZZZZZZZZZZZZZZZZZZ3e_",
            "3Foo.bar",
        ] {
            assert_eq!(demangled(path, Stamps::Keep), None, "{path}");
        }
    }
}
