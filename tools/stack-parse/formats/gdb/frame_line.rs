//! A line of a backtrace.

use bstr::ByteSlice;
use common::numbers::{decimal, hexadecimal, is_digits};

/// `#5  0x00005569913c076b in f<g ()> (k=..., s=0x55 ")") at demo.cpp:24`
#[derive(Debug, PartialEq, Eq)]
pub(super) struct FrameLine<'a> {
    pub(super) number: u64,
    pub(super) address: Option<u64>,
    /// The function without its arguments; empty where gdb prints `??`.
    pub(super) name: &'a [u8],
    /// The library where the source is not known.
    pub(super) object: &'a [u8],
    pub(super) source: &'a [u8],
}

impl FrameLine<'_> {
    pub(super) fn of(line: &[u8]) -> Option<FrameLine<'_>> {
        let (number, rest) = line.strip_prefix(b"#")?.split_once_str(" ")?;
        let number = decimal(number)?;
        let rest = rest.trim_ascii();
        let (first, after) = rest.split_once_str(" ").unwrap_or((rest, b""));
        let address = hexadecimal(first).filter(|_| first.starts_with(b"0x"));
        let call = match (address, after.trim_ascii_start()) {
            (None, _) => rest,
            (Some(_), call) => call.strip_prefix(b"in ").unwrap_or(call),
        };
        let (call, object, source) = place(call);
        let function = without_arguments(call);
        let name = if function == b"??" { b"" } else { function };
        let frame = FrameLine { number, address, name, object, source };
        // `#0 /srv/a.php(3): f()` is PHP's: gdb has a blank before the arguments.
        let is_frame = address.is_some() && !call.is_empty() || function != call;
        // `#00 pc 0000000000052a10  /system/lib64/libc.so (abort+104)` is Android's.
        let is_of_android = first == b"pc" && address.is_none();
        Some(frame).filter(|frame| is_frame && !is_of_android || frame.is_special())
    }

    /// Whether the line of a frame goes on with `rest` in the next line: gdb breaks lines between
    /// arguments, before them, before the source and before the library.
    pub(super) fn goes_on(line: &[u8], rest: &[u8]) -> bool {
        let is_next = match rest {
            [b'(', ..] => !line.ends_with(b")"),
            _ if rest.starts_with(b"at ") || rest.starts_with(b"from ") => true,
            _ => matches!(line.trim_ascii_end().last(), Some(b',' | b'(')),
        };
        let is_open = |frame: FrameLine<'_>| frame.source.is_empty() && frame.object.is_empty();
        is_next && FrameLine::of(line).is_some_and(is_open)
    }

    /// Whether this is no function: `<signal handler called>`.
    pub(super) fn is_special(&self) -> bool {
        self.name.starts_with(b"<") && self.name.ends_with(b">")
    }
}

/// The call, the library after `from` and the source after `at`. Arguments may hold both
/// words.
fn place(text: &[u8]) -> (&[u8], &[u8], &[u8]) {
    let has_line = |source: &[u8]| source.rsplit_once_str(":").is_some_and(|(_, it)| is_digits(it));
    let at = text.rfind(") at ").map(|end| end + 1).filter(|_| has_line(text));
    let from = text.rfind(") from ").map(|end| end + 1);
    match (at, from) {
        (Some(at), _) if from.is_none_or(|from| from < at) => {
            (&text[..at], b"", text[at..].strip_prefix(b" at ").unwrap_or_default())
        }
        (_, Some(from)) => {
            (&text[..from], text[from..].strip_prefix(b" from ").unwrap_or_default(), b"")
        }
        _ => (text, b"", b""),
    }
}

/// The call without its arguments, which are the first parentheses that look like arguments or, if
/// the call ends in one, the last pair.
fn without_arguments(call: &[u8]) -> &[u8] {
    let starts = call.find_iter(" (");
    let start = starts.into_iter().find(|start| are_arguments(&call[start + 2..]));
    match start {
        Some(start) if start > 0 => call[..start].trim_ascii_end(),
        _ if call.ends_with(b")") => without_last_parentheses(call),
        _ => call,
    }
}

/// Whether the text after a `(` looks like arguments: `)`, `...)`, the name of the first and `=`,
/// or the end of a line that gdb broke. A value may be anything, as Python's printers write it:
/// `(func=<function at remote 0x19>, arg=(<Foo(a=[0, 1], b={1003: True...(truncated), kw=0x0)`.
/// The types in a name have no `=`: `std::function<void (int)>::operator()(int) const (this=0x7f)`.
fn are_arguments(rest: &[u8]) -> bool {
    let is_name =
        |byte: &u8| byte.is_ascii_alphanumeric() || b"_$@.#".contains(byte) || *byte >= 0x80;
    let end = rest.iter().position(|byte| !is_name(byte)).unwrap_or(rest.len());
    match &rest[end..] {
        [b'=', ..] => true,
        [] => end == 0,
        [b')'] => matches!(&rest[..end], b"" | b"..."),
        _ => false,
    }
}

