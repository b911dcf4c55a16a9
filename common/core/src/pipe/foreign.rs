//! What a profiler wrote, where folded stacks were expected.

/// What format `line` is in, if it is clearly not a folded line.
pub(super) fn looks_like(line: &[u8]) -> Option<&'static str> {
    match line {
        [b'P', b'E', b'R', b'F', b'I', b'L', b'E', b'2', ..] => Some("perf.data"),
        [0xc1, 0x1f, 0xfc, 0xc1, ..] => Some("a trace of memtrace"),
        [b'{', ..] => Some("JSON"),
        _ if is_frame(line) || is_event(line) => Some("what perf script prints"),
        _ if is_call(line) => Some("what landmarks prints"),
        _ => None,
    }
}

/// `\t    55d0c6a8b1c9 main+0x1c (/home/x/demo)`
fn is_frame(line: &[u8]) -> bool {
    let text = line.trim_ascii_start();
    let address = text.iter().take_while(|byte| byte.is_ascii_hexdigit()).count();
    text.len() < line.len() && (4..=16).contains(&address) && text[address..].starts_with(b" ")
}

/// `demo 17132 [002] 158665.570607:     250000 cpu-clock:`, by its time.
fn is_event(line: &[u8]) -> bool {
    let mut words = line.split(|byte| *byte == b' ');
    let is_number = |digits: &[u8]| !digits.is_empty() && digits.iter().all(u8::is_ascii_digit);
    words.any(|word| {
        let time = word.strip_suffix(b":").unwrap_or_default();
        let point = time.iter().position(|byte| *byte == b'.');
        point.is_some_and(|at| is_number(&time[..at]) && is_number(&time[at + 1..]))
    })
}

/// `[    2.80M cycles in 5 calls ]     - 51.23% : eval`
fn is_call(line: &[u8]) -> bool {
    line.starts_with(b"[") && memchr::memmem::find(line, b" cycles in ").is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_profilers_write_is_told_by_a_line() {
        for (line, expected) in [
            (&b"PERFILE2h\0\0"[..], Some("perf.data")),
            (b"demo 17132 158665.570607: cpu-clock: ", Some("what perf script prints")),
            (b"a demo 1/2 [003] 2.5:    7 cycles:u: ", Some("what perf script prints")),
            (b"\t    55d0c6a8b1c9 main+0x1c (/demo)", Some("what perf script prints")),
            (b"            7f00 [unknown] (/lib/libc.so.6)", Some("what perf script prints")),
            (b"[  771.42K cycles in 5 calls ]  - 1% : f", Some("what landmarks prints")),
            (b"{\"nodes\":[", Some("JSON")),
            (b"\xc1\x1f\xfc\xc1\0", Some("a trace of memtrace")),
            (b"main;parse;read", None),
            (b"main;parse 1.5", None),
            (b"std::chrono::f 1.5:x", None),
            (b" add", None),
            (b"  beef", None),
            (b"", None),
        ] {
            assert_eq!(looks_like(line), expected, "{:?}", String::from_utf8_lossy(line));
        }
    }
}
