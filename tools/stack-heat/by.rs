//! What a row of the map stands for: a value of a label, or of a column of a table.

use std::str::FromStr;

/// The label, or the column of a table, that has a row for each of its values.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct By(String);

impl FromStr for By {
    type Err = &'static str;

    /// Accepts any name: a table that stack-parse did not write may have a column with a name that
    /// no label can have.
    fn from_str(text: &str) -> Result<By, &'static str> {
        if text.is_empty() || text.contains(char::is_control) {
            return Err("expected the key of a label, or the name of a column, such as tid");
        }
        Ok(By(text.to_owned()))
    }
}

impl By {
    /// The key of the label, or the name of the column.
    pub(crate) fn key(&self) -> &str {
        &self.0
    }

    /// What a row stands for.
    pub(crate) fn singular(&self) -> String {
        let known = match self.key() {
            "comm" => "name of a thread",
            "pid" => "process",
            "tid" => "thread",
            "cpu" => "processor",
            "event" => "event",
            "cgroup" => "control group",
            other => return format!("value of {other}"),
        };
        known.to_owned()
    }

    /// Whether a row's name is a number that means little without the name of the
    /// thread.
    pub(crate) fn shows_comm(&self) -> bool {
        common::heat::shows_comm(self.key())
    }

    /// Whether the rows have an order of their own, which is that of their numbers.
    pub(crate) fn is_in_order(&self) -> bool {
        self.key() == "cpu"
    }

    /// Whether each row is an event.
    pub(crate) fn is_event(&self) -> bool {
        self.key() == "event"
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_row_has_a_noun() {
        let noun = |key: &str| key.parse::<By>().expect("a key").singular();
        assert_eq!(noun("tid"), "thread");
        assert_eq!(noun("trace id"), "value of trace id");
        assert!("".parse::<By>().is_err() && "a\tb".parse::<By>().is_err());
    }
}
