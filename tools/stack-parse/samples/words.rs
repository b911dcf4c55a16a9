//! Values of options that are mostly words of a list.

use std::ffi::OsStr;

use clap::builder::{EnumValueParser, PossibleValue, TypedValueParser};
use clap::{Arg, Command, ValueEnum};

/// Parses the words of `T`, and first what this function knows; it returns `None` for other values.
#[derive(Clone)]
pub(super) struct WordsAnd<T>(pub(super) fn(&OsStr) -> Option<clap::error::Result<T>>);

impl<T: ValueEnum + Clone + Send + Sync + 'static> TypedValueParser for WordsAnd<T> {
    type Value = T;

    fn parse_ref(
        &self,
        command: &Command,
        arg: Option<&Arg>,
        value: &OsStr,
    ) -> clap::error::Result<T> {
        let words = EnumValueParser::new();
        (self.0)(value).unwrap_or_else(|| words.parse_ref(command, arg, value))
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        Some(Box::new(T::value_variants().iter().filter_map(ValueEnum::to_possible_value)))
    }
}
