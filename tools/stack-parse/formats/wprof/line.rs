//! A line of the file: the header, a stack or an event.

use common::{Result, io::Input};

use crate::read::json::Json;

/// The fields of a line; those that it lacks are empty or `None`.
#[derive(Default)]
pub(super) struct Line {
    /// What happened: `timer`.
    pub(super) kind: Vec<u8>,
    pub(super) time: Option<u64>,
    /// In nanoseconds; the time of an event with a duration is its end.
    pub(super) duration: Option<u64>,
    pub(super) cpu: Vec<u8>,
    /// The thread of the event; of a switch the one that leaves, of a waking the one that wakes.
    pub(super) task: Task,
    /// The thread that a switch lets run, that is woken, or that is new.
    pub(super) other: Task,
    /// The thread that ended the wait of the one that a switch lets run.
    pub(super) waker: Task,
    pub(super) waking_time: Option<u64>,
    pub(super) waking_reason: Vec<u8>,
    pub(super) state: Vec<u8>,
    /// The priorities of the threads of a switch.
    pub(super) priorities: [Vec<u8>; 2],
    /// Whether it says how long the thread that a switch lets run was away.
    pub(super) has_absence: bool,
    pub(super) stack: Option<u64>,
    pub(super) name: Vec<u8>,
    /// The source file and line of a function of Python.
    pub(super) file: Vec<u8>,
    pub(super) number: Option<u64>,
    pub(super) period: Option<u64>,
    /// What a request does.
    pub(super) request_event: Vec<u8>,
    pub(super) request: Vec<u8>,
    /// The fields of a stack.
    pub(super) id: Option<u64>,
    pub(super) frames: Option<Vec<Vec<u8>>>,
    pub(super) sources: Vec<Vec<u8>>,
    /// The fields of the header.
    pub(super) rate: Option<u64>,
    pub(super) stacks: Option<u64>,
}

/// A thread: `{"tid":7,"pid":7,"comm":"app","pcomm":"app"}`.
#[derive(Clone, Default)]
pub(super) struct Task {
    /// `0` for the idle task of a processor; empty if the event has no thread.
    pub(super) tid: Vec<u8>,
    pub(super) pid: Vec<u8>,
    pub(super) comm: Vec<u8>,
    /// The name of the process.
    pub(super) process: Vec<u8>,
}

impl Task {
    pub(super) fn is_idle(&self) -> bool {
        self.tid == b"0"
    }

    /// The id of the thread, of all but the idle task.
    pub(super) fn thread(&self) -> Option<u32> {
        number(&self.tid).filter(|tid| *tid != 0)
    }

    pub(super) fn process(&self) -> Option<u32> {
        number(&self.pid)
    }

    fn read(&mut self, json: &mut Json<&mut Input>) -> Result<()> {
        json.enter_object()?;
        while let Some(key) = json.next_key()? {
            match key {
                b"tid" => set(&mut self.tid, json.number()?),
                b"pid" => set(&mut self.pid, json.number()?),
                b"comm" => set(&mut self.comm, json.text()?),
                b"pcomm" => set(&mut self.process, json.text()?),
                _ => {}
            }
        }
        if self.tid.is_empty() {
            self.tid.push(b'0');
        } else if self.pid == b"0" {
            // Its process was never recorded.
            self.pid.clear();
            self.process.clear();
        }
        Ok(())
    }
}

fn number(digits: &[u8]) -> Option<u32> {
    std::str::from_utf8(digits).ok()?.parse().ok()
}

impl Line {
    /// Reads the object that has begun, in place of the last one.
    pub(super) fn read(&mut self, json: &mut Json<&mut Input>) -> Result<()> {
        *self = Line::default();
        while let Some(key) = json.next_key()? {
            match key {
                b"t" => set(&mut self.kind, json.text()?),
                b"ts" => self.time = json.nanoseconds()?,
                b"dur" => self.duration = json.nanoseconds()?,
                b"cpu" => set(&mut self.cpu, json.number()?),
                b"task" | b"prev" => self.task.read(json)?,
                b"next" | b"wakee" | b"child" => self.other.read(json)?,
                b"waker" => self.waker.read(json)?,
                b"stack_id" | b"offcpu_stack_id" | b"waker_stack_id" => {
                    self.stack = json.integer()?;
                }
                b"waking_ts" => self.waking_time = json.nanoseconds()?,
                b"waking_reason" => set(&mut self.waking_reason, json.text()?),
                b"prev_state" => set(&mut self.state, json.text()?),
                b"prev_prio" => set(&mut self.priorities[0], json.number()?),
                b"next_prio" => set(&mut self.priorities[1], json.number()?),
                b"offcpu_dur" => self.has_absence = true,
                b"sample_period" => self.period = json.integer()?,
                b"name" | b"req_name" | b"pmu" | b"action" | b"desc" | b"kind" => {
                    set(&mut self.name, json.text()?);
                }
                b"file" => set(&mut self.file, json.text()?),
                b"lineno" => self.number = json.integer()?,
                b"event" => set(&mut self.request_event, json.text()?),
                b"req_id" => set(&mut self.request, json.number()?),
                b"id" => self.id = json.integer()?,
                b"frames" => json.read_texts(self.frames.get_or_insert_default())?,
                b"srcs" => json.read_texts(&mut self.sources)?,
                b"timer_freq_hz" => self.rate = json.integer()?,
                b"stack_cnt" => self.stacks = json.integer()?,
                _ => {}
            }
        }
        if self.kind.starts_with(b"wak") {
            std::mem::swap(&mut self.task, &mut self.waker);
        }
        Ok(())
    }
}

fn set(text: &mut Vec<u8>, value: Option<&[u8]>) {
    text.clear();
    text.extend_from_slice(value.unwrap_or_default());
}
