//! Detects text that `perf script` printed.

use common::numbers::is_digits;

use super::beside::{is_beside, is_call_trace, is_metric, is_side_record};
use super::event_line::EventLine;
use super::fields::last_event;
use super::frame_line::{FrameLine, is_chain_frame};
use super::glued;
use super::object_file::ends_in_object;
use super::one_line::{self, is_lone_frame};
use super::source_line::is_source_line;
use crate::format::Head;

/// Whether the lines seen so far are from `perf script`: there is a sample, and most lines are
/// understood. One sample is not enough, as a line in a table or a log may look like one.
pub(super) fn detect(head: &Head<'_>) -> bool {
    let lines = || head.lines();
    // On a machine with many processors, the header is longer than the text seen here.
    let first = lines().find(|line| !line.trim_ascii().is_empty());
    first.is_some_and(|line| line.starts_with(b"# ========"))
        || has_sample(lines()) && are_mostly_understood(lines())
        || head.is_last && are_frameless(lines())
}

/// Whether there is a sample: an event line with a time and a thread, a line that is a whole
/// sample, or frames after an event line or a blank one.
fn has_sample<'a>(lines: impl Iterator<Item = &'a [u8]>) -> bool {
    let mut above: &[u8] = b"";
    for line in lines {
        if is_call_trace(line) {
            return false;
        }
        let is_tabbed_frame = is_tabbed_frame(line);
        if is_tabbed_frame && !above.starts_with(b"\t") || is_framed(above, line) {
            return true;
        }
        if !is_tabbed_frame && is_whole_sample(line) {
            return true;
        }
        // bpftrace opens a stack with `@[`; with `-f perf` its frames look like perf's.
        if line.starts_with(b"@") {
            return false;
        }
        above = line;
    }
    false
}

/// Whether more than half of the lines are samples, frames, or side records. Blank lines and
/// comments do not count.
fn are_mostly_understood<'a>(lines: impl Iterator<Item = &'a [u8]>) -> bool {
    let (mut all, mut understood) = (0, 0);
    let (mut above, mut is_above_understood): (&[u8], _) = (b"", true);
    let mut is_above_source = false;
    for line in lines.filter(|line| !line.starts_with(b"#")) {
        if line.is_empty() {
            (above, is_above_understood) = (line, true);
            continue;
        }
        let is_frame = is_chain_frame(line) || is_loose_frame(line, is_above_understood);
        let opens_frames = is_frame || is_framed(above, line);
        // Any line may open a sample if a frame follows it.
        understood += usize::from(opens_frames && !is_above_understood);
        let is_known = opens_frames || is_understood_alone(line);
        // A frame has one source line at most.
        let is_place = is_above_understood && !is_above_source && is_source_line(line);
        is_above_source = !is_known && is_place;
        let is_understood = is_known || is_place;
        all += 1;
        understood += usize::from(is_understood);
        (above, is_above_understood) = (line, is_understood);
    }
    understood * 2 > all
}

/// Whether this is a frame although its indentation is not perf's.
fn is_loose_frame(line: &[u8], is_above_understood: bool) -> bool {
    let is_certain = |frame: FrameLine<'_>| one_line::is_certain(&frame);
    is_tabbed_frame(line) || is_above_understood && FrameLine::parse(line).is_some_and(is_certain)
}

/// Whether this is a frame after a TAB. A disassembly has a TAB there, too, before the bytes
/// of an instruction, and another one after them: `\t48 83 ec 08\tsub $0x8,%rsp`.
fn is_tabbed_frame(line: &[u8]) -> bool {
    let Some(rest) = line.strip_prefix(b"\t") else { return false };
    FrameLine::parse(line).is_some() && (!rest.contains(&b'\t') || ends_in_object(rest))
}

/// Whether this is a line of `perf script`, whatever the lines around it.
fn is_understood_alone(line: &[u8]) -> bool {
    is_whole_sample(line) || is_beside(line) || is_metric(line) || glued::split(line).is_some()
}

/// Whether a frame follows an event line, though without a TAB before it: `expand` and web pages
/// replace the TAB with spaces or drop it.
fn is_framed(above: &[u8], line: &[u8]) -> bool {
    let Some(frame) = FrameLine::parse(line) else { return false };
    // `p 1 cycles: `: after a name without padding, perf's own number would be wider.
    let is_event = || {
        EventLine::parse(above).is_some_and(|event| event.tid.is_some())
            || line.starts_with(b" ") && last_event(above.trim_ascii_end()).is_some()
    };
    match is_chain_frame(line) {
        // Two such lines in a row, with letters in a number, are not a table of counts.
        true if is_chain_frame(above) => [above, line].iter().any(|line| has_letters(line)),
        true => one_line::is_certain(&frame) || is_event(),
        false => one_line::is_certain(&frame) && is_event(),
    }
}

