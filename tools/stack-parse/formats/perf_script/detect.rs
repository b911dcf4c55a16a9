//! Detects text that `perf script` printed.

use bstr::ByteSlice;
use common::numbers::is_digits;

use super::beside::{is_beside, is_call_trace, is_metric, is_side_record};
use super::event_line::EventLine;
use super::fields::{COMM_COLUMNS, cpu_number, last_event, split_id};
use super::frame_line::{FrameLine, is_chain_frame};
use super::glued;
use super::object_file::ends_in_object;
use super::one_line::{self, is_lone_frame};
use super::source_line::is_source_line;
use super::tokens::{ends_in_colon, split_last_token, trim_end};
use crate::format::Head;

/// Whether the lines seen so far are from `perf script`: a line proves it, and most lines are
/// understood. One line is not enough, as a line in a table or a log may look like it.
pub(super) fn detect(head: &Head<'_>) -> bool {
    let lines = || head.lines();
    // On a machine with many processors, the header is longer than the text seen here.
    let first = lines().find(|line| !line.trim_ascii().is_empty());
    first.is_some_and(|line| line.starts_with(b"# ========"))
        || proof(lines()).is_some_and(|proof| proof.is_enough(understood(lines())))
        || head.is_last && are_frameless(lines())
}

/// What shows that a text is perf's.
#[derive(Clone, Copy)]
enum Proof {
    /// A sample has a time and a thread, or an event before its frames.
    Fields,
    /// `-F comm,ip,sym` and `-F ip,sym` print neither, but their frames are in perf's columns. Crash
    /// reports and lists of addresses look much like them.
    Columns,
}

impl Proof {
    /// Whether so many lines of all are understood that the text is perf's.
    fn is_enough(self, (understood, all): (usize, usize)) -> bool {
        match self {
            Proof::Fields => understood * 2 > all,
            // perf's own messages are the others.
            Proof::Columns => understood * 10 >= all * 9,
        }
    }
}

/// The best proof in these lines.
fn proof<'a>(lines: impl Iterator<Item = &'a [u8]>) -> Option<Proof> {
    let mut above: &[u8] = b"";
    let mut found = None;
    for line in lines {
        // `Thread 0x7f2b (LWP 991):` is in no recording: no event ends so.
        if is_call_trace(line) || line.trim_ascii_end().ends_with(b"):") {
            return None;
        }
        if has_time(line) || has_event(above, line) || is_side_record(line) {
            return Some(Proof::Fields);
        }
        // bpftrace opens a stack with `@[`; with `-f perf` its frames look like perf's.
        if line.starts_with(b"@") {
            return found;
        }
        if is_in_columns(above, line) {
            found = Some(Proof::Columns);
        }
        above = line;
    }
    found
}

/// Whether this is an event line with a time and a thread. A tracepoint or a sample without a call
/// chain is no more than that.
fn has_time(line: &[u8]) -> bool {
    let event = if line.starts_with(b"\t") { None } else { EventLine::parse(line) };
    event.is_some_and(|event| event.tid.is_some() && event.time.is_some())
}

/// Whether there is a frame after an event: below it, or in the same line.
fn has_event(above: &[u8], line: &[u8]) -> bool {
    let is_one_line = || {
        let event = if line.starts_with(b"\t") { None } else { EventLine::parse(line) };
        event.is_some_and(|it| it.tid.is_some() && one_line::only_frame(&it).is_some())
            || one_line::split(line).is_some_and(|(fields, _)| is_only_event(fields))
    };
    is_frame_of_event(above, line) || is_one_line()
}

/// Whether a frame follows an event line, though maybe without a TAB before it: `expand` and web
/// pages replace the TAB with spaces or drop it.
fn is_frame_of_event(above: &[u8], line: &[u8]) -> bool {
    let Some(frame) = FrameLine::parse(line) else { return false };
    let is_frame = is_chain_frame(line) || one_line::is_certain(&frame);
    if !is_frame || line.starts_with(b"\t") && !is_tabbed_frame(line) {
        return false;
    }
    // `p 1 cycles: `: after a name without padding, perf's own number would be wider.
    let is_event = || {
        let is_indented = line.first().is_some_and(u8::is_ascii_whitespace);
        is_indented && last_event(above.trim_ascii_end()).is_some()
    };
    EventLine::parse(above).is_some_and(|event| event.tid.is_some()) || is_event()
}

