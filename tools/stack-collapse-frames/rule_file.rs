//! Reads a file of rules.
//!
//! ```text
//! # comment
//! drop ^boost::
//! preset libc-start
//! below =[GC]
//! where ^caml_
//! until ^Stdlib\.
//!     caml_call_gc
//!     caml_minor_\w+
//! ```

use bstr::ByteSlice;
use common::{Error, Result, names::printable};

use crate::frame_set::parse_listed;
use crate::presets;
use crate::rule_text::{RuleText, VERBS, Verb, at};

/// Reads the rules of a preset.
///
/// # Errors
///
/// A usage error that lists the presets if there is no such one.
pub(crate) fn preset(name: &str) -> Result<Vec<RuleText>> {
    parse(name, presets::text(name)?.as_bytes())
}

/// Reads a file of rules.
///
/// # Errors
///
/// A usage error that names the line and says what was expected.
pub(crate) fn parse(file: &str, text: &[u8]) -> Result<Vec<RuleText>> {
    let mut reader = RuleFileReader { rules: Vec::new(), last: 0, takes_list: false };
    for (line, number) in text.lines().zip(1u32..) {
        let trimmed = line.trim();
        if trimmed.is_empty() || trimmed.starts_with(b"#") {
            continue;
        }
        let place = format!("{file}:{number}");
        let listed = line.first().is_some_and(u8::is_ascii_whitespace);
        if listed { reader.list(&place, trimmed)? } else { reader.line(&place, trimmed)? }
    }
    Ok(reader.rules)
}

struct RuleFileReader {
    rules: Vec<RuleText>,
    /// The index of the first rule of the last line, which may be a whole preset.
    last: usize,
    /// Whether names of a list may follow. Not after a preset: its rules have their own lists.
    takes_list: bool,
}

impl RuleFileReader {
    /// Reads an indented line: a name of a list.
    fn list(&mut self, place: &str, name: &[u8]) -> Result<()> {
        let rule = self.rules.last_mut().filter(|_| self.takes_list);
        let rule = rule.ok_or_else(|| expected(place, VERBS))?;
        rule.list.push(at(place, parse_listed(name))?);
        Ok(())
    }

    /// Reads a line that starts a rule or refines the last one.
    fn line(&mut self, place: &str, line: &[u8]) -> Result<()> {
        let (word, rest) = line.split_once_str(" ").unwrap_or((line, b""));
        let rest = rest.trim_start();
        let verb = Verb::ALL.iter().find(|(name, _)| name.as_bytes() == word);
        if verb.is_none() && word != b"preset" {
            return self.refine(word, rest).map_err(|what| expected(place, what));
        }
        self.last = self.rules.len();
        self.takes_list = verb.is_some();
        match verb {
            Some((_, verb)) => {
                let origin = format!("{place}: {}", printable(line));
                self.rules.push(RuleText::parse(origin, *verb, rest)?);
            }
            None => self.rules.extend(at(place, preset(&rest.to_str_lossy()))?),
        }
        Ok(())
    }

    /// Refines the last rule or, if the last line was a preset, those of its rules that take
    /// `word`.
    fn refine(&mut self, word: &[u8], rest: &[u8]) -> Result<(), &'static str> {
        let mut refused = Some(VERBS);
        for rule in &mut self.rules[self.last..] {
            match rule.takes(word) {
                Ok(()) => {
                    rule.refine(word, rest)?;
                    refused = None;
                }
                Err(what) => refused = refused.and(Some(what)),
            }
        }
        refused.map_or(Ok(()), Err)
    }
}

fn expected(place: &str, what: &str) -> Error {
    Error::Usage(format!("{place}: expected {what}"))
}
