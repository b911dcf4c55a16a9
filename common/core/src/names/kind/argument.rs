//! A kind of code as the argument of an option.

use clap::ValueEnum;
use clap::builder::PossibleValue;

use super::CodeKind;

impl CodeKind {
    /// What an option takes: one word, which a shell need not quote.
    #[must_use]
    pub fn argument(self) -> &'static str {
        match self {
            CodeKind::Own => "own",
            CodeKind::Nameless => "no-symbol",
            _ => self.word(),
        }
    }
}

impl ValueEnum for CodeKind {
    fn value_variants<'a>() -> &'a [CodeKind] {
        &[
            CodeKind::Own,
            CodeKind::Library,
            CodeKind::Runtime,
            CodeKind::Kernel,
            CodeKind::Nameless,
            CodeKind::Unknown,
            CodeKind::Waiting,
            CodeKind::Runnable,
        ]
    }

    fn to_possible_value(&self) -> Option<PossibleValue> {
        Some(PossibleValue::new(self.argument()))
    }
}
