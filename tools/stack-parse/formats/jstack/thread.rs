//! The line that begins a thread, and what the thread is doing.

use bstr::ByteSlice;
use common::numbers::is_digits;

/// A thread.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Thread {
    pub(super) name: Vec<u8>,
    /// An id that is the same in all dumps: the thread's address, `0x00007f9bf4017ed0`, or Java's
    /// number of it.
    pub(super) id: Vec<u8>,
    /// The system's number of it or, where the dump has none, Java's; in decimal.
    pub(super) tid: Option<Vec<u8>>,
    /// The processor time that it took so far, in nanoseconds.
    pub(super) cpu: Option<u64>,
    /// Whether the JVM shows it as `runnable`.
    is_runnable: bool,
    java_state: Option<State>,
    /// The state in Java's words: `TIMED_WAITING`.
    pub(super) state_name: Option<&'static str>,
    /// Whether it is from `Thread.dump_to_file`.
    pub(super) is_of_file: bool,
}

/// The state of a thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum State {
    /// It runs, or waits only for a processor.
    Running,
    /// It is in a function of the system that waits for something to read, accept or end.
    Io,
    /// It waits for a lock.
    Blocked,
    /// It waits for another thread.
    Waiting,
    /// It waits or sleeps for some time at most.
    TimedWaiting,
    /// It has no stack in Java: a thread of the JVM itself.
    NoStack,
    /// `Thread.dump_to_file` does not print the state before Java 24.
    Unknown,
}

/// The values of `java.lang.Thread.State`.
const STATES: [&str; 6] = ["NEW", "RUNNABLE", "BLOCKED", "WAITING", "TIMED_WAITING", "TERMINATED"];

/// Functions of the system that wait, though Java shows their threads as `RUNNABLE`.
const WAITS: [&str; 21] = [
    "java.io.FileInputStream.readBytes",
    "java.lang.ProcessHandleImpl.waitForProcessExit0",
    "java.lang.UNIXProcess.waitForProcessExit",
    "java.net.DualStackPlainSocketImpl.accept0",
    "java.net.PlainDatagramSocketImpl.receive0",
    "java.net.PlainSocketImpl.socketAccept",
    "java.net.SocketInputStream.socketRead0",
    "jdk.internal.misc.Signal.findSignal0",
    "sun.nio.ch.DatagramChannelImpl.receive0",
    "sun.nio.ch.EPoll.wait",
    "sun.nio.ch.EPollArrayWrapper.epollWait",
    "sun.nio.ch.FileDispatcherImpl.read0",
    "sun.nio.ch.KQueue.poll",
    "sun.nio.ch.KQueueArrayWrapper.kevent0",
    "sun.nio.ch.Net.accept",
    "sun.nio.ch.Net.poll",
    "sun.nio.ch.ServerSocketChannelImpl.accept0",
    "sun.nio.ch.SocketDispatcher.read0",
    "sun.nio.ch.WEPoll.wait",
    "sun.nio.ch.WindowsSelectorImpl$SubSelector.poll0",
    "sun.nio.fs.LinuxWatchService.poll",
];

impl State {
    pub(super) const ALL: [State; 7] = [
        State::Running,
        State::Io,
        State::Blocked,
        State::Waiting,
        State::TimedWaiting,
        State::NoStack,
        State::Unknown,
    ];

    /// The state for a value of `java.lang.Thread.State`.
    fn of_java(name: &[u8]) -> Option<State> {
        match name {
            b"RUNNABLE" => Some(State::Running),
            b"BLOCKED" => Some(State::Blocked),
            b"TIMED_WAITING" => Some(State::TimedWaiting),
            b"WAITING" | b"NEW" | b"TERMINATED" => Some(State::Waiting),
            _ => None,
        }
    }

    /// The event of its samples.
    pub(super) fn event(self) -> &'static [u8] {
        match self {
            State::Running => b"running",
            State::Io => b"io",
            State::Blocked => b"blocked",
            State::Waiting => b"waiting",
            State::TimedWaiting => b"timed-waiting",
            State::NoStack => b"no-stack",
            State::Unknown => b"threads",
        }
    }
}

