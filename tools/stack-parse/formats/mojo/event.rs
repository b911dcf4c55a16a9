//! One event of a recording: which it is, and its numbers and strings.

use super::frames::NewFrame;
use crate::read::bytes::{Bytes, Ended};

/// An event, as it is written.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Event<'a> {
    Metadata {
        key: &'a [u8],
        value: &'a [u8],
    },
    /// A sample begins.
    Stack(Origin<'a>),
    /// Describes a frame.
    Frame {
        key: u64,
        frame: NewFrame,
    },
    /// Something in place of frames that could not be read.
    Invalid,
    /// The next frame of a stack, root first.
    Call(u64),
    Kernel(&'a [u8]),
    Gc,
    Idle,
    Time(i64),
    Memory(i64),
    /// Describes a string.
    String {
        key: u64,
        value: &'a [u8],
    },
    /// The stack begins with that of the last sample of its thread.
    Repeat,
    /// Where a task is now: in as many of the next frames. If there are none, the task is gone.
    TaskStack {
        task: u64,
        name: u64,
        frames: u64,
    },
    /// The task that ran when the sample was taken.
    TaskRuns(u64),
    /// What weighs nothing and describes nothing: a string is named, or who waits for a task.
    Other,
}

/// The thread of a sample.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Origin<'a> {
    pub(super) pid: i64,
    /// Since version 3.
    pub(super) interpreter: Option<i64>,
    /// Its id in hexadecimal or, in version 4, its name.
    pub(super) tid: &'a [u8],
    /// All of the above, as it is written.
    pub(super) written: &'a [u8],
}

/// Why there is no event.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Unread {
    /// More bytes are needed.
    Ended,
    /// No event of this version has this number.
    Unknown(u8),
    /// What was expected.
    Wrong(&'static str),
}

impl<'a> Event<'a> {
    /// Reads the first event of `bytes`, and returns its length, too.
    #[inline]
    pub(super) fn read(bytes: &'a [u8], version: u8) -> Result<(Event<'a>, usize), Unread> {
        let mut rest = Fields(Bytes(bytes));
        let event = match rest.0.u8()? {
            1 => Event::Metadata { key: rest.0.string()?, value: rest.0.string()? },
            2 => Event::Stack(rest.origin(version)?),
            3 => rest.frame(version)?,
            4 => Event::Invalid,
            5 => Event::Call(rest.key()?),
            6 => Event::Kernel(rest.0.string()?),
            7 => Event::Gc,
            8 => Event::Idle,
            9 => Event::Time(rest.number()?),
            10 => Event::Memory(rest.number()?),
            11 => Event::String { key: rest.key()?, value: rest.0.string()? },
            12 => {
                rest.key()?;
                Event::Other
            }
            13 if version >= 4 => Event::Repeat,
            14 if version >= 4 => {
                Event::TaskStack { task: rest.key()?, name: rest.key()?, frames: rest.key()? }
            }
            15 if version >= 4 => {
                let _task_and_who_waits = (rest.key()?, rest.key()?);
                Event::Other
            }
            16 if version >= 4 => Event::TaskRuns(rest.key()?),
            unknown => return Err(Unread::Unknown(unknown)),
        };
        Ok((event, bytes.len() - rest.0.len()))
    }
}

/// The fields of an event that were not read yet.
struct Fields<'a>(Bytes<'a>);

impl From<Ended> for Unread {
    fn from(Ended: Ended) -> Unread {
        Unread::Ended
    }
}

