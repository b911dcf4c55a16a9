//! The line that opens a sample, or is one.
//!
//! Grammar from the printing order in perf's tools/perf/builtin-script.c:
//! `comm id [misc] [cpu] [time:] [period] [event:] [trace text | ip sym (dso)]`,
//! where every field can be switched off with `perf script -F`.

use bstr::ByteSlice;
use memchr::{memchr, memchr_iter};

use super::frame_line::FrameLine;
use super::tokens::{
    ends_in_colon, is_digits, is_space, parse_number, split_last_token, token_end, token_start,
    trim, trim_end, trim_start,
};

/// How wide perf prints a period at least, behind a space.
const PERIOD_COLUMNS: usize = 10;

/// The fields of an event line; what was not printed is empty or `None`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct EventLine<'a> {
    /// The thread's name, without padding; may hold anything.
    pub(crate) comm: &'a [u8],
    /// The process, where `perf script` printed `pid/tid`.
    pub(crate) pid: Option<&'a [u8]>,
    /// The thread.
    pub(crate) tid: Option<&'a [u8]>,
    /// The processor.
    pub(crate) cpu: Option<&'a [u8]>,
    /// Seconds, as printed.
    pub(crate) time: Option<&'a [u8]>,
    /// Where the time starts in the line.
    pub(crate) time_start: usize,
    /// What the sample weighs in the event's own unit.
    pub(crate) period: Option<u64>,
    /// The event's name, without the colon behind it.
    pub(crate) event: &'a [u8],
    /// What follows the event: a tracepoint's text, or the only frame of a
    /// sample that was recorded without call chains.
    pub(crate) rest: &'a [u8],
}