/// Whether the address of a frame is not a decimal number.
fn has_letters(line: &[u8]) -> bool {
    FrameLine::parse(line).is_some_and(|frame| !is_digits(frame.ip))
}

/// Whether this line alone is a sample, or a record beside samples.
fn is_whole_sample(line: &[u8]) -> bool {
    let is_event = || {
        EventLine::parse(line).is_some_and(|event| {
            event.tid.is_some() && (event.time.is_some() || one_line::only_frame(&event).is_some())
        })
    };
    // ` ffffffff817554ea elf_load`, from `-F ip,sym` without call chains.
    let is_lone = || {
        is_lone_frame(line) && FrameLine::parse(line).is_some_and(|it| one_line::is_certain(&it))
    };
    is_event() || is_lone() || one_line::split(line).is_some() || is_side_record(line)
}

/// Whether all lines are samples that have neither times nor frames, from
/// `-F comm,tid,event` or `-F event,period`:
/// `            demo 17132 cpu-clock: `, `   2004008 cpu-clock: `.
fn are_frameless<'a>(lines: impl Iterator<Item = &'a [u8]>) -> bool {
    let is_sample = |line: &[u8]| {
        EventLine::parse(line).is_some_and(|event| {
            // Registers may follow: `            demo 17132 cpu-clock:  ABI:2    SP:0x7ffc `.
            let has_text = event.rest.get(1..).is_some_and(|fields| !is_beside(fields));
            !event.event.is_empty() && !has_text && line.ends_with(b" ")
        })
    };
    let mut lines = lines.filter(|line| !line.is_empty()).peekable();
    lines.peek().is_some() && lines.all(is_sample)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_detected(text: &str) -> bool {
        detect(&Head::new(text.as_bytes(), true, true))
    }

    #[test]
    fn samples_are_known_by_times_or_frames() {
        for text in [
            "# ========\n# captured on\n\ndemo 1 2.3: 1 cycles:\n\t 10 f (/x)\n\n",
            "demo 1   2.5:          1 cycles:   561a fib+0x24 (/demo)\n",
            "demo 1 cpu-clock: \n\t 10 f (/x)\n",
            "demo 1 \n\t 10 f\n",
            "my demo \n\t 10 f\n",
            "cpu-clock: \n\t 10 f\n",
            "\n\t 10 f\n\t 12 g\n\n\n\t 10 f\n",
            " ffffffff817554ea elf_load\n     7facef0f4b70 _start\n",
            "   demo 18847          1 page-faults:  ffffffff817554ea elf_load ([kernel.kallsyms])\n",
            "perf: some warning\ndemo 1 2.3: cycles:\n\t 10 f (/x)\n",
            "node 31912 cpu-clock: \n            13a80b608e0a RegExp:[&<>\\'] (/tmp/perf-7539.map)\n",
            "\njava 19983 cycles:\nffffffff8103d0ca native_write_msr_safe ([kernel.kallsyms])\n",
            "demo \n            13a80b608e0a main\n",
            "            demo  ffffffff8175336a elf_load\n",
            "page-faults:  ffffffff8175336a elf_load\n",
            "PERF_RECORD_MMAP -1/0: [0xffffffff81000000(0x1209988) @ 0xffffffff81000000]: x [k]\n",
            "         1 page-faults: \n   2004008   cpu-clock: \n",
            "            demo 17132 cpu-clock: \n",
            "17132 cpu-clock:  ABI:2    SP:0x7ffc \n",
            "U     \n                    11ea spin\n                    13a6 main\n",
            "p 1 cycles: \n    10 f (/x)\n\n",
            "p 1 cycles: \n        401136 f+0x1 (/x)\n        401140 main+0x2 (/x)\n\n",
        ] {
            assert!(is_detected(text), "{text:?}");
        }
    }

    #[test]
    fn other_texts_are_not_taken_for_samples() {
        for text in [
            "",
            "\n\n",
            "main;f 12\n",
            "@[\n\tffffffff821ef666 do_syscall_64+70\n, \n\t7f4 read+76 (/usr/lib/libc.so)\n]: 4\n",
            "hello\nworld 1\n",
            "        12345678 total\n        12345679 used\n",
            "Nov 22 01:22:33 host cron 12345 started: ok\n",
            "00000000004005f0 T main\n0000000000400610 t f\n",
            "#0  0x00007f00 in main () at demo.c:14\n",
            "a 8 30\n+ 14\ni 4c4f430065727560 0\n",
            "    read\n    -                dd (25036)\n        4\n",
            "<f>:\n\td10083ff \tsub\tsp, sp, #0x20\n\tb90007e0 \tstr\tw0, [sp, #4]\n",
            "0 <main>:\n\t55                   \tpush   %rbp\n\t48 89 e5             \tmov    %rsp,%rbp\n",
            "sums: \n    12345 total (/x)\n a line\n another line\n and one more\n",
        ] {
            assert!(!is_detected(text), "{text:?}");
        }
    }
}