/// The call without its last pair of parentheses. Strings and characters may hold others:
/// `(s=0x55 "a)\"", c=40 '(')`.
fn without_last_parentheses(call: &[u8]) -> &[u8] {
    let mut depth = 0u64;
    let mut at = call.len();
    while let Some(before) = at.checked_sub(1) {
        at = before;
        match call[at] {
            b')' => depth += 1,
            b'(' => depth = depth.saturating_sub(1),
            quote @ (b'"' | b'\'') => at = start_of_quoted(call, at, quote).unwrap_or(at),
            _ => {}
        }
        if depth == 0 {
            break;
        }
    }
    match call[..at].trim_ascii_end() {
        b"" => call,
        name if name.len() == at => call,
        name => name,
    }
}

/// The start of the quoted text whose closing quote is at `end`.
fn start_of_quoted(call: &[u8], end: usize, quote: u8) -> Option<usize> {
    let is_escaped =
        |at: usize| call[..at].iter().rev().take_while(|&&byte| byte == b'\\').count() % 2 == 1;
    (0..end).rev().find(|&at| call[at] == quote && !is_escaped(at))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_end_at_their_arguments() {
        for (line, name, object, source) in [
            (
                "#0  0x0000556 in (anonymous namespace)::mix (x=1) at demo.cpp:14",
                "(anonymous namespace)::mix",
                "",
                "demo.cpp:14",
            ),
            ("#2  0x00007f22 in ?? () from /lib/libstdc++.so.6", "", "/lib/libstdc++.so.6", ""),
            (
                "#12 std::operator< <char> (__lhs=\"key)2\\\"(\", c=40 '(') at /a b.h:3",
                "std::operator< <char>",
                "",
                "/a b.h:3",
            ),
            (
                "#7  B::apply<f<unsigned long (int)> >(f<int (int)>) (f=..., this=<optimized out>) at d.cpp:17",
                "B::apply<f<unsigned long (int)> >(f<int (int)>)",
                "",
                "d.cpp:17",
            ),
            (
                "#6  std::function<long (long)>::operator()(long) const (this=0x7f)",
                "std::function<long (long)>::operator()(long) const",
                "",
                "",
            ),
            ("#3  <signal handler called>", "<signal handler called>", "", ""),
            ("#3  0x00007f2274 in main ()", "main", "", ""),
            ("#3  0x00007f2274 in poll () from /lib/a (b).so", "poll", "/lib/a (b).so", ""),
            ("#1  0x00007f22 in camlDemo__main_12 ()", "camlDemo__main_12", "", ""),
            ("#1  0x00007f22 in f", "f", "", ""),
            (
                "#1  0x00007f90 in function_call (func=<function at remote 0x19>, arg=(<Foo(a=[0, 1], b={1003: True...(truncated), kw=0x0) at Objects/funcobject.c:526",
                "function_call",
                "",
                "Objects/funcobject.c:526",
            ),
            (
                "#1  0x00007f90 in f (widget=0x7f9097d03700, event=0x7fff49fb5fb0) at w.cpp:5828",
                "f",
                "",
                "w.cpp:5828",
            ),
            ("#1  0x00007f90 in f (widget=0x7f9097d03700, ", "f", "", ""),
            ("#1  0x00007f90 in f (said=0x7f \"(x) at home\")", "f", "", ""),
            ("#1  f (n=n@entry=2000, ", "f", "", ""),
            (
                "#1  f<int> (args#0=<Foo(a=[0...(truncated), args#1=2) at v.h:3",
                "f<int>",
                "",
                "v.h:3",
            ),
            ("#1  f (", "f", "", ""),
            ("#1  f (text=\"(a=1\", next=0x0)", "f", "", ""),
            (
                "#1  (anonymous namespace)::f<void (int)> (...)",
                "(anonymous namespace)::f<void (int)>",
                "",
                "",
            ),
            ("#1  operator() (__closure=0x7f, a=...) at l.cpp:3", "operator()", "", "l.cpp:3"),
            (
                "#1  0x7f in core::ops::function::FnOnce::call_once<fn(), ()> ()",
                "core::ops::function::FnOnce::call_once<fn(), ()>",
                "",
                "",
            ),
        ] {
            let frame = FrameLine::of(line.as_bytes()).expect(line);
            let parts = [frame.name, frame.object, frame.source].map(ByteSlice::as_bstr);
            assert_eq!(parts, [name, object, source], "{line}");
        }
        for line in [
            "# 1",
            "#0",
            "#0  ",
            "#x  main ()",
            "  #0  main ()",
            "#0 /srv/a.php(3): f(1)",
            "#1 {main}",
        ] {
            assert_eq!(FrameLine::of(line.as_bytes()), None, "{line}");
        }
    }
}
