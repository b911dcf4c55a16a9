//! The values of elements with an `id`.

/// Values by the ids of their elements; ids increase throughout an export.
#[derive(Debug)]
pub(super) struct ById<T> {
    ids: Vec<u64>,
    values: Vec<T>,
}

impl<T> Default for ById<T> {
    fn default() -> Self {
        ById { ids: Vec::new(), values: Vec::new() }
    }
}

impl<T: Clone> ById<T> {
    /// Adds the value of an element, if that has an id.
    pub(super) fn keep(&mut self, id: Option<u64>, value: &T) {
        if let Some(id) = id {
            self.insert(id, value.clone());
        }
    }

    /// Adds a value, unless the id has one already.
    pub(super) fn insert(&mut self, id: u64, value: T) {
        if self.ids.last().is_none_or(|&last| last < id) {
            self.ids.push(id);
            self.values.push(value);
        } else if let Err(place) = self.ids.binary_search(&id) {
            self.ids.insert(place, id);
            self.values.insert(place, value);
        }
    }

    pub(super) fn get(&self, id: u64) -> Option<&T> {
        let place = self.ids.binary_search(&id).ok()?;
        Some(&self.values[place])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_found_in_any_order_of_ids() {
        let mut values = ById::default();
        for id in [1, 5, 3, 9, 5] {
            values.insert(id, id * 10);
        }
        for (id, value) in [(1, Some(10)), (3, Some(30)), (5, Some(50)), (9, Some(90)), (4, None)] {
            assert_eq!(values.get(id).copied(), value, "{id}");
        }
    }
}