impl<'a> EventLine<'a> {
    /// Parses a line that holds a time, or at least an event: nothing else
    /// looks like it.
    ///
    /// The time is the anchor: before it stands a comm that may hold spaces,
    /// digits, colons and brackets, behind it a text that may hold anything.
    /// `io:wrk/1 [x] 17065   529.261642:    2004008 cpu-clock:  561ae304d734 outer`
    pub(crate) fn parse(line: &'a [u8]) -> Option<EventLine<'a>> {
        EventLine::with_time(line).or_else(|| EventLine::with_event(line))
    }

    fn with_time(line: &'a [u8]) -> Option<EventLine<'a>> {
        let times = || memchr_iter(b':', line).filter_map(|colon| EventLine::around(line, colon));
        // `a 2.5: b 17 12.000345:`: a comm may look like a time, but has no id
        // before it and rarely the six or nine digits that perf prints behind
        // the point.
        let is_precise = |event: &EventLine<'_>| event.time.is_some_and(|time| time.len() > 7);
        times().find(|event| event.tid.is_some()).or_else(|| times().find(is_precise))
    }

    /// Parses a line by the colon behind its time.
    fn around(line: &'a [u8], colon: usize) -> Option<EventLine<'a>> {
        let start = time_start(line, colon)?;
        let mut parsed = EventLine::default();
        parsed.set_thread(&line[..start]);
        parsed.time = Some(&line[start..colon]);
        parsed.time_start = start;
        parsed.set_event(&line[colon + 1..]);
        Some(parsed)
    }

    /// `V8 Worker Thr 16992    2004008 cpu-clock: `, from `-F comm,tid,period,event`.
    fn with_event(line: &'a [u8]) -> Option<EventLine<'a>> {
        memchr_iter(b':', line).filter(|&colon| ends_token(line, colon)).find_map(|colon| {
            let start = token_start(&line[..colon]);
            let mut parsed = EventLine { event: &line[start..colon], ..Default::default() };
            parsed.rest = trim(&line[colon + 1..]);
            let before = trim_end(&line[..start]);
            let period_start = token_start(before);
            let without_period = trim_end(&before[..period_start]);
            let period = parse_number(&before[period_start..]);
            // Two numbers are a thread and a period in its ten columns, one is
            // a thread: `worker 12 17065 cpu-clock: `.
            let is_padded = before.len() - without_period.len() > PERIOD_COLUMNS;
            if period.is_some() && is_padded && parsed.set_thread(without_period) {
                parsed.period = period;
                return Some(parsed);
            }
            (!is_narrow_id(before) && parsed.set_thread(before)).then_some(parsed)
        })
    }

    /// Parses a line that could also be any text, but that frames follow:
    /// `demo 16985/16986 [001] `, `demo ` or `cpu-clock: `, from `-F` with few
    /// fields.
    pub(crate) fn before_frames(line: &'a [u8]) -> EventLine<'a> {
        let mut parsed = EventLine::default();
        if !is_narrow_id(line) && parsed.set_thread(line) {
            return parsed;
        }
        let line = trim(line);
        let (before, event) = line.split_at(token_start(line));
        match event.strip_suffix(b":") {
            Some(event) => EventLine { comm: trim(before), event, ..EventLine::default() },
            None => EventLine { comm: line, ..EventLine::default() },
        }
    }

    /// True if and only if this is no sample but what perf noted beside them:
    /// `demo 16985 525.93: PERF_RECORD_COMM exec: demo:16985/16985`.
    pub(crate) fn is_side_record(&self) -> bool {
        self.event.starts_with(b"PERF_RECORD_") || self.rest.starts_with(b"PERF_RECORD_")
    }

    /// The frame of a sample that was recorded without call chains:
    /// `cpu-clock:      561ae304d6c4 fib+0x24 (/prog/demo)`.
    pub(crate) fn only_frame(&self) -> Option<FrameLine<'a>> {
        let frame = FrameLine::parse(self.rest)?;
        // A tracepoint's text may start with a word like `bad` or `add`.
        let is_whole = !frame.dso.is_empty() || self.rest.contains_str("+0x");
        (frame.ip.len() >= 8 || frame.ip.len() >= 3 && is_whole).then_some(frame)
    }

    /// True if and only if a call chain follows, if anything does.
    pub(crate) fn is_plain_sample(&self) -> bool {
        !self.is_side_record() && self.only_frame().is_none()
    }

    /// Takes `comm id [misc] [cpu]` apart from its right end; false if there
    /// is no id, then all of it is the comm.
    fn set_thread(&mut self, text: &'a [u8]) -> bool {
        let mut before = trim(text);
        self.comm = before;
        // `demo 17132 [001] U  531.5: `: -F +misc prints letters.
        if let Some((front, token)) = split_last_token(before)
            && is_misc(token)
            && split_last_token(front)
                .is_some_and(|(_, last)| split_id(last).is_some() || cpu_number(last).is_some())
        {
            before = front;
        }
        if let Some((front, token)) = split_last_token(before)
            && let Some(cpu) = cpu_number(token)
        {
            self.cpu = Some(cpu);
            before = front;
            self.comm = before;
        }
        let Some((front, token)) = split_last_token(before) else { return false };
        let Some((pid, tid)) = split_id(token) else { return false };
        self.comm = front;
        self.pid = pid;
        self.tid = Some(tid);
        true
    }

    /// Takes `[period] [event:] rest` apart.
    fn set_event(&mut self, text: &'a [u8]) {
        let mut text = trim(text);
        let first = token_end(text);
        if let Some(period) = parse_number(&text[..first])
            && !ends_in_colon(&text[..first])
        {
            self.period = Some(period);
            text = trim_start(&text[first..]);
        }
        let token = &text[..token_end(text)];
        if ends_in_colon(token) {
            self.event = &token[..token.len() - 1];
            text = trim_start(&text[token.len()..]);
        }
        self.rest = text;
    }
}

/// Where the time starts whose colon this is: `525.936394:`, a token alone.
fn time_start(line: &[u8], colon: usize) -> Option<usize> {
    if !ends_token(line, colon) {
        return None;
    }
    let digits_before = |end: usize| {
        let digits = line[..end].iter().rev().take_while(|byte| byte.is_ascii_digit()).count();
        (digits > 0).then_some(end - digits)
    };
    let point = digits_before(colon)?.checked_sub(1)?;
    let start = digits_before(point)?;
    let starts_token = start == 0 || is_space(&line[start - 1]);
    (line[point] == b'.' && starts_token).then_some(start)
}

/// True if and only if nothing but white space, or nothing, follows `at`.
fn ends_token(line: &[u8], at: usize) -> bool {
    line.get(at + 1).is_none_or(is_space)
}

/// `123` or `12/123`; `-1` stands for no process.
fn split_id(token: &[u8]) -> Option<(Option<&[u8]>, &[u8])> {
    let is_id = |id: &[u8]| is_digits(id.strip_prefix(b"-").unwrap_or(id));
    match memchr(b'/', token) {
        Some(slash) => {
            let (pid, tid) = (&token[..slash], &token[slash + 1..]);
            (is_id(pid) && is_id(tid)).then_some((Some(pid), tid))
        }
        None => is_id(token).then_some((None, token)),
    }
}

/// True if and only if a text ends in a number that is no thread: perf pads
/// those to five columns, `demo    12 `, so `worker 12 ` is a comm.
fn is_narrow_id(text: &[u8]) -> bool {
    let text = trim_end(text);
    let start = token_start(text);
    let columns = text.len() - trim_end(&text[..start]).len();
    is_digits(&text[start..]) && columns < if columns == text.len() { 5 } else { 6 }
}

/// `[003]`
fn cpu_number(token: &[u8]) -> Option<&[u8]> {
    token.strip_prefix(b"[")?.strip_suffix(b"]").filter(|number| is_digits(number))
}

/// `U`, `K`, `Hv`: the letters of perf's misc field.
fn is_misc(token: &[u8]) -> bool {
    token.len() <= 3 && token.iter().all(u8::is_ascii_alphabetic)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// comm, id, time, period, event, rest
    type Expected =
        (&'static str, &'static str, Option<&'static str>, Option<u64>, &'static str, &'static str);

    fn assert_parses(line: &str, expected: Expected) {
        let parsed = EventLine::parse(line.as_bytes()).unwrap_or_else(|| panic!("{line:?}"));
        let text = |bytes: &[u8]| bytes.to_str_lossy().into_owned();
        let id = [parsed.pid, parsed.tid].into_iter().flatten().map(text).collect::<Vec<_>>();
        let (comm, ids, time, period, event, rest) = expected;
        assert_eq!(text(parsed.comm), comm, "comm of {line:?}");
        assert_eq!(id.join("/"), ids, "id of {line:?}");
        assert_eq!(parsed.time.map(text).as_deref(), time, "time of {line:?}");
        assert_eq!(parsed.period, period, "period of {line:?}");
        assert_eq!(text(parsed.event), event, "event of {line:?}");
        assert_eq!(text(parsed.rest), rest, "rest of {line:?}");
    }

    #[test]
    fn fields_are_found_from_the_time() {
        for (line, expected) in [
            (
                "V8 Worker Thr 16992   525.936394:    2004008 cpu-clock: ",
                ("V8 Worker Thr", "16992", Some("525.936394"), Some(2_004_008), "cpu-clock", ""),
            ),
            (
                "V8 Worker Thr 23541/23546 [001]   594.975437:    3344481 cpu-clock: ",
                (
                    "V8 Worker Thr",
                    "23541/23546",
                    Some("594.975437"),
                    Some(3_344_481),
                    "cpu-clock",
                    "",
                ),
            ),
            (
                "V8 Worker Thr 16992 U       525.936394:    2004008 cpu-clock: ",
                ("V8 Worker Thr", "16992", Some("525.936394"), Some(2_004_008), "cpu-clock", ""),
            ),
            (
                "    io:wrk/1 [x] 17065   529.261642:    2004008 cpu-clock:      561ae304d734 outer+0x34 (/demo)",
                (
                    "io:wrk/1 [x]",
                    "17065",
                    Some("529.261642"),
                    Some(2_004_008),
                    "cpu-clock",
                    "561ae304d734 outer+0x34 (/demo)",
                ),
            ),
            (
                "worker 12 17065/17065   529.261642: cycles:uppp: ",
                ("worker 12", "17065/17065", Some("529.261642"), None, "cycles:uppp", ""),
            ),
            (
                ":-1    -1 [001]   529.261642:          1 cycles:",
                (":-1", "-1", Some("529.261642"), Some(1), "cycles", ""),
            ),
            (
                "demo 17147 [000]  1871.292877: sched:sched_process_fork: comm=demo pid=17147 child: 3.5: x",
                (
                    "demo",
                    "17147",
                    Some("1871.292877"),
                    None,
                    "sched:sched_process_fork",
                    "comm=demo pid=17147 child: 3.5: x",
                ),
            ),
            (
                "Gecko\t25122 [007] 115539.936601:\t\t1000000 task-clock:u:",
                ("Gecko", "25122", Some("115539.936601"), Some(1_000_000), "task-clock:u", ""),
            ),
            ("demo 17   525.936394: ", ("demo", "17", Some("525.936394"), None, "", "")),
            ("16992   525.9: cycles:", ("", "16992", Some("525.9"), None, "cycles", "")),
            (
                "V8 Worker Thr 16992 cpu-clock: ",
                ("V8 Worker Thr", "16992", None, None, "cpu-clock", ""),
            ),
            (
                "demo 16992    2004008 cpu-clock: ",
                ("demo", "16992", None, Some(2_004_008), "cpu-clock", ""),
            ),
            ("12 34 16992 cpu-clock: ", ("12 34", "16992", None, None, "cpu-clock", "")),
            (
                "a 2.5: b 16992   525.936394:    2004008 cpu-clock: ",
                ("a 2.5: b", "16992", Some("525.936394"), Some(2_004_008), "cpu-clock", ""),
            ),
            ("a 2.5: b 16992 cpu-clock: ", ("a 2.5: b", "16992", None, None, "cpu-clock", "")),
            ("525.936394: cpu-clock: ", ("", "", Some("525.936394"), None, "cpu-clock", "")),
            (
                "swapper     0 [012] 2281339.604067:   20834821 cpu/event=0x3c,umask=0x1/ppp:",
                (
                    "swapper",
                    "0",
                    Some("2281339.604067"),
                    Some(20_834_821),
                    "cpu/event=0x3c,umask=0x1/ppp",
                    "",
                ),
            ),
        ] {
            assert_parses(line, expected);
        }
    }

    #[test]
    fn other_lines_are_no_event_lines() {
        for line in [
            "",
            "    562039122f0f <HashMap<K,V> as gc::trace::Trace>::trace+0xbf (/boa_cli)",
            "\tffffffff8158e3e1 next_uptodate_folio+0xc1 ([kernel.kallsyms])",
            "  demo.cpp:14",
            "  demo.cpp:14 (inlined)",
            "Warning:",
            "Processed 5 events and lost 4 chunks!",
            "[ perf record: Woken up 1 times to write data ]",
            "main;foo 12",
        ] {
            assert_eq!(EventLine::parse(line.as_bytes()), None, "{line:?}");
        }
    }

    #[test]
    fn few_fields_are_enough_before_frames() {
        let line = EventLine::before_frames(b"my prog 16985/16986 [001] ");
        assert_eq!((line.comm, line.pid), (&b"my prog"[..], Some(&b"16985"[..])));
        let line = EventLine::before_frames(b"my prog ");
        assert_eq!((line.comm, line.tid), (&b"my prog"[..], None));
        let line = EventLine::before_frames(b"cpu-clock:u: ");
        assert_eq!((line.comm, line.event), (&b""[..], &b"cpu-clock:u"[..]));
    }
}
