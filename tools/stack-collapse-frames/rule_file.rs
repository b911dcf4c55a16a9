//! The text of rules: a file of them, or an option's argument.
//!
//! ```text
//! # comment
//! drop ^boost::
//! below =[GC]
//! where ^caml_
//! until ^Stdlib\.
//!     caml_call_gc
//!     caml_minor_\w+
//! ```

use bstr::{BStr, ByteSlice};
use common::{Error, Flow, FrameTable, Result, clean_frame};

use crate::frame_set::{FrameSet, check_listed};
use crate::rule::{Action, Condition, Rule};

/// What a rule can do, named as in a file and as the option.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Verb {
    Drop,
    Merge,
    Below,
    Reroot,
}

impl Verb {
    pub(crate) const ALL: [(&'static str, Verb); 4] = [
        ("drop", Verb::Drop),
        ("merge", Verb::Merge),
        ("below", Verb::Below),
        ("reroot", Verb::Reroot),
    ];

    fn takes_name(self) -> bool {
        matches!(self, Verb::Merge | Verb::Below)
    }
}

/// What was expected where a line starts with another word.
const VERBS: &str = "drop RE, merge RE=NAME, below RE=NAME or reroot RE";

/// A rule as it is written.
#[derive(Debug)]
pub(crate) struct RuleText {
    /// Where, and the words, for messages.
    origin: String,
    verb: Verb,
    /// What to search for; a list instead where it is empty.
    pattern: Vec<u8>,
    name: Vec<u8>,
    /// Whole names, one of which must match.
    list: Vec<Vec<u8>>,
    with: Option<Vec<u8>>,
    orphans: usize,
    until: Option<Vec<u8>>,
}

impl RuleText {
    /// Reads `RE` or `RE=NAME`, of which the last `=` separates: a pattern may
    /// hold one, a name seldom does.
    ///
    /// # Errors
    ///
    /// A usage error that says where, and what was expected.
    pub(crate) fn parse(origin: String, verb: Verb, text: &[u8]) -> Result<RuleText> {
        let (pattern, name) = match text.rfind_byte(b'=') {
            _ if !verb.takes_name() => (text, &b""[..]),
            Some(separator) if separator + 1 < text.len() => {
                (&text[..separator], &text[separator + 1..])
            }
            _ => return Err(Error::Usage(format!("{origin}: expected RE=NAME"))),
        };
        let (pattern, name) = (pattern.to_vec(), name.to_vec());
        let (list, with, until) = (Vec::new(), None, None);
        Ok(RuleText { origin, verb, pattern, name, list, with, orphans: 0, until })
    }

    /// Makes a rule of it.
    ///
    /// # Errors
    ///
    /// A usage error that says where, and what was expected.
    pub(crate) fn compile(self, table: &mut FrameTable) -> Result<Rule> {
        let searched = |pattern: &Vec<u8>| at(&self.origin, FrameSet::searched(pattern));
        let frames = match (self.pattern.is_empty(), self.list.is_empty()) {
            (false, true) => searched(&self.pattern)?,
            (true, false) => FrameSet::listed(&self.list)?,
            (true, true) => return Err(self.expected("a pattern")),
            (false, false) => return Err(self.expected("a pattern or a list, not both")),
        };
        let mut name = Vec::new();
        clean_frame(&self.name, &mut name);
        let action = match self.verb {
            Verb::Drop => Action::Drop,
            Verb::Merge => Action::Merge(table.intern(&name)),
            Verb::Below => {
                let until = self.until.as_ref().map(searched).transpose()?;
                Action::Below { name: table.intern(&name), until }
            }
            Verb::Reroot => Action::Reroot,
        };
        let condition = match &self.with {
            Some(with) => Some(Condition { with: searched(with)?, orphans: self.orphans }),
            None => None,
        };
        let (moved, built) = (Flow::default(), Vec::new());
        Ok(Rule { origin: self.origin, action, frames, condition, moved, built })
    }

    /// Takes a line that says more about the rule, or says what was expected.
    fn refine(&mut self, word: &[u8], rest: &[u8]) -> Result<(), &'static str> {
        match word {
            b"where" | b"until" if rest.is_empty() => return Err("a pattern"),
            b"where" => self.with = Some(rest.to_vec()),
            b"until" if self.verb != Verb::Below => return Err("'until' only behind 'below'"),
            b"until" => self.until = Some(rest.to_vec()),
            b"orphans" if self.with.is_none() => return Err("'orphans' only behind 'where'"),
            b"orphans" => {
                let number = rest.to_str().ok().and_then(|number| number.parse().ok());
                self.orphans = number.ok_or("a number of frames")?;
            }
            _ => return Err(VERBS),
        }
        Ok(())
    }

    fn expected(&self, what: &str) -> Error {
        Error::Usage(format!("{}: expected {what}", self.origin))
    }
}

/// Reads a file of rules.
///
/// # Errors
///
/// A usage error that names the line and says what was expected.
pub(crate) fn parse(file: &str, text: &[u8]) -> Result<Vec<RuleText>> {
    let mut rules: Vec<RuleText> = Vec::new();
    for (line, number) in text.lines().zip(1u32..) {
        let trimmed = line.trim();
        if trimmed.is_empty() || trimmed.starts_with(b"#") {
            continue;
        }
        let (word, rest) = trimmed.split_once_str(" ").unwrap_or((trimmed, b""));
        let rest = rest.trim_start();
        let place = format!("{file}:{number}");
        let listed = line.first().is_some_and(u8::is_ascii_whitespace);
        let verb = Verb::ALL.iter().find(|(name, _)| name.as_bytes() == word);
        match (verb, rules.last_mut()) {
            (_, Some(rule)) if listed => {
                at(&place, check_listed(trimmed))?;
                rule.list.push(trimmed.to_vec());
            }
            (Some((_, verb)), _) if !listed => {
                let origin = format!("{place}: {}", BStr::new(trimmed));
                rules.push(RuleText::parse(origin, *verb, rest)?);
            }
            (_, Some(rule)) => {
                let refined = rule.refine(word, rest);
                refined.map_err(|what| Error::Usage(format!("{place}: expected {what}")))?;
            }
            (_, None) => {
                return Err(Error::Usage(format!("{place}: expected {VERBS}")));
            }
        }
    }
    Ok(rules)
}

/// Says where, before what a pattern's error says.
fn at<T>(place: &str, result: Result<T>) -> Result<T> {
    result.map_err(|error| match error {
        Error::Usage(what) => Error::Usage(format!("{place}: {what}")),
        other => other,
    })
}
