//! The names and threads that a provider's numbers refer to.

use common::stacks::FrameTable;
use hashbrown::HashMap;

use super::records::Header;
use crate::read::bytes::{Bytes, Ended};
use crate::read::held::Thread;

/// The bit of a reference that is set if the string follows in the record.
const INLINE: u64 = 1 << 15;

/// What one provider has declared.
#[derive(Default)]
pub(super) struct Provider {
    /// The name that each number refers to, by its index in the table of names.
    strings: HashMap<u64, u32>,
    threads: HashMap<u64, Whose>,
}

/// The clock of the records that follow.
pub(super) struct Clock {
    /// Ticks per second, never 0.
    rate: u64,
}

impl Default for Clock {
    fn default() -> Clock {
        Clock { rate: 1_000_000_000 }
    }
}

impl Clock {
    /// Reads the rate from a record; 0 is ignored.
    pub(super) fn set(&mut self, mut body: Bytes<'_>) -> Result<(), Ended> {
        let rate = body.u64()?;
        self.rate = if rate > 0 { rate } else { self.rate };
        Ok(())
    }

    /// Ticks as nanoseconds; `None` if they do not fit into 63 bits.
    pub(super) fn time(&self, ticks: u64) -> Option<i64> {
        let nanoseconds = u128::from(ticks) * 1_000_000_000 / u128::from(self.rate);
        i64::try_from(nanoseconds).ok()
    }
}

/// The thread or the task of a span.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Whose {
    Thread {
        process: u64,
        thread: u64,
    },
    /// The number of a thread that the provider with this number did not declare.
    Reference {
        provider: u64,
        thread: u64,
    },
    /// Work that may move from thread to thread.
    Task {
        process: u64,
        task: u64,
    },
}

impl Provider {
    /// Notes `string 5 = "minor"`.
    pub(super) fn declare_string(
        &mut self,
        header: Header,
        mut body: Bytes<'_>,
        names: &mut FrameTable,
    ) -> Result<(), Ended> {
        let name = string(&mut body, header.bits(32, 15))?;
        self.strings.insert(header.bits(16, 15), names.intern(name));
        Ok(())
    }

    /// Notes `thread 1 = process 100, thread 101`.
    pub(super) fn declare_thread(
        &mut self,
        header: Header,
        mut body: Bytes<'_>,
    ) -> Result<(), Ended> {
        let whose = Whose::Thread { process: body.u64()?, thread: body.u64()? };
        self.threads.insert(header.bits(16, 8), whose);
        Ok(())
    }

    /// The number of a name, which is declared or follows in the record.
    pub(super) fn name(
        &self,
        reference: u64,
        body: &mut Bytes<'_>,
        names: &mut FrameTable,
    ) -> Result<u32, Ended> {
        if let Some(name) = inline(reference, body)? {
            return Ok(names.intern(name));
        }
        Ok(match reference {
            0 => names.intern(b"[no name]"),
            declared => self
                .strings
                .get(&declared)
                .copied()
                .unwrap_or_else(|| names.intern(format!("[string {declared}]").as_bytes())),
        })
    }

    /// A name that is not a frame's; empty if it is not known.
    pub(super) fn text<'t>(
        &self,
        reference: u64,
        body: &mut Bytes<'t>,
        names: &'t FrameTable,
    ) -> Result<&'t [u8], Ended> {
        let declared = || self.strings.get(&reference).map(|&name| names.name(name));
        Ok(inline(reference, body)?.or_else(declared).unwrap_or_default())
    }

    /// The value of the argument with this name, of the `count` arguments that follow; `None` if it is
    /// no number without sign, or missing.
    pub(super) fn argument(
        &self,
        wanted: &[u8],
        count: u64,
        body: &mut Bytes<'_>,
        names: &FrameTable,
    ) -> Result<Option<u64>, Ended> {
        const U32: u64 = 2;
        const U64: u64 = 4;
        for _ in 0..count {
            let header = Header(body.u64()?);
            let rest = header.bits(4, 12).checked_sub(1).ok_or(Ended)?;
            let mut argument = Bytes(body.take(rest as usize * 8)?);
            if self.text(header.bits(16, 16), &mut argument, names)? == wanted {
                return match header.kind() {
                    U32 => Ok(Some(header.bits(32, 32))),
                    U64 => argument.u64().map(Some),
                    _ => Ok(None),
                };
            }
        }
        Ok(None)
    }

    /// The thread of an event.
    pub(super) fn whose(
        &self,
        reference: u64,
        provider: u64,
        body: &mut Bytes<'_>,
    ) -> Result<Whose, Ended> {
        if reference == 0 {
            return Ok(Whose::Thread { process: body.u64()?, thread: body.u64()? });
        }
        let unknown = Whose::Reference { provider, thread: reference };
        Ok(self.threads.get(&reference).copied().unwrap_or(unknown))
    }
}

/// The string that follows in the record, if the reference says so.
pub(super) fn inline<'a>(reference: u64, body: &mut Bytes<'a>) -> Result<Option<&'a [u8]>, Ended> {
    if reference & INLINE == 0 { Ok(None) } else { string(body, reference & !INLINE).map(Some) }
}

/// Reads a string, which is padded to whole words.
fn string<'a>(body: &mut Bytes<'a>, length: u64) -> Result<&'a [u8], Ended> {
    let string = body.take(length as usize)?;
    body.take((8 - length as usize % 8) % 8)?;
    Ok(string)
}

/// The names of processes and threads, by their numbers.
#[derive(Default)]
pub(super) struct Titles {
    pub(super) processes: HashMap<u64, Vec<u8>>,
    pub(super) threads: HashMap<u64, Vec<u8>>,
}

impl Titles {
    /// What samples of a thread have in common. A thread without a name gets that of its process.
    pub(super) fn thread(&self, whose: Whose) -> Thread {
        let number = |number: u64| number.to_string().into_bytes();
        let (pid, tid, event) = match whose {
            Whose::Thread { process, thread } => (Some(process), Some(thread), "time"),
            Whose::Reference { thread, .. } => {
                let name = format!("thread {thread}").into_bytes();
                return Thread {
                    name,
                    tid: number(thread),
                    event: b"time".into(),
                    ..Thread::default()
                };
            }
            Whose::Task { process, .. } => (Some(process), None, "async-time"),
        };
        let process = pid.and_then(|pid| self.processes.get(&pid)).cloned().unwrap_or_default();
        let name = tid.and_then(|tid| self.threads.get(&tid)).filter(|name| !name.is_empty());
        Thread {
            name: name.unwrap_or(&process).clone(),
            pid: pid.map(number).unwrap_or_default(),
            tid: tid.map(number).unwrap_or_default(),
            event: event.into(),
            process,
            ..Thread::default()
        }
    }
}
