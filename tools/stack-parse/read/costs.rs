//! Costs as Valgrind's tools and their imitators write them: a line names the events,
//! `events: Ir Dr Dw`, and each line of code has a number for each.

use bstr::ByteSlice;
use common::names::unit_of_event;
use common::numbers::{decimal, hexadecimal};

use crate::samples::Samples;
use crate::samples::events::Measure;

/// The units of the events of Valgrind's tools.
const UNITS: [(&str, &[&str]); 8] = [
    ("instructions", &["Ir"]),
    ("reads", &["Dr"]),
    ("writes", &["Dw"]),
    ("misses", &["I1mr", "ILmr", "I2mr", "D1mr", "DLmr", "D2mr", "D1mw", "DLmw", "D2mw"]),
    ("branches", &["Bc", "Bi"]),
    ("mispredictions", &["Bcm", "Bim"]),
    ("bytes", &["curB", "totB", "totFdB"]),
    ("blocks", &["curBk", "totBk", "totFdBk"]),
];

/// Units after the name of an event, as in Xdebug's `Time_(10ns)` and pprof's `cpu(ms)`: each with
/// the unit that is used here, and how many of that it is.
const SCALES: [(&str, &str, u64); 17] = [
    ("ns", "ns", 1),
    ("10ns", "ns", 10),
    ("us", "ns", 1_000),
    ("µs", "ns", 1_000),
    ("ms", "ns", 1_000_000),
    ("s", "ns", 1_000_000_000),
    ("mins", "ns", 60_000_000_000),
    ("hrs", "ns", 3_600_000_000_000),
    ("days", "ns", 86_400_000_000_000),
    ("bytes", "bytes", 1),
    ("B", "bytes", 1),
    ("kB", "bytes", 1 << 10),
    ("MB", "bytes", 1 << 20),
    ("GB", "bytes", 1 << 30),
    ("TB", "bytes", 1 << 40),
    ("PB", "bytes", 1 << 50),
    ("count", "count", 1),
];

/// How often functions were called.
pub(crate) const CALLS: Measure<'static> = Measure { name: b"calls", unit: b"calls" };

/// The events of a file, and the sums of their costs in all lines.
#[derive(Default)]
pub(crate) struct Costs {
    /// All events so far; later parts of a file may have more.
    events: Vec<CostEvent>,
    /// The event of each column.
    columns: Vec<usize>,
    /// The event that is wanted, if any is.
    wanted: Option<usize>,
}

struct CostEvent {
    name: Vec<u8>,
    unit: Vec<u8>,
    /// A number in the file is multiplied by this.
    scale: u64,
    total: i128,
}

impl Costs {
    /// Reads the names after `events:`, with any number of spaces between them.
    pub(crate) fn set_events(&mut self, names: &[u8], samples: &mut Samples<'_>) {
        self.columns.clear();
        for name in names.fields() {
            let event = CostEvent::of(name);
            let known = self.events.iter().position(|known| known.name == event.name);
            self.columns.push(known.unwrap_or(self.events.len()));
            if known.is_none() {
                self.events.push(event);
            }
        }
        let measures = self.measures();
        if !measures.is_empty() {
            self.wanted = samples.events.set_measures(&measures);
        }
    }