impl Thread {
    /// Reads a line such as
    /// `"main" #1 prio=5 os_prio=0 cpu=688.46ms elapsed=3.93s tid=0x7f9b nid=0x53c runnable  [0x7f9b]`.
    /// The name itself may hold quotation marks.
    pub(super) fn of(line: &[u8]) -> Option<Thread> {
        let rest = line.strip_prefix(b"\"")?;
        let ends = ["\" #", "\" daemon ", "\" prio=", "\" os_prio="];
        let end = ends.iter().find_map(|end| rest.rfind(end))?;
        let (name, rest) = (&rest[..end], &rest[end + 1..]);
        let id = value(rest, "tid=")?;
        let nid = value(rest, "nid=").unwrap_or_default();
        let number = match nid.strip_prefix(b"0x") {
            Some(hex) => u64::from_str_radix(hex.to_str().ok()?, 16).ok(),
            None => nid.to_str().ok()?.parse().ok(),
        };
        let after_nid = rest.split_once_str("nid=").map_or(&b""[..], |(_, after)| after);
        let doing = after_nid.split_once_str(" ").map_or(&b""[..], |(_, doing)| doing);
        Some(Thread {
            name: name.to_vec(),
            id: id.to_vec(),
            tid: number.map(|number| number.to_string().into_bytes()),
            cpu: value(rest, "cpu=").and_then(milliseconds),
            is_runnable: doing.trim_ascii_start().starts_with(b"runnable"),
            java_state: None,
            state_name: None,
            is_of_file: false,
        })
    }

    /// Reads a line of programs that ask ThreadMXBean for threads:
    ///
    /// ```text
    /// "Timer-180" - Thread t@332                                    (VisualVM, Spring Boot)
    /// "main" prio=5 Id=1 RUNNABLE (in native)                       (ThreadInfo.toString)
    /// "http-1" daemon prio=5 Id=12 WAITING on java.lang.Object@7f
    /// "x" Id=3149 in TIMED_WAITING on lock=java.lang.Object@7f      (the JDK's ThreadMonitor)
    /// "main" id=1 state=RUNNABLE                                    (Dropwizard)
    /// ```
    pub(super) fn of_bean(line: &[u8]) -> Option<Thread> {
        let rest = line.strip_prefix(b"\"")?;
        if let Some((name, id)) = rest.rsplit_once_str("\" - Thread t@") {
            return is_digits(id).then(|| Thread::of_java(id, name, None));
        }
        // The lock may be of another thread: `on x@1 owned by "y" Id=2`.
        let ends = ["\" Id=", "\" id=", "\" daemon ", "\" prio="];
        let end = ends.iter().filter_map(|end| rest.find(end)).min()?;
        let (name, mut words) = (&rest[..end], rest[end + 1..].fields().peekable());
        while words.next_if(|word| *word == b"daemon" || word.starts_with(b"prio=")).is_some() {}
        let id = words.next()?;
        let id = id.strip_prefix(b"Id=").or_else(|| id.strip_prefix(b"id="))?;
        words.next_if_eq(&&b"in"[..]);
        let state = words.next()?;
        let state = state.strip_prefix(b"state=").unwrap_or(state);
        let is_state = State::of_java(state).is_some();
        (is_digits(id) && is_state).then(|| Thread::of_java(id, name, Some(state)))
    }

    /// Reads a line of `Thread.dump_to_file` such as `#22 "worker" virtual`, or since Java 24
    /// `#22 "worker" virtual RUNNABLE 2026-11-20T19:31:20.123456Z`.
    pub(super) fn of_file(line: &[u8]) -> Option<Thread> {
        let rest = line.strip_prefix(b"Thread ").unwrap_or(line).strip_prefix(b"#")?;
        let (number, rest) = rest.split_once_str(" \"").filter(|(number, _)| is_digits(number))?;
        let (name, rest) = rest.rsplit_once_str("\"")?;
        let mut words = rest.fields().peekable();
        let is_virtual = words.next_if_eq(&&b"virtual"[..]).is_some();
        Some(Thread::in_file(number, name, is_virtual, words.next()))
    }

    /// A thread in `Thread.dump_to_file`, with Java's number of it, its name, and since Java 24 its
    /// state.
    pub(super) fn in_file(
        number: &[u8],
        name: &[u8],
        is_virtual: bool,
        state: Option<&[u8]>,
    ) -> Thread {
        // Most virtual threads have no names.
        let name = if name.is_empty() && is_virtual { b"[virtual]" } else { name };
        Thread { is_of_file: true, ..Thread::of_java(number, name, state) }
    }

    /// A thread with Java's number of it. Its state may follow on another line.
    fn of_java(number: &[u8], name: &[u8], state: Option<&[u8]>) -> Thread {
        let mut thread = Thread {
            name: name.to_vec(),
            id: number.to_vec(),
            tid: Some(number.to_vec()),
            cpu: None,
            is_runnable: true,
            java_state: Some(State::Unknown),
            state_name: None,
            is_of_file: false,
        };
        if let Some(state) = state {
            thread.set_state(state);
        }
        thread
    }