impl<'a> Fields<'a> {
    fn origin(&mut self, version: u8) -> Result<Origin<'a>, Unread> {
        let start = self.0.0;
        let pid = self.number()?;
        let interpreter = if version >= 3 { Some(self.number()?) } else { None };
        let tid = self.0.string()?;
        Ok(Origin { pid, interpreter, tid, written: &start[..start.len() - self.0.len()] })
    }

    fn frame(&mut self, version: u8) -> Result<Event<'a>, Unread> {
        let (key, file, name, line) = (self.key()?, self.key()?, self.key()?, self.key()?);
        let mut has_columns = false;
        if version >= 2 {
            let _last_line = self.key()?;
            has_columns = self.key()? > 0;
            let _last_column = self.key()?;
        }
        Ok(Event::Frame { key, frame: NewFrame { file, name, line, has_columns } })
    }

    /// A number without a sign.
    #[inline]
    fn key(&mut self) -> Result<u64, Unread> {
        match self.varint()? {
            (key, false) => Ok(key),
            (_, true) => Err(Unread::Wrong("a number of at least 0")),
        }
    }

    fn number(&mut self) -> Result<i64, Unread> {
        let (size, is_negative) = self.varint()?;
        let number = i64::try_from(size).map_err(|_| Unread::Wrong("a number of 63 bits"))?;
        Ok(if is_negative { -number } else { number })
    }

    /// A number, and whether it is less than 0.
    #[inline]
    fn varint(&mut self) -> Result<(u64, bool), Unread> {
        let first = self.0.u8()?;
        let (mut number, mut place) = (u64::from(first & 0x3f), 6);
        let mut last = first;
        while last >= 0x80 {
            last = self.0.u8()?;
            let bits = u64::from(last & 0x7f);
            // The tenth byte has two bits.
            if place > 62 || bits << place >> place != bits {
                return Err(Unread::Wrong("a number of 64 bits"));
            }
            number |= bits << place;
            place += 7;
        }
        Ok((number, first & 0x40 != 0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_a_sign_in_their_first_byte() {
        let number = |bytes| Fields(Bytes(bytes)).number();
        assert_eq!(number(b"\x00"), Ok(0));
        assert_eq!(number(b"\x3f"), Ok(63));
        assert_eq!(number(b"\x41"), Ok(-1));
        assert_eq!(number(b"\x80\x01"), Ok(64));
        assert_eq!(number(b"\xc3\x02"), Ok(-131));
        assert_eq!(number(b"\xc3"), Err(Unread::Ended));
        let largest = Fields(Bytes(b"\xbf\xff\xff\xff\xff\xff\xff\xff\xff\x03")).key();
        assert_eq!(largest, Ok(u64::MAX));
        let larger = Fields(Bytes(b"\xbf\xff\xff\xff\xff\xff\xff\xff\xff\x07")).key();
        assert_eq!(larger, Err(Unread::Wrong("a number of 64 bits")));
        let longer = Fields(Bytes(b"\xbf\xff\xff\xff\xff\xff\xff\xff\xff\x83\x00")).key();
        assert_eq!(longer, Err(Unread::Wrong("a number of 64 bits")));
        assert_eq!(Fields(Bytes(b"\x41")).key(), Err(Unread::Wrong("a number of at least 0")));
    }

    #[test]
    fn events_of_later_versions_are_unknown_before() {
        let (frame, length) = Event::read(b"\x03\x07\x13\x14\x05\x05\x01\x02rest", 2).expect("it");
        assert_eq!(length, 8);
        let expected = NewFrame { file: 19, name: 20, line: 5, has_columns: true };
        let expected = Event::Frame { key: 7, frame: expected };
        assert_eq!(frame, expected);
        assert_eq!(Event::read(b"\x03\x07\x13\x14\x05", 1).map(|(_, length)| length), Ok(5));
        assert_eq!(Event::read(b"\x0d", 4), Ok((Event::Repeat, 1)));
        assert_eq!(Event::read(b"\x0d", 3), Err(Unread::Unknown(13)));
        assert_eq!(Event::read(b"\x11", 4), Err(Unread::Unknown(17)));
        assert_eq!(Event::read(b"\x00", 4), Err(Unread::Unknown(0)));
        assert_eq!(Event::read(b"", 4), Err(Unread::Ended));
    }
}
