//! A table of a profile, by columns.

use std::io::Read;

use common::Result;

use crate::read::decimal::scaled;
use crate::read::json::Json;

/// The columns that are read, but for weights, and how many digits behind the point are kept.
const COLUMNS: [(&[u8], i32); 18] = [
    (b"stack", 0),
    (b"time", TIME),
    (b"timeDeltas", TIME),
    (b"prefix", 0),
    (b"prefixOffset", 0),
    (b"frame", 0),
    (b"func", 0),
    (b"line", 0),
    (b"column", 0),
    (b"inlineDepth", 0),
    (b"address", 0),
    (b"location", 0),
    (b"name", 0),
    (b"fileName", 0),
    (b"resource", 0),
    (b"lib", 0),
    (b"source", 0),
    (b"filename", 0),
];

/// Milliseconds to nanoseconds.
const TIME: i32 = 6;

/// Digits of weights, which may be milliseconds, too.
pub(super) const WEIGHT: i32 = 6;

/// A value that is `null` or none.
const NONE: i64 = i64::MIN;

/// The same of weights.
const NO_WEIGHT: i128 = i128::MIN;

/// A table; a column that it lacks has no values.
#[derive(Default)]
pub(super) struct Table {
    columns: [Vec<i64>; COLUMNS.len()],
    /// With its digits behind the point, a weight of 64 bits does not fit into 64 bits.
    weights: Vec<i128>,
    /// `samples`, `tracing-ms` or `bytes`.
    pub(super) weight_type: Vec<u8>,
}

/// Where values of a column go.
#[derive(Clone, Copy)]
enum ColumnTarget {
    Weight,
    /// The number of the column, and its digits behind the point.
    Column(usize, i32),
}

impl ColumnTarget {
    fn of(column: &[u8]) -> Option<ColumnTarget> {
        if column == b"weight" {
            return Some(ColumnTarget::Weight);
        }
        let place = COLUMNS.iter().position(|(name, _)| *name == column)?;
        Some(ColumnTarget::Column(place, COLUMNS[place].1))
    }
}

impl Table {
    /// Reads a table in either form.
    pub(super) fn read<R: Read>(&mut self, json: &mut Json<R>) -> Result<()> {
        if !json.begin_object()? {
            return Ok(());
        }
        let mut schema = Vec::new();
        while let Some(key) = json.next_key()? {
            match key {
                b"schema" => read_schema(json, &mut schema)?,
                b"data" => json.for_each(|json| self.read_row(json, &schema))?,
                b"weightType" => self.weight_type = json.text()?.unwrap_or_default().to_vec(),
                key => {
                    if let Some(place) = ColumnTarget::of(key) {
                        json.for_each(|json| self.read_value(json, place))?;
                    }
                }
            }
        }
        Ok(())
    }

    /// `[1, 0.5, null]`; a row may be shorter than the schema.
    fn read_row<R: Read>(
        &mut self,
        json: &mut Json<R>,
        schema: &[Option<ColumnTarget>],
    ) -> Result<()> {
        let mut places = schema.iter();
        json.for_each(|json| match places.next() {
            Some(&Some(place)) => self.read_value(json, place),
            _ => Ok(()),
        })?;
        for place in places.flatten() {
            match *place {
                ColumnTarget::Weight => self.weights.push(NO_WEIGHT),
                ColumnTarget::Column(place, _) => self.columns[place].push(NONE),
            }
        }
        Ok(())
    }

    fn read_value<R: Read>(&mut self, json: &mut Json<R>, place: ColumnTarget) -> Result<()> {
        match place {
            ColumnTarget::Weight => self.weights.push(weight(json)?),
            ColumnTarget::Column(place, scale) => self.columns[place].push(value(json, scale)?),
        }
        Ok(())
    }

    /// A column, empty if there is none.
    pub(super) fn column(&self, name: &str) -> Column<'_> {
        match ColumnTarget::of(name.as_bytes()) {
            Some(ColumnTarget::Column(place, _)) => Column(&self.columns[place]),
            Some(ColumnTarget::Weight) | None => Column(&[]),
        }
    }

    /// The weight in this row, if it has one, with its digits behind the point.
    pub(super) fn weight(&self, row: usize) -> Option<i128> {
        self.weights.get(row).copied().filter(|weight| *weight != NO_WEIGHT)
    }

    pub(super) fn has(&self, name: &str) -> bool {
        self.column(name).len() > 0
    }
}

/// The values of a column.
#[derive(Clone, Copy)]
pub(super) struct Column<'a>(&'a [i64]);

impl Column<'_> {
    pub(super) fn len(self) -> usize {
        self.0.len()
    }

    /// A value, if there is one in this row.
    pub(super) fn get(self, row: usize) -> Option<i64> {
        self.0.get(row).copied().filter(|value| *value != NONE)
    }

    /// The number of a row of another table.
    pub(super) fn row(self, row: usize) -> Option<usize> {
        usize::try_from(self.get(row)?).ok()
    }
}

/// `{"stack":0,"time":1}`: which column each element of a row belongs to.
fn read_schema<R: Read>(json: &mut Json<R>, schema: &mut Vec<Option<ColumnTarget>>) -> Result<()> {
    /// More columns than any table has.
    const MOST: usize = 100;
    if json.begin_object()? {
        while let Some(place) = json.next_key()?.map(ColumnTarget::of) {
            let number = json.integer()?.and_then(|number| usize::try_from(number).ok());
            if let Some(number) = number.filter(|number| *number < MOST) {
                schema.resize(schema.len().max(number + 1), None);
                schema[number] = place;
            }
        }
    }
    Ok(())
}

fn value<R: Read>(json: &mut Json<R>, scale: i32) -> Result<i64> {
    let value = json.scaled(scale)?.and_then(|value| i64::try_from(value).ok());
    Ok(value.unwrap_or(NONE))
}

/// A number of more digits than any weight has is the largest.
fn weight<R: Read>(json: &mut Json<R>) -> Result<i128> {
    let weight = json.number()?.map(|text| scaled(text, WEIGHT).unwrap_or(i128::MAX));
    Ok(weight.unwrap_or(NO_WEIGHT))
}

/// Milliseconds as nanoseconds.
pub(super) fn read_time<R: Read>(json: &mut Json<R>) -> Result<Option<i64>> {
    Ok(Some(value(json, TIME)?).filter(|value| *value != NONE))
}
