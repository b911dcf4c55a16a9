//! Objects that are in use while a recording of memory is read, and which of them count: for
//! `--live`, and for the label `lifetime`. Memory grows with the number of objects in use at once,
//! not with all that were allocated: an object is dropped as soon as it is freed and cannot count.

use common::{Result, folded::Label};
use hashbrown::HashMap;

use crate::samples::{LIFETIME, seconds_of_label};

/// Which objects count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Counted {
    /// All.
    All,
    /// Those that were allocated before some moment and freed after it, or never. The caller knows
    /// the moment, and marks each event that [is later](When::is_late).
    AtMoment,
    /// Those that were in use at the last call of [`Alive::mark`].
    AtMark,
}

/// When something was allocated or freed.
#[derive(Clone, Copy, Debug)]
pub(crate) struct When {
    /// In nanoseconds after the recording began.
    pub(crate) time: u64,
    /// Whether this is after the moment of [`Counted::AtMoment`].
    pub(crate) is_late: bool,
}

/// Objects that are in use, each with its own key.
#[derive(Debug)]
pub(crate) struct Alive<T> {
    counted: Counted,
    in_use: HashMap<u64, Object<T>>,
    /// How many objects were allocated so far; `marked` is how many before the last mark.
    allocated: u64,
    marked: u64,
    /// The objects that were in use at the last mark and are freed, and when.
    freed_since: Vec<(T, u64)>,
}

#[derive(Debug)]
struct Object<T> {
    /// How many objects were allocated before it.
    number: u64,
    is_late: bool,
    object: T,
}

/// An object whose fate is known.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Settled<T> {
    pub(crate) object: T,
    /// When it was freed, in nanoseconds after the recording began; `None` if never.
    pub(crate) freed: Option<u64>,
    pub(crate) counts: bool,
}

/// A function that takes each settled object.
pub(crate) type Settle<'s, T> = dyn FnMut(Settled<T>) -> Result<()> + 's;

impl<T> Alive<T> {
    pub(crate) fn new(counted: Counted) -> Alive<T> {
        let in_use = HashMap::new();
        Alive { counted, in_use, allocated: 0, marked: 0, freed_since: Vec::new() }
    }

    /// Adds an allocated object. If another object with its key is in use, that one must have been
    /// freed without an event.
    ///
    /// # Errors
    ///
    /// Whatever `settle` returns, here and in the functions below.
    pub(crate) fn allocate(
        &mut self,
        key: u64,
        object: T,
        when: When,
        settle: &mut Settle<'_, T>,
    ) -> Result<()> {
        let number = self.allocated;
        self.allocated += 1;
        match self.in_use.insert(key, Object { number, is_late: when.is_late, object }) {
            Some(before) => self.end(before, when, settle),
            None => Ok(()),
        }
    }

    /// The object with this key, if it is in use.
    pub(crate) fn get_mut(&mut self, key: u64) -> Option<&mut T> {
        self.in_use.get_mut(&key).map(|object| &mut object.object)
    }

    /// Ends an object that was freed; false if none with this key is in use.
    pub(crate) fn free(
        &mut self,
        key: u64,
        when: When,
        settle: &mut Settle<'_, T>,
    ) -> Result<bool> {
        match self.in_use.remove(&key) {
            Some(object) => self.end(object, when, settle).map(|()| true),
            None => Ok(false),
        }
    }

    fn end(&mut self, ended: Object<T>, when: When, settle: &mut Settle<'_, T>) -> Result<()> {
        let Object { number, is_late, object } = ended;
        let counts = match self.counted {
            Counted::All => true,
            Counted::AtMoment => !is_late && when.is_late,
            Counted::AtMark if number < self.marked => {
                self.freed_since.push((object, when.time));
                return Ok(());
            }
            Counted::AtMark => false,
        };
        settle(Settled { object, freed: Some(when.time), counts })
    }

    /// Sets the mark: the objects in use at the last mark count.
    pub(crate) fn mark(&mut self, settle: &mut Settle<'_, T>) -> Result<()> {
        self.marked = self.allocated;
        self.freed_since.drain(..).try_for_each(|(object, freed)| {
            settle(Settled { object, freed: Some(freed), counts: false })
        })
    }