    fn measures(&self) -> Vec<Measure<'_>> {
        self.events.iter().map(|it| Measure { name: &it.name, unit: &it.unit }).collect()
    }

    /// Whether the events are known.
    pub(crate) fn has_events(&self) -> bool {
        !self.columns.is_empty()
    }

    /// Counts the costs of a line; returns that of the wanted event. Missing costs at the end are
    /// 0. `None` if one is not a number, or a sum is too large.
    pub(crate) fn add(&mut self, numbers: &[u8]) -> Option<i128> {
        self.add_each(numbers, |_, _| Some(()))
    }

    /// Like [`add`](Costs::add), and hands each cost to `each` with the index of its event.
    fn add_each(
        &mut self,
        numbers: &[u8],
        mut each: impl FnMut(usize, i128) -> Option<()>,
    ) -> Option<i128> {
        let mut found = 0;
        for (number, &column) in words(numbers).zip(&self.columns) {
            let event = &mut self.events[column];
            let cost = event.cost(number)?;
            event.total = event.total.checked_add(cost)?;
            if self.wanted == Some(column) {
                found = cost.checked_add(found)?;
            }
            each(column, cost)?;
        }
        Some(found)
    }

    /// Like [`add`](Costs::add), and fills `row` with the costs of all events; negative ones are 0.
    pub(crate) fn add_row(&mut self, numbers: &[u8], row: &mut Vec<u64>) -> Option<i128> {
        row.clear();
        row.resize(self.events.len(), 0);
        let found = self.add_each(numbers, |column, cost| {
            row[column] = row[column].checked_add(u64::try_from(cost).unwrap_or(0))?;
            Some(())
        })?;
        self.has_events().then_some(found)
    }

    /// The cost of the wanted event in a line that adds nothing to the sums.
    pub(crate) fn wanted(&self, numbers: &[u8]) -> Option<i128> {
        let Some(wanted) = self.wanted else { return Some(0) };
        let column = self.columns.iter().position(|&event| event == wanted);
        let number = column.and_then(|column| words(numbers).nth(column));
        self.events[wanted].cost(number.unwrap_or(b"0"))
    }

    /// The index of the wanted event among the measures.
    pub(crate) fn place(&self) -> Option<usize> {
        self.wanted
    }

    /// Like [`wanted`](Costs::wanted), but the cost of the first event where none is wanted.
    pub(crate) fn wanted_or_first(&self, numbers: &[u8]) -> Option<i128> {
        match self.columns.first() {
            Some(&first) if self.wanted.is_none() => {
                self.events[first].cost(words(numbers).next().unwrap_or(b"0"))
            }
            _ => self.wanted(numbers),
        }
    }

    /// Declares the events again, and one more that counts calls, if there were any. Returns the
    /// totals of all, and the index of the wanted one.
    pub(crate) fn declare(
        &self,
        calls: u64,
        samples: &mut Samples<'_>,
    ) -> (Vec<u64>, Option<usize>) {
        let mut totals = self.totals();
        if totals.is_empty() {
            return (totals, None);
        }
        let mut measures = self.measures();
        if calls > 0 {
            measures.push(CALLS);
            totals.push(calls);
        }
        (totals, samples.events.set_measures(&measures))
    }

    /// The sum of all lines, for each event; 0 if it is negative, as for memory that was freed.
    pub(crate) fn totals(&self) -> Vec<u64> {
        let total = |event: &CostEvent| u64::try_from(event.total.max(0)).unwrap_or(u64::MAX);
        self.events.iter().map(total).collect()
    }

    /// Notes if the sum of the wanted event's costs is not `said`, which the file gives.
    pub(crate) fn compare(&self, said: i128, samples: &mut Samples<'_>) {
        let Some(CostEvent { name, total, .. }) = self.wanted.map(|wanted| &self.events[wanted])
        else {
            return;
        };
        if said != *total {
            let name = String::from_utf8_lossy(name);
            samples.note(format_args!(
                "the total of {name} is {said} in the file, but its costs add up to {total}"
            ));
        }
    }
}

impl CostEvent {
    fn of(name: &[u8]) -> CostEvent {
        let plain = name.strip_suffix(b")").and_then(|name| name.split_once_str("("));
        if let Some((plain, unit)) = plain {
            let scale = SCALES.iter().find(|(name, ..)| name.as_bytes() == unit);
            if let Some((_, unit, scale)) = scale {
                let name = plain.strip_suffix(b"_").unwrap_or(plain).to_vec();
                return CostEvent { name, unit: unit.as_bytes().to_vec(), scale: *scale, total: 0 };
            }
        }
        let is_named = |event: &&str| event.as_bytes() == name;
        let known = UNITS.iter().find(|(_, events)| events.iter().any(is_named));
        let unit = known.map_or(unit_of_event(name), |(unit, _)| unit.as_bytes()).to_vec();
        CostEvent { name: name.to_vec(), unit, scale: 1, total: 0 }
    }

    /// The cost of a number in the file; `None` if it is not a number, or over 64 bits.
    fn cost(&self, number: &[u8]) -> Option<i128> {
        let number = signed(number)?;
        let size = u64::try_from(number.unsigned_abs()).ok()?.checked_mul(self.scale)?;
        Some(if number < 0 { -i128::from(size) } else { size.into() })
    }
}

/// The words between spaces.
pub(crate) fn words(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    text.split(|&byte| byte == b' ' || byte == b'\t').filter(|word| !word.is_empty())
}

/// `12`, `-12`, `0xc`; or `.`, which old versions of cachegrind write for a missing count.
fn signed(text: &[u8]) -> Option<i128> {
    match text {
        b"." => Some(0),
        [b'-', digits @ ..] => Some(-i128::from(unsigned(digits)?)),
        digits => unsigned(digits).map(i128::from),
    }
}

/// `12`, `0xc`
pub(crate) fn unsigned(digits: &[u8]) -> Option<u64> {
    if digits.starts_with(b"0x") { hexadecimal(digits) } else { decimal(digits) }
}