    /// Whether its dump has no states.
    pub(super) fn is_of_unknown_state(&self) -> bool {
        self.java_state == Some(State::Unknown)
    }

    /// Sets the state from `TIMED_WAITING (sleeping)`.
    pub(super) fn set_state(&mut self, text: &[u8]) {
        let word = text.fields().next().unwrap_or_default();
        let state = State::of_java(word);
        self.state_name = STATES.into_iter().find(|name| name.as_bytes() == word);
        self.java_state = Some(state.unwrap_or(State::Waiting));
    }

    /// Its state, in the function `leaf`, which is empty if it has no stack.
    pub(super) fn state(&self, leaf: &[u8]) -> State {
        match self.java_state {
            _ if leaf.is_empty() => State::NoStack,
            Some(State::Running) if WAITS.iter().any(|wait| wait.as_bytes() == leaf) => State::Io,
            // Such as the thread that handles references: Java always shows it as RUNNABLE.
            Some(State::Running) if !self.is_runnable => State::Waiting,
            state => state.unwrap_or(State::Running),
        }
    }
}

/// The text after ` key=`, up to the next space.
fn value<'a>(text: &'a [u8], key: &str) -> Option<&'a [u8]> {
    text.fields().find_map(|field| field.strip_prefix(key.as_bytes()))
}

/// `688.46ms` in nanoseconds.
fn milliseconds(text: &[u8]) -> Option<u64> {
    let number: f64 = text.strip_suffix(b"ms")?.to_str().ok()?.parse().ok()?;
    (number >= 0.0).then_some((number * 1e6).round() as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_that_begin_threads() {
        for (line, name, tid, cpu, is_runnable) in [
            (
                r#""main" #1 prio=5 os_prio=0 cpu=688.46ms elapsed=3.93s tid=0x7f9b nid=0x53c runnable  [0x7f]"#,
                "main",
                Some("1340"),
                Some(688_460_000),
                true,
            ),
            (
                r#""pool "x"; thread-0" #15 [77] daemon prio=5 os_prio=0 tid=0x7f nid=77 in Object.wait()"#,
                r#"pool "x"; thread-0"#,
                Some("77"),
                None,
                false,
            ),
            (
                r#""VM Thread" os_prio=0 cpu=1.00ms tid=0x7f nid=0x10 runnable"#,
                "VM Thread",
                Some("16"),
                Some(1_000_000),
                true,
            ),
        ] {
            let thread = Thread::of(line.as_bytes()).expect(line);
            assert_eq!(thread.name, name.as_bytes(), "{line}");
            assert_eq!(thread.tid.as_deref(), tid.map(str::as_bytes), "{line}");
            assert_eq!((thread.cpu, thread.is_runnable), (cpu, is_runnable), "{line}");
        }
        for line in [r#""a" #1"#, "main", r#"""#, r#"{"a": "b" #1 tid=0x}"#] {
            assert_eq!(Thread::of(line.as_bytes()), None, "{line}");
        }
    }

    #[test]
    fn lines_that_begin_threads_of_a_bean() {
        for (line, name, tid, state) in [
            (r#""Timer-180" - Thread t@332"#, "Timer-180", "332", State::Unknown),
            (r#""a" - Thread t@1" - Thread t@2"#, r#"a" - Thread t@1"#, "2", State::Unknown),
            (r#""main" Id=1 RUNNABLE (in native)"#, "main", "1", State::Running),
            (
                r#""http-1" daemon prio=5 Id=12 BLOCKED on x@7 owned by "y" Id=2"#,
                "http-1",
                "12",
                State::Blocked,
            ),
            (r#""x" id=3149 in TIMED_WAITING on lock=x@7"#, "x", "3149", State::TimedWaiting),
            (r#""main" id=1 state=WAITING"#, "main", "1", State::Waiting),
        ] {
            let thread = Thread::of_bean(line.as_bytes()).expect(line);
            assert_eq!((&thread.name[..], thread.java_state), (name.as_bytes(), Some(state)));
            assert_eq!(thread.tid.as_deref(), Some(tid.as_bytes()), "{line}");
        }
        for line in [
            r#""main" #1 prio=5 os_prio=0 tid=0x7f9b nid=0x53c runnable"#,
            r#""x" - Thread t@"#,
            r#""x" id=1"#,
            r#""x" id=7 in stock"#,
            "main",
        ] {
            assert_eq!(Thread::of_bean(line.as_bytes()), None, "{line}");
        }
    }
}
