//! Two lines without a line end between them, from `cat a b` where `a` does not end in one.

use super::event_line::EventLine;
use super::object_file::ends_in_object;

/// Splits a line after a frame that is followed by a sample or the header of a recording:
/// `\t20 main (/demo)demo 1 2.5: 7 cycles: `.
pub(super) fn split(line: &[u8]) -> Option<(&[u8], &[u8])> {
    // Hardly any line has a time or a header.
    if !has_time(line) && !line.ends_with(b"# ========") {
        return None;
    }
    memchr::memchr_iter(b')', line).map(|close| line.split_at(close + 1)).find(|(frame, next)| {
        let is_sample =
            || EventLine::parse(next).is_some_and(|it| it.time.is_some() && it.tid.is_some());
        ends_in_object(frame) && (*next == b"# ========" || is_sample())
    })
}

/// Whether any part of the line looks like a time: `2.5:`.
fn has_time(line: &[u8]) -> bool {
    memchr::memchr_iter(b':', line).any(|colon| {
        let digits = line[..colon].iter().rev().take_while(|byte| byte.is_ascii_digit()).count();
        digits > 0 && line[..colon - digits].ends_with(b".")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parts(line: &str) -> Option<(&str, &str)> {
        split(line.as_bytes()).map(|(frame, next)| {
            let text = |bytes| std::str::from_utf8(bytes).expect("ascii in, ascii out");
            (text(frame), text(next))
        })
    }

    #[test]
    fn a_sample_may_follow_a_frame_without_a_line_end() {
        for (frame, next) in [
            ("\t 20 main (/demo)", "demo 1 2.5: cycles:"),
            ("\t 20 main (/demo)", "(sd-pam) 1 2.5: 7 cycles: "),
            ("\t 20 f(void (*)(int)) const ([vdso])", "my demo 1/2 [000] 2.500000: 7 cycles: "),
            (
                "d 1 2.5: cycles:  55d0c1a0f2a4 g (/d)",
                "            d     1     2.6: cycles:  55d0c1a0f2a4 g (/d)",
            ),
            ("\t 20 main (/demo)", "# ========"),
        ] {
            assert_eq!(parts(&[frame, next].concat()), Some((frame, next)));
        }
    }

    #[test]
    fn whole_lines_stay_whole() {
        for line in [
            "",
            ":",
            "demo (x) 1 2.5: cycles: ",
            "(sd-pam) 1 2.5: cycles:  55d0c1a0f2a4 g (/d)",
            "\t 20 main (/demo)",
            "\t 20 JS:~f 2.5: (/demo)",
            "\t 20 main (/demo 1 2.5: x)",
            "\t 20 operator()(int) 1 2.5: x (/demo)",
        ] {
            assert_eq!(parts(line), None, "{line:?}");
        }
    }
}