    /// Settles all objects that were not settled before, at the end of the recording.
    pub(crate) fn finish(&mut self, settle: &mut Settle<'_, T>) -> Result<()> {
        self.freed_since.drain(..).try_for_each(|(object, freed)| {
            settle(Settled { object, freed: Some(freed), counts: true })
        })?;
        let (counted, marked) = (self.counted, self.marked);
        self.in_use.drain().try_for_each(|(_, Object { number, is_late, object })| {
            let counts = match counted {
                Counted::All => true,
                Counted::AtMoment => !is_late,
                Counted::AtMark => number < marked,
            };
            settle(Settled { object, freed: None, counts })
        })
    }
}

/// The size of all objects in use, and its maximum.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Level {
    now: u64,
    /// The largest size that was in use at once.
    pub(crate) most: u64,
    /// When that was reached first, in nanoseconds after the recording began.
    pub(crate) at: u64,
}

impl Level {
    /// Adds an allocated size; returns whether more is in use than ever before.
    pub(crate) fn add(&mut self, size: u64, time: u64) -> bool {
        self.now = self.now.saturating_add(size);
        let is_most = self.now > self.most;
        if is_most {
            (self.most, self.at) = (self.now, time);
        }
        is_most
    }

    /// Subtracts a freed size.
    pub(crate) fn free(&mut self, size: u64) {
        self.now = self.now.saturating_sub(size);
    }
}

/// The value of the label `lifetime`: seconds, or `inf` if it was never freed. Both times are in
/// nanoseconds.
pub(crate) fn lifetime(allocated: u64, freed: Option<u64>) -> Vec<u8> {
    match freed {
        Some(freed) => seconds_of_label(freed.saturating_sub(allocated)),
        None => b"inf".to_vec(),
    }
}

/// The label `lifetime` with this value.
pub(crate) fn lifetime_label(value: &[u8]) -> Label<'_> {
    Label { key: LIFETIME, value }
}

#[cfg(test)]
mod tests {
    use super::*;

    const EARLY: bool = false;
    const LATE: bool = true;

    /// The fate of objects 1 to 4, which are in use from 1 to 30, 2 to 10, 11 to 31 and from 12 on;
    /// the moment, or the last mark, is 20.
    fn settled(counted: Counted) -> Vec<(u64, Option<u64>, bool)> {
        let (mut alive, mut settled) = (Alive::new(counted), Vec::new());
        let mut settle = |it: Settled<u64>| {
            settled.push((it.object, it.freed, it.counts));
            Ok(())
        };
        let when = |time: u64| When { time, is_late: if time > 20 { LATE } else { EARLY } };
        for (key, time) in [(1, 1), (2, 2)] {
            alive.allocate(key, key, when(time), &mut settle).expect("no trouble");
        }
        alive.mark(&mut settle).expect("no trouble");
        assert!(alive.free(2, when(10), &mut settle).expect("no trouble"));
        assert!(!alive.free(2, when(10), &mut settle).expect("no trouble"));
        for (key, time) in [(3, 11), (4, 12)] {
            alive.allocate(key, key, when(time), &mut settle).expect("no trouble");
        }
        alive.mark(&mut settle).expect("no trouble");
        alive.allocate(5, 5, when(25), &mut settle).expect("no trouble");
        assert!(alive.free(1, when(30), &mut settle).expect("no trouble"));
        // The address of 3 has another object, so it was freed.
        alive.allocate(3, 6, when(31), &mut settle).expect("no trouble");
        alive.finish(&mut settle).expect("no trouble");
        settled.sort_unstable();
        settled
    }

    #[test]
    fn objects_count_that_are_in_use_at_the_moment() {
        let freed = |counts: [bool; 6]| {
            let all = [Some(30), Some(10), Some(31), None, None, None];
            (1..).zip(all).zip(counts).map(|((object, freed), it)| (object, freed, it)).collect()
        };
        let at_20: Vec<_> = freed([true, false, true, true, false, false]);
        assert_eq!(settled(Counted::AtMoment), at_20);
        assert_eq!(settled(Counted::AtMark), at_20);
        assert_eq!(settled(Counted::All), freed([true; 6]));
    }

    #[test]
    fn the_peak_is_the_first_maximum() {
        let mut level = Level::default();
        assert!(level.add(5, 1));
        level.free(3);
        assert!(!level.add(3, 2));
        assert!(level.add(1, 3));
        level.free(100);
        assert!(!level.add(6, 4));
        assert_eq!((level.most, level.at), (6, 3));
    }

    #[test]
    fn lifetimes_are_seconds() {
        assert_eq!(lifetime(5_000, Some(1_000_005_001)), b"1.000000001");
        assert_eq!(lifetime(5, Some(4)), b"0.000000000");
        assert_eq!(lifetime(5, None), b"inf");
    }
}