/// `page-faults: `, `   2004008 cpu-clock: `
fn is_only_event(fields: &[u8]) -> bool {
    split_last_token(trim_end(fields))
        .is_some_and(|(before, event)| ends_in_colon(event) && before.fields().all(is_digits))
}

/// Whether this is a frame in perf's own columns, with no event before it.
fn is_in_columns(above: &[u8], line: &[u8]) -> bool {
    let Some(frame) = FrameLine::parse(line) else { return is_in_comm_columns(line) };
    let is_certain = one_line::is_certain(&frame);
    if !is_chain_frame(line) {
        let is_frame = || is_lone_frame(line) || line.starts_with(b"\t") && ends_in_object(line);
        return is_certain && is_frame() || is_in_comm_columns(line);
    }
    // Two such lines in a row, with letters in a number, are not a table of counts.
    is_certain || is_chain_frame(above) && [above, line].iter().any(|line| has_letters(line))
}

/// Whether a frame follows a name that is padded as perf pads it, to sixteen columns, or a thread
/// alone: `            demo  ffffffff8175336a elf_load`, `17132 [001]  ffffffff8175336a elf_load`.
/// Where the blanks before it are lost, its object file tells it from the line of a crash report.
fn is_in_comm_columns(line: &[u8]) -> bool {
    one_line::split(line).is_some_and(|(fields, frame)| {
        let is_padded = fields.get(COMM_COLUMNS - 1).is_some_and(|byte| *byte != b' ')
            && fields.get(COMM_COLUMNS).is_none_or(|byte| *byte == b' ');
        is_padded || is_thread(fields) || ends_in_object(frame)
    })
}

/// `17132 `, `17132/17133 [001] `
fn is_thread(fields: &[u8]) -> bool {
    let mut words = fields.fields();
    words.next().is_some_and(|id| split_id(id).is_some())
        && words.next().is_none_or(|cpu| cpu_number(cpu).is_some())
        && words.next().is_none()
}

/// How many lines are samples, frames, or side records, and how many lines there are. Blank lines
/// and comments do not count.
fn understood<'a>(lines: impl Iterator<Item = &'a [u8]>) -> (usize, usize) {
    let (mut all, mut understood) = (0, 0);
    let (mut above, mut is_above_understood): (&[u8], _) = (b"", true);
    let mut is_above_source = false;
    for line in lines.filter(|line| !line.starts_with(b"#")) {
        if line.is_empty() {
            (above, is_above_understood) = (line, true);
            continue;
        }
        let is_frame = is_chain_frame(line) || is_loose_frame(line, is_above_understood);
        let opens_frames = is_frame || is_frame_of_event(above, line);
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
    (understood, all)
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
    has_time(line)
        || has_event(b"", line)
        || is_in_columns(b"", line)
        || is_side_record(line)
        || is_beside(line)
        || is_metric(line)
        || glued::split(line).is_some()
}

/// Whether the address of a frame is not a decimal number.
fn has_letters(line: &[u8]) -> bool {
    FrameLine::parse(line).is_some_and(|frame| !is_digits(frame.ip))
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
    fn samples_are_known_by_times_events_or_columns() {
        for text in [
            "# ========\n# captured on\n\ndemo 1 2.3: 1 cycles:\n\t 10 f (/x)\n\n",
            "demo 1   2.5:          1 cycles:   561a fib+0x24 (/demo)\n",
            "demo 1 cpu-clock: \n\t 10 f (/x)\n",
            "demo 1 \n\t              1a f\n\t              10 g\n",
            "my demo \n\t              10 f (/x)\n",
            "my demo \n\t 10 f (/x)\n",
            "cpu-clock: \n\t              10 f\n",
            "\n\t              10 f\n\t              1a g\n\n\n\t              10 f\n",
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
            "Symptoms:\n\ta fever\n\tbe careful\n",
            "Ingredients\n\n\t2 eggs\n\t3 cups of flour\n",
            "@ 00000000004024d0 pthread_mutex_lock\n@ 0000000000406dd0 std::mutex::lock()\n",
            " #0 [ffff880036a6bd10] machine_kexec at ffffffff8105c4cb\n",
            "PID: 1234   TASK: ffff8800378e0000  CPU: 0   COMMAND: \"bash\"\n",
            "PID: 1234567  TASK: ffff8800378e0000  CPU: 0   COMMAND: \"bash\"\n",
            "Thread 0x7f2b (LWP 991):\n        ffffffff81a01000 schedule\n",
            "sums: \n    12345 total (/x)\n a line\n another line\n and one more\n",
        ] {
            assert!(!is_detected(text), "{text:?}");
        }
    }
}
