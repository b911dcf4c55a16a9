//! The flame graph of async-profiler (`asprof -f flame.html`, `jfrconv`): a page whose script
//! calls a function for each frame, callers before callees.
//!
//! ```text
//! const cpool = [
//! 'all',                            the first character, minus 32, is the number of bytes
//! ' C2Compiler::compile_method',    that are shared with the string above
//! '*ompile',
//! ];
//! f(635,1,1,178)                    name * 8 + type, level, distance to the left, width
//! u(1323)                           a level up, of the same width
//! n(84,7,2,0,0)                     to the right; inlined, compiled by C1, interpreted
//! ```
//!
//! Up to version 2 a call is `f(1,0,178,4,'compile')`: level, left, width, type and name.

use bstr::ByteSlice;
use common::{Error, Result, io::Input, numbers::decimal};

use crate::format::{Format, Head};
use crate::frame::{Frame, Kind};
use crate::options::Options;
use crate::read::lines::for_each_line;
use crate::read::outline::Outline;
use crate::samples::Samples;
use crate::samples::sample::Sample;

pub(super) const FORMAT: Format = Format::new(
    "async-profiler-html",
    "The flame graph of async-profiler: its page in HTML",
    detect,
    parse,
);

fn detect(head: &Head<'_>) -> bool {
    let has = |word: &[u8]| memchr::memmem::find(head.bytes, word).is_some();
    head.bytes.trim_ascii_start().starts_with(b"<!DOCTYPE html>")
        && has(b"async-profiler")
        && (has(b"function f(level, left, width") || has(b"function f(key, level, left, width"))
}

fn parse(input: &mut Input, _: &Options, samples: &mut Samples<'_>) -> Result<()> {
    let name = input.name().to_owned();
    let (mut page, mut last) = (Page::default(), 0);
    for_each_line(input, |number, line| {
        last = number;
        page.line(number, line, samples)
    })?;
    page.finish(samples)?;
    if !page.is_whole {
        let what = format!("line {last}: the page ends too early; what came before is kept");
        return Err(Error::Unknown { name, what });
    }
    Ok(())
}

/// What was read of the page so far.
#[derive(Default)]
struct Page {
    /// How many colours there are: versions before 2.9 had five types of frames.
    colors: usize,
    is_in_names: bool,
    names: Vec<Vec<u8>>,
    /// Level and width of the previous frame in the text.
    level: u64,
    width: u64,
    tree: Outline,
    is_difference: bool,
    /// Whether `</html>` was seen.
    is_whole: bool,
    text: Vec<u8>,
}

/// The type of a frame, in the order of the numbers in newer versions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Type {
    Interpreted,
    Compiled,
    Inlined,
    Native,
    Cpp,
    Kernel,
    CompiledByC1,
}

impl Type {
    const ALL: [Type; 7] = [
        Type::Interpreted,
        Type::Compiled,
        Type::Inlined,
        Type::Native,
        Type::Cpp,
        Type::Kernel,
        Type::CompiledByC1,
    ];
    const OF_FIVE: [Type; 5] =
        [Type::Compiled, Type::Inlined, Type::Kernel, Type::Cpp, Type::Native];
}

impl Page {
    fn line(&mut self, number: u64, line: &[u8], samples: &mut Samples<'_>) -> Result<()> {
        match line {
            [b'\'', ..] if self.is_in_names => {
                if self.add_name(line).is_none() {
                    samples.skipped.add(number, "expected a name");
                    self.names.push(b"[unknown]".to_vec());
                }
            }
            [b'f' | b'u' | b'n', b'(', b'0'..=b'9', ..] => {
                let frame = self.frame(line);
                let Some((level, width, name, kind)) = frame else {
                    samples.skipped.add(number, "expected a frame");
                    return Ok(());
                };
                (self.level, self.width) = (level, width);
                self.enter(name, kind, samples)?;
            }
            [b'd', b'=', ..] => self.is_difference = true,
            _ if line.starts_with(b"const cpool") => self.is_in_names = true,
            _ if line.starts_with(b"]") => self.is_in_names = false,
            _ if line.trim_ascii_start().starts_with(b"[0x") => self.colors += 1,
            _ => {
                if let Some(unit) = title_unit(line).or_else(|| script_unit(line)) {
                    samples.events.announce(b"", unit);
                }
                self.is_whole |= line.contains_str("</html>");
            }
        }
        Ok(())
    }

    /// Reads `'*ompile',`.
    fn add_name(&mut self, line: &[u8]) -> Option<()> {
        let encoded = line.strip_suffix(b",").unwrap_or(line);
        let encoded = unescaped(encoded.strip_prefix(b"'")?.strip_suffix(b"'")?);
        let Some(above) = self.names.last() else {
            self.names.push(encoded);
            return Some(());
        };
        let (&length, rest) = encoded.split_first()?;
        let shared = above.get(..usize::from(length.checked_sub(b' ')?))?;
        self.names.push([shared, rest].concat());
        Some(())
    }

