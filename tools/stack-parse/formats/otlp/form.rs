//! Finds out which form the samples of a message have.
//!
//! ```text
//! today         1 stack, 2 attributes, 3 link,       4 values, 5 times
//! 1.8 and 1.9   1 stack, 2 values,     3 attributes, 4 link,   5 times
//! before        1 the first location, 2 how many locations, 3 values …
//! ```
//!
//! Attributes, values and times are lists, while a link and the old number of locations are
//! numbers. So most samples show their form. Those that do not are held until one does.

use super::batch::Stored;
use super::entry::Entry;
use super::fields::{sample, sample_before_18, sample_of_18};
use super::message::read_sample;
use crate::read::protobuf::{FieldNumber, Fields, Value};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Order {
    Today,
    Version18,
}

impl Order {
    /// The number that a field of a sample has today.
    fn today(self, field: FieldNumber) -> FieldNumber {
        match (self, field) {
            (Order::Today, field) => field,
            (Order::Version18, sample_of_18::VALUES) => sample::VALUES,
            (Order::Version18, sample_of_18::ATTRIBUTE_INDICES) => sample::ATTRIBUTE_INDICES,
            (Order::Version18, sample_of_18::LINK_INDEX) => sample::LINK_INDEX,
            (Order::Version18, field) => field,
        }
    }
}

/// The form of a message, as far as it is known.
#[derive(Default)]
pub(super) struct Form {
    order: Option<Order>,
    /// Whether the message has a form older than 1.8.
    pub(super) is_old: bool,
    undecided: Vec<Vec<u8>>,
    stored: Stored,
}

/// The most samples that are held until one shows the form.
const MOST_UNDECIDED: usize = 1000;

impl Form {
    /// Reads a sample, and those that were held until now.
    pub(super) fn read(&mut self, sample: &[u8], add: &mut impl FnMut(&Stored)) {
        if self.order.is_none() {
            self.order = self.tell(sample);
            if self.order.is_none() || self.is_old {
                self.undecided.push(sample.to_vec());
                if self.undecided.len() >= MOST_UNDECIDED {
                    self.finish(add);
                }
                return;
            }
            self.finish(add);
        }
        self.add(sample, add);
    }

    /// Reads the samples that are held, in the form that is more likely.
    pub(super) fn finish(&mut self, add: &mut impl FnMut(&Stored)) {
        let undecided = std::mem::take(&mut self.undecided);
        if undecided.is_empty() || self.is_old {
            return;
        }
        // Each time has a value, if there are values.
        let is_of_18 = |sample: &Vec<u8>| {
            let mut stored = Stored::default();
            read(sample, Order::Version18, &mut stored);
            stored.values.len() == stored.times.len()
        };
        let likely = if undecided.iter().all(is_of_18) { Order::Version18 } else { Order::Today };
        self.order.get_or_insert(likely);
        undecided.iter().for_each(|sample| self.add(sample, add));
    }

    /// The form of a sample, if it can have only one.
    fn tell(&mut self, sample: &[u8]) -> Option<Order> {
        let mut has_times = false;
        let mut has_second = false;
        for (number, value) in Fields::of(sample).map_while(Result::ok) {
            match (number, value) {
                (sample_before_18::LOCATIONS_LENGTH, Value::Number(_)) => self.is_old = true,
                (sample_of_18::VALUES, Value::Bytes(_)) => has_second = true,
                (sample::LINK_INDEX, Value::Number(_)) | (sample::VALUES, Value::Bytes(_)) => {
                    return Some(Order::Today);
                }
                (sample_of_18::ATTRIBUTE_INDICES, Value::Bytes(_))
                | (sample_of_18::LINK_INDEX, Value::Number(_)) => return Some(Order::Version18),
                (sample::TIMESTAMPS_UNIX_NANO, _) => has_times = true,
                _ => {}
            }
        }
        // Without values each time counts one: there must be times.
        (has_second && !has_times).then_some(Order::Version18)
    }

    fn add(&mut self, sample: &[u8], add: &mut impl FnMut(&Stored)) {
        read(sample, self.order.unwrap_or(Order::Today), &mut self.stored);
        add(&self.stored);
    }
}

#[inline]
fn read(sample: &[u8], order: Order, stored: &mut Stored) {
    // An entry never fails.
    let _ = read_sample(&mut Entry::new(Value::Bytes(sample)), stored, |field| order.today(field));
}
