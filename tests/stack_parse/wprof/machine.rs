//! A machine whose threads do what they like, and what wprof writes of it.

use std::collections::BTreeMap;
use std::fmt::Write;

use crate::random::Random;

/// Nanoseconds by the thread and what it did.
pub(super) type Times = BTreeMap<(usize, String), u64>;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Doing {
    Waits,
    IsWoken,
    Runs,
}

pub(super) struct Thread {
    doing: Doing,
    /// The number of the stack with which it left its processor; 0 for none.
    left: usize,
    since: u64,
    was_preempted: bool,
    /// When it was woken, and by which thread; 0 is the idle task.
    woken: (u64, usize),
    pub(super) has_run: bool,
}

/// A machine with two processors and some threads, of which those with odd numbers are of process 1
/// and the others of process 2. Where `is_filtered`, wprof was asked for process 1.
pub(super) struct Machine {
    random: Random,
    is_filtered: bool,
    time: u64,
    pub(super) threads: Vec<Thread>,
    processors: [usize; 2],
    pub(super) text: String,
    /// The times of the first and the last event that was written.
    written: Option<[u64; 2]>,
    pub(super) expected: Times,
    /// Waits by the stack and the waker.
    pub(super) waits: BTreeMap<(usize, usize), u64>,
    /// How often each thread was seen in each stack.
    pub(super) samples: BTreeMap<(usize, usize), u64>,
}

const STACKS: usize = 4;

impl Machine {
    pub(super) fn new(seed: u64, is_filtered: bool) -> Machine {
        let mut text = format!(
            "{{\"version\":\"3.1\",\"dur\":1.000000000,\"timer_freq_hz\":997,\
             \"stacks\":[\"timer\",\"offcpu\"],\"stack_cnt\":{STACKS},\"pmus\":[]}}\n"
        );
        for stack in 1..=STACKS {
            writeln!(text, "{{\"id\":{stack},\"frames\":[\"[U] main+0x1a\",\"[K] s{stack}\"]}}")
                .expect("memory");
        }
        let thread = || Thread {
            doing: Doing::Waits,
            left: 0,
            since: 0,
            was_preempted: false,
            woken: (0, 0),
            has_run: false,
        };
        Machine {
            random: Random(seed),
            is_filtered,
            time: 1_000_000,
            threads: (0..6).map(|_| thread()).collect(),
            processors: [0; 2],
            text,
            written: None,
            expected: Times::new(),
            waits: BTreeMap::new(),
            samples: BTreeMap::new(),
        }
    }

    fn is_chosen(&self, tid: usize) -> bool {
        !self.is_filtered || tid % 2 == 1
    }

    fn task(&self, tid: usize, cpu: usize) -> String {
        match tid {
            0 => format!("{{\"pid\":0,\"comm\":\"swapper/{cpu}\",\"pcomm\":\"swapper\"}}"),
            _ => format!(
                "{{\"tid\":{tid},\"pid\":{},\"comm\":\"t{tid}\",\"pcomm\":\"app\"}}",
                2 - tid % 2
            ),
        }
    }

    fn write(&mut self, event: &str) {
        let [first, _] = self.written.unwrap_or([self.time; 2]);
        self.written = Some([first, self.time]);
        let (seconds, rest) = (self.time / 1_000_000_000, self.time % 1_000_000_000);
        writeln!(self.text, "{{\"ts\":{seconds}.{rest:09},{event}}}").expect("memory");
    }

    /// Adds what a thread did up to now.
    fn add(&mut self, tid: usize, state: &str, from: u64) {
        let Some([first, _]) = self.written else { return };
        let time = self.time.saturating_sub(from.max(first));
        *self.expected.entry((tid, state.to_owned())).or_default() += time;
    }

    fn switch(&mut self, cpu: usize, next: usize) {
        let previous = self.processors[cpu];
        let is_preempted = previous != 0 && self.random.below(3) == 0;
        let stack = 1 + self.random.below(STACKS);
        let is_written = self.is_chosen(previous) && previous != 0
            || self.is_chosen(next) && next != 0
            || !self.is_filtered;
        let state = if is_preempted { "preempted" } else { "interruptible_sleep" };
        let mut event = format!(
            "\"t\":\"switch\",\"prev\":{},\"next\":{},\"cpu\":{cpu},\"prev_state\":\"{state}\",\
             \"prev_prio\":120,\"next_prio\":120",
            self.task(previous, cpu),
            self.task(next, cpu),
        );
        if next != 0 && self.is_chosen(next) {
            self.come(next, cpu, &mut event);
        } else if next == 0 && !self.is_filtered {
            event += ",\"offcpu_dur\":0.000001000,\"next_state\":\"unknown\"";
        }
        write!(event, ",\"offcpu_stack_id\":{stack}").expect("memory");
        if is_written {
            self.write(&event);
        }
        if previous != 0 {
            let since = self.threads[previous].since;
            if self.is_chosen(previous) {
                self.add(previous, "running", since);
            }
            let thread = &mut self.threads[previous];
            thread.doing = if is_preempted { Doing::IsWoken } else { Doing::Waits };
            (thread.left, thread.since, thread.was_preempted) = (stack, self.time, is_preempted);
        }
        if next != 0 {
            let thread = &mut self.threads[next];
            (thread.doing, thread.since, thread.has_run) = (Doing::Runs, self.time, true);
        }
        self.processors[cpu] = next;
    }

