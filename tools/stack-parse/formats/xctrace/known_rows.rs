//! A cache of rows that are equal except for their time, by the ids that they refer to.
//!
//! ```text
//! <row><sample-time id="31" fmt="00:00.059.248">59248125</sample-time><thread ref="2"/>
//!   <weight ref="9"/><backtrace ref="10"/></row>
//! ```

use std::rc::Rc;

use common::{numbers::decimal, stacks::FrameId};
use hashbrown::HashMap;
use memchr::{memchr, memmem, memrchr};

use super::row::Row;

/// How many are kept: more would mean that they do not repeat, so that keeping them is useless.
const MOST: usize = 10_000;

/// The contents of rows, by their bytes after the time.
#[derive(Debug, Default)]
pub(super) struct KnownRows(HashMap<Vec<u8>, Rc<KnownRow>>);

#[derive(Debug)]
pub(super) struct KnownRow {
    pub(super) row: Row,
    /// Root first.
    pub(super) stack: Vec<FrameId>,
}

/// A row that begins with its time.
pub(super) struct TimedRow<'a> {
    pub(super) id: u64,
    pub(super) time: u64,
    /// The bytes after the time.
    rest: &'a [u8],
}

impl<'a> TimedRow<'a> {
    pub(super) fn new(xml: &'a [u8]) -> Option<TimedRow<'a>> {
        let xml = xml.trim_ascii_start().strip_prefix(b"<row><sample-time id=\"")?;
        let (time, rest) = xml.split_at(memchr(b'<', xml)?);
        let rest = rest.strip_prefix(b"</sample-time>")?;
        let id = decimal(&time[..memchr(b'"', time)?])?;
        let end = memrchr(b'>', time)?;
        let time = decimal(&time[end + 1..]).filter(|_| !time[..end].ends_with(b"/"))?;
        Some(TimedRow { id, time, rest })
    }

    /// Whether the row defines nothing, so that the same bytes always mean the same.
    pub(super) fn only_refers(&self) -> bool {
        memmem::find(self.rest, b"id=").is_none()
    }
}

impl KnownRows {
    pub(super) fn get(&self, row: &TimedRow<'_>) -> Option<Rc<KnownRow>> {
        self.0.get(row.rest).cloned()
    }

    pub(super) fn insert(&mut self, timed: &TimedRow<'_>, row: &Row, stack: &[FrameId]) {
        if self.0.len() < MOST {
            let known = KnownRow { row: row.clone(), stack: stack.to_vec() };
            self.0.insert(timed.rest.to_vec(), Rc::new(known));
        }
    }
}
