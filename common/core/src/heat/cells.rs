//! The weights of short times, summed while it is not known yet how long the
//! recording is.

use std::hash::Hash;

use hashbrown::HashMap;

use super::widths::{FINE, SECOND, least_round};

/// Until the length of the recording is known, weights are summed in up to this many times as many
/// columns as the map may have, so that it can then choose among the round widths.
const FINER: u64 = 10;

/// The greatest number of columns where the user says how wide they are.
const MOST_GIVEN: u64 = 10_000;

/// The greatest number of columns that are shorter than a second.
const MOST_SHORT: u64 = 60;

/// How many samples a cell should have on average; with fewer rows, cells have more.
const SAMPLES_PER_CELL: u64 = 2;

/// Why a weight cannot be added.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Misfit {
    /// With columns as wide as the user wants, there would be too many.
    TooLate,
    /// The sum of all weights would not fit into 64 bits.
    TooHeavy,
}

/// The weights by key, such as a thread, and by time.
///
/// Time is cut into columns, and each column into rows, whose crossings are the cells. Cell number
/// `n` begins at the time `n * width / rows` after the start of the recording.
pub struct Cells<K> {
    weights: HashMap<(K, u64), u64>,
    /// The width of a column in nanoseconds, and the greater widths that may replace it.
    width: u64,
    wider: &'static [u64],
    rows: u64,
    /// How many columns the map may have, and how many there may be while weights are added.
    most: u64,
    most_fine: u64,
    /// The time of the last sample, in nanoseconds after the first.
    last: u64,
    samples: u64,
    total: u64,
    /// If there are more cells than this, columns get wider, if they can.
    most_cells: usize,
    /// Whether that made columns wider.
    is_coarser: bool,
}

impl<K: Copy + Eq + Hash> Cells<K> {
    /// No weights yet, with `rows` rows in a column. Columns are `given` nanoseconds wide, or as
    /// wide as necessary for at most `most` columns.
    #[must_use]
    pub fn new(rows: u32, given: Option<u64>, most: u64) -> Cells<K> {
        let (width, wider, most_fine) = match given {
            Some(width) => (width, &[][..], MOST_GIVEN),
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
            most_cells: usize::MAX,
            is_coarser: false,
        }
    }

    /// Makes columns wider wherever there would be more cells than this.
    #[must_use]
    pub fn with_at_most(self, most_cells: usize) -> Cells<K> {
        Cells { most_cells, ..self }
    }

    /// Adds the weight of a sample, `time` nanoseconds after the first one.
    ///
    /// # Errors
    ///
    /// A [`Misfit`] if the weight was not added.
    pub fn add(&mut self, key: K, time: u64, weight: u64) -> Result<(), Misfit> {
        self.make_room(time, weight)?;
        *self.weights.entry((key, cell(time, self.width, self.rows))).or_default() += weight;
        self.limit_memory();
        Ok(())
    }

    /// Adds what lasted `length` nanoseconds from `time` on, and weighs as much.
    ///
    /// # Errors
    ///
    /// A [`Misfit`] if nothing of it was added.
    pub fn add_slice(&mut self, key: K, time: u64, length: u64) -> Result<(), Misfit> {
        let end = time.checked_add(length).ok_or(Misfit::TooLate)?;
        self.make_room(end.saturating_sub(1).max(time), length)?;
        let mut from = time;
        while from < end {
            let cell = cell(from, self.width, self.rows);
            let to = start_of_cell(cell + 1, self.width, self.rows).clamp(from + 1, end);
            *self.weights.entry((key, cell)).or_default() += to - from;
            from = to;
        }
        self.limit_memory();
        Ok(())
    }

    /// Makes columns so wide that there is one for this time, and adds to the sum of all weights.
    fn make_room(&mut self, time: u64, weight: u64) -> Result<(), Misfit> {
        while time / self.width >= self.most_fine {
            if !self.widen_to_next() {
                return Err(Misfit::TooLate);
            }
        }
        self.total = self.total.checked_add(weight).ok_or(Misfit::TooHeavy)?;
        self.last = self.last.max(time);
        self.samples += 1;
        Ok(())
    }

    fn limit_memory(&mut self) {
        while self.weights.len() > self.most_cells && self.columns() > 1 && self.coarsen() {}
    }

    /// Whether columns got wider because there were too many cells.
    #[must_use]
    pub fn is_coarser(&self) -> bool {
        self.is_coarser
    }

    /// Widens the columns to the next width; returns whether there is one.
    fn widen_to_next(&mut self) -> bool {
        if self.is_coarser {
            return self.coarsen();
        }
        let width = self.width;
        let next = self.wider.iter().find(|wider| **wider > width && wider.is_multiple_of(width));
        let Some(&next) = next else { return false };
        self.widen(next / width);
        self.width = next;
        true
    }

