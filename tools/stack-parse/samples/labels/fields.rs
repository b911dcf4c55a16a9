//! The fields of a tracepoint, in the text that perf prints after its event:
//!
//! ```text
//! prev_comm=my app prev_pid=7 ==> next_comm=cat next_pid=9
//! (5564785601c0) n=30000000 path="GET /item"
//! fd: 0x00000003, buf: 0x7ffd4a, count: 0x00001000
//! ```

use bstr::ByteSlice;
use memchr::memmem;

/// The value of a field, without the quotes around a text; `None` if there is no such field.
pub(super) fn field<'a>(text: &'a [u8], key: &[u8]) -> Option<&'a [u8]> {
    memmem::find_iter(text, key).find_map(|at| {
        if at > 0 && !matches!(text[at - 1], b' ' | b',') {
            return None;
        }
        let rest = &text[at + key.len()..];
        match rest.strip_prefix(b"=") {
            Some(value) => Some(value_at_start(value)),
            // The fields of system calls.
            None => rest.strip_prefix(b": ").map(|value| {
                value.split_once_str(", ").map_or(value, |(value, _)| value).trim_ascii_end()
            }),
        }
    })
}

/// The value at the start of a text: up to the next field, since the name of a thread may hold spaces.
fn value_at_start(text: &[u8]) -> &[u8] {
    if let Some(quoted) = text.strip_prefix(b"\"")
        && let Some(end) = quoted.find_byte(b'"')
    {
        return &quoted[..end];
    }
    let mut end = 0;
    for word in text.split(|byte| *byte == b' ') {
        if end > 0 && (word == b"==>" || is_field(word)) {
            break;
        }
        end += word.len() + 1;
    }
    text[..end.saturating_sub(1).min(text.len())].trim_ascii_end()
}

/// Whether a word begins with a name and `=`.
fn is_field(word: &[u8]) -> bool {
    let is_name = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
    word.find_byte(b'=').is_some_and(|end| end > 0 && word[..end].iter().all(|it| is_name(*it)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_found_in_all_that_perf_prints() {
        let switch = "prev_comm=my app prev_pid=7 prev_state=R+ ==> next_comm=c=t next_pid=9";
        let probe = "(5564785601c0) n=30000000 path=\"GET /a b=1\" s=";
        let call = "fd: 0x00000003, buf: 0x7ffd4a, count: 0x00001000 ";
        for (text, key, expected) in [
            (switch, "prev_comm", Some("my app")),
            (switch, "prev_pid", Some("7")),
            (switch, "prev_state", Some("R+")),
            (switch, "next_comm", Some("c=t")),
            (switch, "next_pid", Some("9")),
            (switch, "pid", None),
            (probe, "n", Some("30000000")),
            (probe, "path", Some("GET /a b=1")),
            (probe, "s", Some("")),
            (call, "fd", Some("0x00000003")),
            (call, "count", Some("0x00001000")),
            ("", "n", None),
        ] {
            let found = field(text.as_bytes(), key.as_bytes()).map(|it| it.to_str_lossy());
            assert_eq!(found.as_deref(), expected, "{key} of {text}");
        }
    }
}