    /// Reads the call of a line: the level, width, name and type of the frame.
    fn frame(&self, line: &[u8]) -> Option<(u64, u64, Vec<u8>, Type)> {
        let (function, arguments) = (line[0], line[2..].strip_suffix(b")")?);
        if let Some((numbers, rest)) = arguments.split_once_str(",'") {
            let [level, _, width, kind] = numbers_of(numbers)[..] else { return None };
            let types = if self.colors == 5 { &Type::OF_FIVE[..] } else { &Type::ALL };
            let (name, _) = rest.rsplit_once_str("'")?;
            return Some((level?, width?, unescaped(name), *types.get(kind? as usize)?));
        }
        let numbers = numbers_of(arguments);
        let (key, rest) = numbers.split_first()?;
        let (level, rest) = match (function, rest) {
            (b'f', [level, _, rest @ ..]) => ((*level)?, rest),
            (b'u', rest) => (self.level.saturating_add(1), rest),
            (b'n', rest) => (self.level, rest),
            _ => return None,
        };
        let width = match rest.first() {
            Some(width) => Some((*width)?).filter(|&width| width > 0),
            None => None,
        };
        let name = self.names.get(usize::try_from((*key)? >> 3).ok()?)?;
        let kind = *Type::ALL.get(((*key)? & 7) as usize)?;
        Some((level, width.unwrap_or(self.width), name.clone(), kind))
    }

    /// Adds the frame whose level and width were set.
    fn enter(&mut self, name: Vec<u8>, kind: Type, samples: &mut Samples<'_>) -> Result<()> {
        let (level, origin) = (self.level as usize, Sample::default());
        if level == 0 {
            return self.tree.enter_thread(0, self.width, &origin, samples);
        }
        self.text = name;
        // Marks that only async-profiler has.
        let mark: &[u8] = match kind {
            _ if !samples.wants.frames.annotate => b"",
            Type::Interpreted => b"_[0]",
            Type::CompiledByC1 => b"_[1]",
            _ => b"",
        };
        self.text.extend_from_slice(mark);
        let frame = Frame {
            name: &self.text,
            kind: match kind {
                Type::Kernel => Kind::Kernel,
                Type::Compiled => Kind::Jit,
                _ => Kind::User,
            },
            inlined: kind == Type::Inlined,
            ..Frame::default()
        };
        self.tree.enter(level, &frame, (self.width, None), &origin, samples)
    }

    fn finish(&mut self, samples: &mut Samples<'_>) -> Result<()> {
        if self.is_difference {
            samples.note("this page compares two profiles: only the later one is read");
        }
        self.tree.finish(&Sample::default(), samples)
    }
}

/// Reads the unit in `<h1>Allocation profile (bytes)</h1>`. The user may have set another title.
fn title_unit(line: &[u8]) -> Option<&[u8]> {
    let title = line.strip_prefix(b"<h1>")?.strip_suffix(b")</h1>")?;
    let (_, unit) = title.rsplit_once_str(" (")?;
    matches!(unit, b"ns" | b"bytes" | b"calls").then_some(unit)
}

/// Reads the unit in `const units = 'bytes';`, which versions after 4.5 have below the title. `total`
/// is none.
fn script_unit(line: &[u8]) -> Option<&[u8]> {
    let text = line.trim_ascii().strip_prefix(b"const units = '")?;
    let (unit, _) = text.split_once_str("'")?;
    Some(if unit == b"total" { b"" } else { unit })
}

/// The numbers between commas; `None` for a field that is not a number.
fn numbers_of(text: &[u8]) -> Vec<Option<u64>> {
    let number = |text: &[u8]| decimal(text).filter(|_| !text.is_empty());
    text.split(|&byte| byte == b',').map(number).collect()
}

/// Undoes the escapes `\'` and `\\` of a string of JavaScript. Any other backslash is kept: older
/// versions did not escape it.
fn unescaped(text: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.iter().copied().peekable();
    while let Some(byte) = rest.next() {
        let escaped = (byte == b'\\').then(|| rest.next_if(|next| matches!(next, b'\'' | b'\\')));
        bytes.push(escaped.flatten().unwrap_or(byte));
    }
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escapes_of_javascript_are_undone() {
        for (text, expected) in
            [(r"a\'b", "a'b"), (r"C:\\x\y", r"C:\x\y"), (r"\\\'", r"\'"), (r"a\", r"a\")]
        {
            assert_eq!(unescaped(text.as_bytes()), expected.as_bytes(), "{text}");
        }
    }

    #[test]
    fn the_unit_is_in_the_title_or_in_the_script() {
        for (line, unit) in [
            ("<h1>Allocation profile (bytes)</h1>", Some("bytes")),
            ("<h1>Lock profile (ns)</h1>", Some("ns")),
            ("<h1>CPU profile (total)</h1>", None),
            ("<h1>CPU profile (of today)</h1>", None),
            ("<h1>CPU profile</h1>", None),
        ] {
            assert_eq!(title_unit(line.as_bytes()), unit.map(str::as_bytes), "{line}");
        }
        assert_eq!(script_unit(b"\tconst units = 'calls';"), Some(&b"calls"[..]));
        assert_eq!(script_unit(b"\tconst units = 'total';"), Some(&b""[..]));
        assert_eq!(script_unit(b"\tconst maxdiff = -1;"), None);
    }

    #[test]
    fn names_share_what_they_begin_with() {
        let mut page = Page::default();
        for line in ["'all',", "' C2::compile',", r"'\'_go',", "'$'"] {
            assert!(page.add_name(line.as_bytes()).is_some(), "{line}");
        }
        assert_eq!(page.names, [&b"all"[..], b"C2::compile", b"C2::com_go", b"C2::"]);
        for line in ["'~x'", "''", "'", "x", "'\u{1f}'"] {
            assert!(page.add_name(line.as_bytes()).is_none(), "{line}");
        }
    }
}
