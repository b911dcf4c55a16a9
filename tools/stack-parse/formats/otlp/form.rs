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
use crate::read::bytes::Bytes;
use crate::read::protobuf::{Fields, Value};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Order {
    Today,
    Version18,
}

/// The form of a message, as far as it is known.
#[derive(Default)]
pub(super) struct Form {
    order: Option<Order>,
    is_old: bool,
    undecided: Vec<Vec<u8>>,
    stored: Stored,
}

/// The most samples that are held until one shows the form.
const MOST_UNDECIDED: usize = 1000;

impl Form {
    /// Sets that the message has a form older than 1.8.
    pub(super) fn set_old(&mut self) {
        self.is_old = true;
    }

    pub(super) fn is_old(&self) -> bool {
        self.is_old
    }

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
            self.finish(&mut *add);
        }
        self.add(sample, add);
    }

    /// Reads the samples that are held, in the form that is more likely.
    pub(super) fn finish(&mut self, mut add: impl FnMut(&Stored)) {
        let undecided = std::mem::take(&mut self.undecided);
        if undecided.is_empty() || self.is_old {
            return;
        }
        // Each time has a value, if there are values.
        let is_of_18 = |sample: &Vec<u8>| {
            let lists = [2, 5].map(|number| list(sample, number).len());
            lists[0] == lists[1]
        };
        let likely = if undecided.iter().all(is_of_18) { Order::Version18 } else { Order::Today };
        self.order.get_or_insert(likely);
        undecided.iter().for_each(|sample| self.add(sample, &mut add));
    }

    /// The form of a sample, if it can have only one.
    fn tell(&mut self, sample: &[u8]) -> Option<Order> {
        let mut has_times = false;
        let mut has_second = false;
        for (number, value) in Fields::of(sample).map_while(Result::ok) {
            match (number, value) {
                (2, Value::Number(_)) => self.is_old = true,
                (2, Value::Bytes(_)) => has_second = true,
                (3, Value::Number(_)) | (4, Value::Bytes(_)) => return Some(Order::Today),
                (3, Value::Bytes(_)) | (4, Value::Number(_)) => return Some(Order::Version18),
                (5, _) => has_times = true,
                _ => {}
            }
        }
        // Without values each time counts one: there must be times.
        (has_second && !has_times).then_some(Order::Version18)
    }

    fn add(&mut self, sample: &[u8], add: &mut impl FnMut(&Stored)) {
        let Form { order, stored, .. } = self;
        stored.clear();
        for (number, value) in Fields::of(sample).map_while(Result::ok) {
            let is_today = *order != Some(Order::Version18);
            // A damaged field keeps the numbers before the damage.
            let _ = match (number, is_today) {
                (1, _) => {
                    stored.stack = value.number();
                    Ok(())
                }
                (4, true) | (2, false) => value.append_numbers(&mut stored.values),
                (2, true) | (3, false) => value.append_numbers(&mut stored.attributes),
                (3, true) | (4, false) => {
                    stored.link = value.number();
                    Ok(())
                }
                (5, _) => {
                    stored.times.extend(times(value));
                    Ok(())
                }
                _ => Ok(()),
            };
        }
        add(stored);
    }
}

/// The list in a field of a sample; numbers have a variable length, times do not.
fn list(sample: &[u8], wanted: u64) -> Vec<u64> {
    let mut list = Vec::new();
    for (number, value) in Fields::of(sample).map_while(Result::ok) {
        if number == wanted && number == 5 {
            list.extend(times(value));
        } else if number == wanted && value.append_numbers(&mut list).is_err() {
            break;
        }
    }
    list
}

/// Times of eight bytes: one, or several in a list.
fn times(value: Value<'_>) -> impl Iterator<Item = u64> {
    let (one, mut all) = match value {
        Value::Number(time) => (Some(time), Bytes(b"")),
        Value::Bytes(times) => (None, Bytes(times)),
    };
    one.into_iter().chain(std::iter::from_fn(move || all.u64().ok()))
}
