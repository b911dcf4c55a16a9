//! The functions that the user asks for, by patterns.

use std::ffi::OsString;

use clap::Args;
use common::pattern::{PatternArgs, compile_patterns};
use common::stacks::{FrameId, FrameTable};
use common::{Result, names::printable};
use regex_automata::meta::Regex;

/// Which functions are asked for, and what about them; patterns are those of stack-grep.
#[derive(Args)]
pub(crate) struct Asked {
    /// Show who calls the functions that match, and how much each
    #[arg(long, value_name = "PATTERN", allow_hyphen_values = true)]
    callers: Option<OsString>,

    /// Show what the functions that match call, and how much each, and their own weight
    #[arg(long, value_name = "PATTERN", allow_hyphen_values = true)]
    callees: Option<OsString>,

    /// With --tree, start at the outermost function of each stack that matches
    // Conflicts are named again: clap does not require what conflicts with a given option.
    #[arg(
        long,
        value_name = "PATTERN",
        allow_hyphen_values = true,
        requires = "tree",
        conflicts_with_all = ["callers", "callees", "split", "draw", "tsv"]
    )]
    under: Option<OsString>,

    #[command(flatten)]
    syntax: PatternArgs,
}

/// The patterns that were given.
pub(crate) struct Patterns {
    pub(crate) callers: Option<Pattern>,
    pub(crate) callees: Option<Pattern>,
    pub(crate) under: Option<Pattern>,
}

/// A pattern for the names of functions.
pub(crate) struct Pattern {
    option: &'static str,
    /// As the user wrote it.
    pub(crate) text: Vec<u8>,
    regex: Regex,
}

impl Asked {
    /// # Errors
    ///
    /// A usage error that names the pattern.
    pub(crate) fn patterns(&self) -> Result<Patterns> {
        let compile = |option, pattern: &Option<OsString>| {
            let pattern = pattern.as_ref().map(|it| it.as_encoded_bytes());
            pattern.map(|pattern| self.compile(option, pattern)).transpose()
        };
        Ok(Patterns {
            callers: compile("--callers", &self.callers)?,
            callees: compile("--callees", &self.callees)?,
            under: compile("--under", &self.under)?,
        })
    }

    fn compile(&self, option: &'static str, pattern: &[u8]) -> Result<Pattern> {
        let regex = compile_patterns([pattern], self.syntax.syntax())?;
        Ok(Pattern { option, text: pattern.to_vec(), regex })
    }
}

impl Patterns {
    /// A message for each pattern that matches no function, given whether those of
    /// `--callers`, `--callees` and `--under` do.
    pub(crate) fn unmatched(&self, are_found: [bool; 3]) -> Vec<String> {
        let patterns = [&self.callers, &self.callees, &self.under];
        let unmatched = patterns.into_iter().zip(are_found).filter(|(_, is_found)| !is_found);
        let message = |Pattern { option, text, .. }: &Pattern| {
            format!("{option} {}: no function matches", printable(text))
        };
        unmatched.filter_map(|(pattern, _)| pattern.as_ref().map(message)).collect()
    }
}

impl Pattern {
    /// Whether each frame matches, by its number.
    pub(crate) fn matches(&self, frames: &FrameTable) -> Vec<bool> {
        let is_match = |frame| self.regex.is_match(frames.name(frame));
        (0..frames.len() as FrameId).map(is_match).collect()
    }
}