    /// What is written of a thread that gets a processor.
    fn come(&mut self, tid: usize, cpu: usize, event: &mut String) {
        let Thread { since, was_preempted, woken: (woken, waker), left, .. } = self.threads[tid];
        if was_preempted {
            self.add(tid, "runnable", since);
            let time = format!("{}.{:09}", since / 1_000_000_000, since % 1_000_000_000);
            let by = self.task(0, cpu);
            *event +=
                &format!(",\"waking_ts\":{time},\"waking_reason\":\"preempted\",\"waker\":{by}");
        } else {
            let now = std::mem::replace(&mut self.time, woken);
            self.add(tid, "waiting", since);
            self.time = now;
            self.add(tid, "runnable", woken);
            let time = format!("{}.{:09}", woken / 1_000_000_000, woken % 1_000_000_000);
            let by = self.task(waker, cpu);
            *event += &format!(",\"waking_ts\":{time},\"waking_reason\":\"woken\",\"waker\":{by}");
            if left != 0 {
                *self.waits.entry((left, waker)).or_default() += self.time - since;
            }
        }
        *event += ",\"offcpu_dur\":0.000001000,\"next_state\":\"interruptible_sleep\"";
    }

    fn wake(&mut self, cpu: usize, tid: usize) {
        let by = self.processors[cpu];
        let thread = &mut self.threads[tid];
        (thread.doing, thread.woken) = (Doing::IsWoken, (self.time, by));
        thread.was_preempted = false;
        // wprof writes it only if the waker was chosen.
        if !self.is_filtered || by != 0 && self.is_chosen(by) {
            let event = format!(
                "\"t\":\"waking\",\"waker\":{},\"wakee\":{},\"cpu\":{cpu}",
                self.task(by, cpu),
                self.task(tid, cpu)
            );
            self.write(&event);
        }
    }

    fn one_of(&mut self, doing: Doing) -> Option<usize> {
        let fits: Vec<usize> =
            (1..self.threads.len()).filter(|tid| self.threads[*tid].doing == doing).collect();
        (!fits.is_empty()).then(|| fits[self.random.below(fits.len())])
    }

    fn step(&mut self) {
        self.time += 1 + self.random.below(5_000) as u64;
        let cpu = self.random.below(2);
        let running = self.processors[cpu];
        match self.random.below(4) {
            0 if self.one_of(Doing::Waits).is_some() => {
                let tid = self.one_of(Doing::Waits).expect("a thread");
                self.wake(cpu, tid);
            }
            1 if running != 0 && self.is_chosen(running) => {
                let stack = 1 + self.random.below(STACKS);
                let task = self.task(running, cpu);
                self.write(&format!(
                    "\"t\":\"timer\",\"task\":{task},\"cpu\":{cpu},\"stack_id\":{stack}"
                ));
                *self.samples.entry((running, stack)).or_default() += 1;
            }
            2 if running != 0 => self.switch(cpu, 0),
            _ => {
                if let Some(next) = self.one_of(Doing::IsWoken) {
                    self.switch(cpu, next);
                }
            }
        }
    }

    pub(super) fn run(mut self) -> Machine {
        // That only some were chosen is known from the first thread without its absence.
        self.wake(0, 1);
        self.time += 10;
        self.switch(0, 1);
        self.wake(1, 2);
        self.time += 10;
        self.switch(0, 2);
        for _ in 0..300 {
            self.step();
        }
        while let Some(next) = self.one_of(Doing::IsWoken) {
            self.time += 10;
            self.switch(0, next);
        }
        self.time += 10;
        let [_, last] = self.written.expect("events");
        self.time = last;
        for tid in 1..self.threads.len() {
            let Thread { doing, since, has_run, .. } = self.threads[tid];
            match doing {
                _ if !self.is_chosen(tid) || !has_run => {}
                Doing::Runs => self.add(tid, "running", since),
                Doing::Waits | Doing::IsWoken => self.add(tid, "waiting", since),
            }
        }
        self
    }
}