    /// Makes columns twice as wide, since there are too many cells: the next round width would
    /// often lose far more cells than necessary. Returns whether that is possible.
    pub fn coarsen(&mut self) -> bool {
        let Some(width) = self.width.checked_mul(2) else { return false };
        self.widen(2);
        self.width = width;
        self.is_coarser = true;
        true
    }

    /// Joins each `by` cells that follow each other into one.
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

    /// Chooses the final width of the columns, and the number of rows if `may_lower_rows`.
    pub fn settle(&mut self, may_lower_rows: bool) {
        while self.is_coarser && self.columns() > self.most && self.coarsen() {}
        if !self.wider.is_empty() && !self.is_coarser {
            let short = if self.rows > 1 { self.most.min(MOST_SHORT) } else { self.most };
            let fits = |width: u64| {
                let most = if width < SECOND { short } else { self.most };
                width.is_multiple_of(self.width) && self.last / width < most
            };
            let width = least_round(fits);
            self.widen(width / self.width);
            self.width = width;
        }
        if may_lower_rows {
            self.lower_rows();
        }
    }

    /// Lowers the number of rows to a half, a fifth or a tenth, if cells have too few samples.
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
    #[must_use]
    pub fn width(&self) -> u64 {
        self.width
    }

    /// How many rows a column has.
    #[must_use]
    pub fn rows(&self) -> u64 {
        self.rows
    }

    /// How many columns there are.
    #[must_use]
    pub fn columns(&self) -> u64 {
        self.last / self.width + 1
    }

    /// The sum of all weights.
    #[must_use]
    pub fn total(&self) -> u64 {
        self.total
    }

    /// The key, the number and the weight of each cell, in no order.
    pub fn iter(&self) -> impl Iterator<Item = (K, u64, u64)> {
        self.weights.iter().map(|(&(key, cell), &weight)| (key, cell, weight))
    }
}

/// The first nanosecond of a cell, of which there are `rows` in each `width` nanoseconds.
#[must_use]
pub fn start_of_cell(cell: u64, width: u64, rows: u64) -> u64 {
    (u128::from(cell) * u128::from(width)).div_ceil(rows.into()).try_into().unwrap_or(u64::MAX)
}

/// The number of the cell that a time is in.
fn cell(time: u64, width: u64, rows: u64) -> u64 {
    (u128::from(time) * u128::from(rows) / u128::from(width)) as u64
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::MILLISECOND;
    use super::*;

    fn of(rows: u32, given: Option<u64>, most: u64, times: &[u64]) -> Cells<u32> {
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
        let mut cells = of(50, Some(SECOND), 600, &[9_999 * SECOND]);
        assert_eq!(cells.add(0, 10_000 * SECOND, 1), Err(Misfit::TooLate));
        cells.settle(false);
        assert_eq!((cells.width(), cells.rows()), (SECOND, 50));
    }

    #[test]
    fn with_many_cells_columns_get_wider() {
        let mut cells = Cells::new(1, None, 600).with_at_most(100);
        for time in 0..1_000u64 {
            assert_eq!(cells.add(0, time * SECOND / 100, 1), Ok(()));
        }
        assert!(cells.iter().count() <= 100 && cells.is_coarser());
        cells.settle(false);
        assert_eq!((cells.width(), cells.total()), (128 * MILLISECOND, 1_000));
        // Many keys are in one column, and nothing less.
        for key in 0..1_000 {
            assert_eq!(cells.add(key, 0, 1), Ok(()));
        }
        assert!(cells.coarsen());
        assert_eq!((cells.width(), cells.total()), (32_768 * MILLISECOND, 2_000));
    }

    proptest! {
        /// Each nanosecond of a slice is in the cell of its time.
        #[test]
        fn a_slice_is_in_all_cells_of_its_time(
            slices in prop::collection::vec((0..3_000u64, 0..500u64), 1..10),
            rows in 1..7u32,
            width in 10..400u64,
        ) {
            let mut cells = Cells::new(rows, Some(width), 60);
            let mut expected = HashMap::new();
            for &(time, length) in &slices {
                cells.add_slice(0, time, length).expect("room");
                for moment in time..time + length {
                    *expected.entry((0, cell(moment, width, rows.into()))).or_insert(0) += 1;
                }
            }
            prop_assert_eq!(cells.total(), slices.iter().map(|(_, length)| length).sum::<u64>());
            prop_assert_eq!(cells.weights, expected);
        }

        /// However late it becomes known how long the recording is.
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
