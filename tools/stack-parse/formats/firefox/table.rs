//! A table of a profile, by columns.

use std::io::Read;

use common::Result;

use crate::read::decimal::scaled;
use crate::read::json::Json;

/// The columns that are read, except weights, and the number of digits after the point.
const COLUMNS: [(&[u8], i32); 23] = [
    (b"stack", 0),
    (b"time", TIME),
    (b"timeDeltas", TIME),
    (b"threadCPUDelta", CPU),
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
    // Of markers.
    (b"startTime", TIME),
    (b"endTime", TIME),
    (b"phase", 0),
    // Of stack-export.
    (b"marks", 0),
];

/// Milliseconds to nanoseconds.
const TIME: i32 = 6;

/// Microseconds to nanoseconds; other units to thousandths.
const CPU: i32 = 3;

/// The number of digits after the point of weights, which may be milliseconds, too.
pub(super) const WEIGHT: i32 = 6;

/// A value that is `null` or missing.
const NONE: i64 = i64::MIN;

/// A weight that is `null` or missing.
const NO_WEIGHT: i128 = i128::MIN;

/// A weight that is no number.
const BAD_WEIGHT: i128 = i128::MIN + 1;

/// A table; a column that it lacks has no values.
#[derive(Default)]
pub(super) struct Table {
    columns: [Vec<i64>; COLUMNS.len()],
    /// In millionths, so a weight of 64 bits does not fit into 64 bits.
    weights: Vec<i128>,
    /// Rows that came before the schema, which says what is in them, as JSON.
    early_rows: Vec<u8>,
    /// How many rows came before a schema that never came.
    unknown_rows: u64,
    /// Values that are not numbers, or do not fit.
    bad_values: u64,
    /// `samples`, `tracing-ms` or `bytes`.
    pub(super) weight_type: Vec<u8>,
}

/// Where values of a column go.
#[derive(Clone, Copy)]
enum ColumnTarget {
    Weight,
    /// The index of the column, and its digits after the point.
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
        json.enter_object()?;
        let mut schema = None;
        while let Some(key) = json.next_key()? {
            match key {
                b"schema" => {
                    let schema = schema.insert(read_schema(json)?);
                    self.read_early_rows(json, schema)?;
                }
                b"data" => json.for_each(|json| match &schema {
                    Some(schema) => self.read_row(json, schema),
                    None => self.keep_row(json),
                })?,
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

    /// Keeps a row until the schema comes.
    fn keep_row<R: Read>(&mut self, json: &mut Json<R>) -> Result<()> {
        let rows = &mut self.early_rows;
        self.unknown_rows += 1;
        rows.push(if rows.is_empty() { b'[' } else { b',' });
        rows.push(b'[');
        json.for_each(|json| {
            match json.number()? {
                // In quotes it is read in the same way, and text that is not a number harms no
                // other row.
                Some(number) if scaled(number, 0).is_some() => {
                    rows.extend([b"\"", number, b"\""].concat());
                }
                Some(_) => rows.extend_from_slice(b"\"not a number\""),
                None => rows.extend_from_slice(b"null"),
            }
            rows.push(b',');
            Ok(())
        })?;
        rows.push(b']');
        Ok(())
    }

    /// Reads the rows that were kept.
    fn read_early_rows<R: Read>(
        &mut self,
        json: &Json<R>,
        schema: &[Option<ColumnTarget>],
    ) -> Result<()> {
        let mut rows = std::mem::take(&mut self.early_rows);
        rows.push(b']');
        let mut rows = json.inside(&rows);
        if std::mem::take(&mut self.unknown_rows) > 0 && rows.next_document()? {
            rows.for_each(|json| self.read_row(json, schema))?;
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
            ColumnTarget::Column(place, scale) => {
                let number = json.number()?.map(|text| integer(text, scale));
                self.bad_values += u64::from(number == Some(None));
                self.columns[place].push(number.flatten().unwrap_or(NONE));
            }
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

    /// How many rows have a stack or a weight.
    pub(super) fn len(&self) -> usize {
        self.column("stack").len().max(self.weights.len())
    }

    /// What each row weighs.
    pub(super) fn weight(&self, row: usize) -> RowWeight {
        match self.weights.get(row) {
            Some(&BAD_WEIGHT) => RowWeight::Bad,
            Some(&weight) if weight != NO_WEIGHT => RowWeight::Parts(weight),
            _ if self.weights.is_empty() => RowWeight::One,
            _ => RowWeight::Missing,
        }
    }

    /// How many rows came before a schema that never came, and how many values are not numbers or
    /// do not fit.
    pub(super) fn troubles(&self) -> [u64; 2] {
        [self.unknown_rows, self.bad_values]
    }

    pub(super) fn has(&self, name: &str) -> bool {
        self.column(name).len() > 0
    }
}

/// What a row weighs.
#[derive(Clone, Copy)]
pub(super) enum RowWeight {
    /// The table has no weights: each row counts one.
    One,
    /// Only this row has none.
    Missing,
    /// The weight in millionths.
    Parts(i128),
    /// Something that is no number.
    Bad,
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
fn read_schema<R: Read>(json: &mut Json<R>) -> Result<Vec<Option<ColumnTarget>>> {
    /// More columns than any table has.
    const MOST: usize = 100;
    let mut schema = Vec::new();
    json.enter_object()?;
    while let Some(place) = json.next_key()?.map(ColumnTarget::of) {
        let number = json.integer()?.and_then(|number| usize::try_from(number).ok());
        if let Some(number) = number.filter(|number| *number < MOST) {
            schema.resize(schema.len().max(number + 1), None);
            schema[number] = place;
        }
    }
    Ok(schema)
}

/// A number times 10 to the power of `scale`, rounded; `None` if it is not a number or does not
/// fit. With scale 0 it is the number of a row or a line, which must not have a fraction.
fn integer(text: &[u8], scale: i32) -> Option<i64> {
    let value = scaled(text, scale)?;
    let is_plain = || text.iter().all(|byte| byte.is_ascii_digit() || *byte == b'-');
    let is_whole = || scaled(text, WEIGHT) == value.checked_mul(10i128.pow(WEIGHT as u32));
    if scale > 0 || is_plain() || is_whole() {
        i64::try_from(value).ok().filter(|value| *value != NONE)
    } else {
        None
    }
}

/// Reads a weight in millionths; a number that is too large gives the largest.
fn weight<R: Read>(json: &mut Json<R>) -> Result<i128> {
    let Some(text) = json.number()? else { return Ok(NO_WEIGHT) };
    let is_number = matches!(text, [b'-' | b'0'..=b'9', .., b'0'..=b'9'] | [b'0'..=b'9']);
    Ok(scaled(text, WEIGHT).unwrap_or(if is_number { i128::MAX } else { BAD_WEIGHT }))
}

/// Reads milliseconds; returns nanoseconds.
pub(super) fn read_time<R: Read>(json: &mut Json<R>) -> Result<Option<i64>> {
    Ok(json.number()?.and_then(|text| integer(text, TIME)))
}
