//! The line that opens a sample, or is a whole sample.
//!
//! Grammar from the printing order in perf's tools/perf/builtin-script.c:
//! `comm id [cpu] [misc] [tod] [time:] [period] [event:] [more fields]`, where
//! every field can be switched off with `perf script -F`.

use common::numbers::decimal;
use memchr::memchr_iter;

use super::fields::{
    PERIOD_COLUMNS, cpu_number, ends_token, is_misc, is_narrow_id, last_event, split_id,
    split_period, time_start, without_time_of_day,
};
use super::tokens::{
    ends_in_colon, split_last_token, split_token, token_start, trim, trim_end, trim_start,
};

/// What the profiler of Swift prints as the event, without a colon:
/// `NIO-ELT-0     11/2     4.000000005:    swipr`.
const SWIFT_EVENT: &[u8] = b"swipr";

/// The fields of an event line; those not printed are empty or `None`.
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
    /// The weight of the sample in the event's own unit.
    pub(crate) period: Option<u64>,
    /// The event's name, without the colon after it.
    pub(crate) event: &'a [u8],
    /// The text after the event, with the spaces before it: a tracepoint's text, other fields, and
    /// the only frame of a sample without a call chain.
    pub(crate) rest: &'a [u8],
}

impl<'a> EventLine<'a> {
    /// Parses a line that has a time, or at least an event: no other line looks like that.
    ///
    /// The time is the anchor: before it comes a comm that may hold spaces, digits, colons and
    /// brackets, after it a text that may hold anything.
    /// `io:wrk/1 [x] 17065   529.261642:    2004008 cpu-clock:  561ae304d734 outer`
    pub(crate) fn parse(line: &'a [u8]) -> Option<EventLine<'a>> {
        EventLine::with_time(line).or_else(|| EventLine::with_event(line))
    }

    fn with_time(line: &'a [u8]) -> Option<EventLine<'a>> {
        let times = || memchr_iter(b':', line).filter_map(|colon| EventLine::around(line, colon));
        // `a 2.5: b 17 12.000345:`: a comm may look like a time, but there is no id before it, and
        // it rarely has the six or nine digits that perf prints after the point.
        let is_precise = |event: &EventLine<'_>| event.time.is_some_and(|time| time.len() > 7);
        times().find(|event| event.tid.is_some()).or_else(|| times().find(is_precise))
    }

    /// Parses a line whose time ends at this colon.
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
            parsed.rest = trim_end(&line[colon + 1..]);
            let before = trim_end(&line[..start]);
            // Of two numbers one is a thread and one a period, which has ten columns; a single
            // number is a thread: `worker 12 17065 cpu-clock: `.
            if let Some((thread, period)) = split_period(before)
                && (parsed.set_thread(thread) || thread.is_empty())
            {
                parsed.period = Some(period);
                return Some(parsed);
            }
            (!is_narrow_id(before) && parsed.set_thread(before)).then_some(parsed)
        })
    }

    /// Parses a line that could be any text, but that frames follow: `demo 16985/16986 [001] `,
    /// `demo ` or `cpu-clock: `, from `-F` with few fields.
    pub(crate) fn before_frames(line: &'a [u8]) -> EventLine<'a> {
        let mut parsed = EventLine::default();
        let line = trim_end(line);
        let line = match last_event(line) {
            Some((start, colon)) => {
                parsed.event = &line[start..colon];
                parsed.rest = &line[colon + 1..];
                trim_end(&line[..start])
            }
            None => line,
        };
        let (thread, period) = match split_period(line) {
            Some((thread, period)) => (thread, Some(period)),
            None => (line, None),
        };
        parsed.period = period;
        if is_narrow_id(thread) || !parsed.set_thread(thread) {
            parsed.comm = trim(thread);
        }
        parsed
    }

    /// Whether this is not a sample, but the user part of a call chain that perf printed earlier
    /// without it: `demo 17 121.16: DEFERRED CALLCHAIN [cookie: b00000006]`. With
    /// `--merge-callchains`, the default, perf prints chains whole.
    pub(crate) fn is_deferred_chain(&self) -> bool {
        self.event.is_empty() && self.text().starts_with(b"DEFERRED CALLCHAIN [")
    }

    /// The text after the event, without the spaces around it.
    pub(crate) fn text(&self) -> &'a [u8] {
        trim_start(self.rest)
    }

    /// Splits `comm id [cpu] [misc] [tod]` from its right end; false if there is no id, then all of
    /// it is the comm.
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
        let Some((pid, tid)) = split_id(token) else {
            // `demo 17132 [001] 2026-11-22 01:37:22.940363 `: -F +tod prints a date.
            let without = without_time_of_day(self.comm);
            return without.len() < self.comm.len() && self.set_thread(without);
        };
        self.comm = front;
        self.pid = pid;
        self.tid = Some(tid);
        true
    }

    /// Splits `[period] [event:] rest`, the text after the time's colon.
    fn set_event(&mut self, text: &'a [u8]) {
        self.rest = trim_end(text);
        let Some((mut token, mut after)) = split_token(self.rest) else { return };
        if let Some(period) = decimal(token) {
            let event = split_token(after).filter(|(event, _)| ends_in_colon(event));
            // Without an event this is a period only if it has ten columns, since `-F +weight`
            // prints a number in sixteen.
            let columns = self.rest.len() - after.len() - 1;
            if event.is_none() && columns != token.len().max(PERIOD_COLUMNS) {
                return;
            }
            (self.period, self.rest) = (Some(period), after);
            let Some(event) = event else { return };
            (token, after) = event;
        }
        if ends_in_colon(token) {
            (self.event, self.rest) = (&token[..token.len() - 1], after);
        } else if self.rest.trim_ascii() == SWIFT_EVENT {
            (self.event, self.rest) = (SWIFT_EVENT, b"");
        }
    }
}

#[cfg(test)]
mod tests {
    use bstr::ByteSlice;

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
        assert_eq!(text(parsed.text()), rest, "rest of {line:?}");
    }

    /// Lines with a time or an event.
    const LINES: &[(&str, Expected)] = &[
        (
            "V8 Worker Thr 16992   525.936394:    2004008 cpu-clock: ",
            ("V8 Worker Thr", "16992", Some("525.936394"), Some(2_004_008), "cpu-clock", ""),
        ),
        (
            "V8 Worker Thr 23541/23546 [001]   594.975437:    3344481 cpu-clock: ",
            ("V8 Worker Thr", "23541/23546", Some("594.975437"), Some(3_344_481), "cpu-clock", ""),
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
        (
            "demo 17 [001] 2026-11-22 01:37:22.940363   525.936394:          1 cycles: ",
            ("demo", "17", Some("525.936394"), Some(1), "cycles", ""),
        ),
        (
            "demo    17 2026-11-22 01:37:22.940363     cycles: ",
            ("demo", "17", None, None, "cycles", ""),
        ),
        ("         1 page-faults: ", ("", "", None, Some(1), "page-faults", "")),
        (
            "demo 17   525.936394:                0      55db543211ea f",
            ("demo", "17", Some("525.936394"), None, "", "0      55db543211ea f"),
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
    ];

    #[test]
    fn fields_are_found_from_the_time() {
        for &(line, expected) in LINES {
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
