//! Begins, ends and whole spans in as few bytes as possible: there may be many.

/// A begin, an end or both.
#[derive(Clone, Copy, Debug)]
pub(super) struct Mark {
    /// Nanoseconds.
    pub(super) time: i64,
    pub(super) frame: u32,
    pub(super) length: Length,
}

/// The length of a span; [`OPEN`] for a begin, [`CLOSE`] or [`CLOSE_NAMED`] for an end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Length(u32);

pub(super) const OPEN: Length = Length(u32::MAX);
pub(super) const CLOSE: Length = Length(u32::MAX - 1);
pub(super) const CLOSE_NAMED: Length = Length(u32::MAX - 2);

impl Mark {
    /// Which span this ends, of this number of open ones; `named` is the innermost with its name.
    pub(super) fn closes(self, named: Option<usize>, open: usize) -> Option<usize> {
        let innermost = open.checked_sub(1).filter(|_| self.length == CLOSE);
        named.or(innermost)
    }
}

/// Values from this on are indexes into [`Lengths`], not nanoseconds.
const LONG: u32 = 1 << 31;

/// The few lengths, in nanoseconds, that are over two seconds.
#[derive(Default)]
pub(super) struct Lengths(Vec<i64>);

impl Lengths {
    pub(super) fn pack(&mut self, length: i64) -> Length {
        let short = u32::try_from(length).ok().filter(|length| *length < LONG);
        Length(short.unwrap_or_else(|| {
            self.0.push(length);
            LONG | (self.0.len() - 1) as u32
        }))
    }

    pub(super) fn end(&self, mark: Mark) -> i64 {
        let length = match mark.length {
            Length(short) if short < LONG => i64::from(short),
            Length(long) => self.0.get((long - LONG) as usize).copied().unwrap_or_default(),
        };
        mark.time.saturating_add(length).min(i64::MAX - 1)
    }
}
