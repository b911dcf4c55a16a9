//! The weights of short times, summed while it is not known yet how long the
//! recording is.

use common::FrameId;
use hashbrown::HashMap;

use crate::width::{FINE, SECOND, Width, least_round};

/// As many times finer than a column of the map are the columns that are summed
/// first, so that the map can choose among the round widths.
const FINER: u64 = 10;

/// How many columns there may be where the user says how wide they are.
const MOST_GIVEN: u64 = 10_000;

/// How many columns there may be that are shorter than a second.
const MOST_SHORT: u64 = 60;

/// How many samples a cell should have on average: with fewer rows it has more.
const SAMPLES_PER_CELL: u64 = 2;

/// A row of the table that does not fit in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Misfit {
    /// The columns that the user wants would be too many.
    TooLate,
    /// The sum of all weights would be over 64 bits.
    TooHeavy,
}

/// The weights by key, such as a thread, and by time.
///
/// Time is cut into columns, and each column into rows, which are cells. Cells are
/// numbered from the start of the recording: a cell begins where its number times the
/// width of a column, divided by the rows of a column, is reached.
pub(crate) struct Cells {
    weights: HashMap<(FrameId, u64), u64>,
    /// The width of a column in nanoseconds, and those that may follow.
    width: u64,
    wider: &'static [u64],
    rows: u64,
    /// How many columns the map may have, and how many are summed.
    most: u64,
    most_fine: u64,
    /// When the last sample was.
    last: u64,
    samples: u64,
    pub(crate) total: u64,
}

impl Cells {
    /// Columns of so many rows: as wide as the user wants them, or so that there are
    /// at most so many.
    pub(crate) fn new(rows: u32, given: Option<Width>, most: u64) -> Cells {
        let (width, wider, most_fine) = match given {
            Some(Width(width)) => (width, &[][..], MOST_GIVEN),
            None => (FINE[0], &FINE[1..], FINER * most),
        };
        Cells {
            weights: HashMap::new(),
            width,
            wider,
            rows: rows.into(),
            most,
            most_fine,
            last: 0,
            samples: 0,
            total: 0,
        }
    }

    /// Adds the weight of a sample, so many nanoseconds after the first one.
    pub(crate) fn add(&mut self, key: FrameId, time: u64, weight: u64) -> Result<(), Misfit> {
        while time / self.width >= self.most_fine {
            let Some((&width, wider)) = self.wider.split_first() else {
                return Err(Misfit::TooLate);
            };
            self.widen(width / self.width);
            (self.width, self.wider) = (width, wider);
        }
        self.total = self.total.checked_add(weight).ok_or(Misfit::TooHeavy)?;
        self.last = self.last.max(time);
        self.samples += 1;
        *self.weights.entry((key, cell(time, self.width, self.rows))).or_default() += weight;
        Ok(())
    }

    /// Makes one cell of so many.
    fn widen(&mut self, by: u64) {
        if by == 1 {
            return;
        }
        let mut weights = HashMap::new();
        for ((key, cell), weight) in self.weights.drain() {
            *weights.entry((key, cell / by)).or_default() += weight;
        }
        self.weights = weights;
    }

    /// Chooses how wide the columns are, and where that `may` be, how few rows they
    /// have.
    pub(crate) fn settle(&mut self, may_lower_rows: bool) {
        if !self.wider.is_empty() {
            let short = if self.rows > 1 { self.most.min(MOST_SHORT) } else { self.most };
            let fits = |width: u64| {
                let most = if width < SECOND { short } else { self.most };
                width >= self.width && self.last / width < most
            };
            let width = least_round(fits);
            self.widen(width / self.width);
            self.width = width;
        }
        if may_lower_rows {
            self.lower_rows();
        }
    }

    /// Half, a fifth or a tenth of the rows, if they have too few samples.
    fn lower_rows(&mut self) {
        let all_rows = self.rows;
        let divisors = [1, 2, 5, 10].into_iter().filter(|by| all_rows.is_multiple_of(*by));
        let has_samples = |by: u64| {
            let cells = cell(self.last, self.width, all_rows / by) + 1;
            cells.saturating_mul(SAMPLES_PER_CELL) <= self.samples
        };
        // The first that has enough, or the last.
        let by = divisors.reduce(|first, next| if has_samples(first) { first } else { next });
        let by = by.unwrap_or(1);
        self.widen(by);
        self.rows /= by;
    }

    /// The width of a column in nanoseconds.
    pub(crate) fn width(&self) -> u64 {
        self.width
    }

    /// How many rows a column has.
    pub(crate) fn rows(&self) -> u64 {
        self.rows
    }

    /// How many columns there are.
    pub(crate) fn columns(&self) -> u64 {
        self.last / self.width + 1
    }

    /// The key, the number and the weight of each cell, in no order.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (FrameId, u64, u64)> {
        self.weights.iter().map(|(&(key, cell), &weight)| (key, cell, weight))
    }
}

/// The number of the cell that a time is in.
fn cell(time: u64, width: u64, rows: u64) -> u64 {
    (u128::from(time) * u128::from(rows) / u128::from(width)) as u64
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn of(rows: u32, given: Option<Width>, most: u64, times: &[u64]) -> Cells {
        let mut cells = Cells::new(rows, given, most);
        for &time in times {
            assert_eq!(cells.add(0, time, 1), Ok(()), "{time}");
        }
        cells
    }

    #[test]
    fn columns_are_as_fine_as_fits() {
        for (seconds, width) in
            [(1, SECOND / 50), (29, SECOND / 2), (30, SECOND), (599, SECOND), (600, 2 * SECOND)]
        {
            let mut cells = of(50, None, 600, &[0, seconds * SECOND]);
            cells.settle(true);
            assert_eq!((cells.width(), cells.rows()), (width, 5), "{seconds} s");
        }
        let mut cells = of(50, None, 600, &[u64::MAX]);
        cells.settle(true);
        assert!(cells.columns() <= 600);
    }

    #[test]
    fn given_columns_may_not_be_too_many() {
        let mut cells = of(50, Some(Width(SECOND)), 600, &[9_999 * SECOND]);
        assert_eq!(cells.add(0, 10_000 * SECOND, 1), Err(Misfit::TooLate));
        cells.settle(false);
        assert_eq!((cells.width(), cells.rows()), (SECOND, 50));
    }

    proptest! {
        /// However late it became known how long the recording is.
        #[test]
        fn each_weight_is_in_the_cell_of_its_time(
            times in prop::collection::vec(
                (0..40u32).prop_flat_map(|bits| 0..(1u64 << bits) * 1_000_000), 1..50),
            rows in 1..60u32,
        ) {
            let mut cells = of(rows, None, 60, &times);
            cells.settle(true);
            let mut expected = HashMap::new();
            for time in times {
                *expected.entry((0, cell(time, cells.width(), cells.rows()))).or_insert(0) += 1;
            }
            prop_assert_eq!(cells.weights, expected);
        }
    }
}
