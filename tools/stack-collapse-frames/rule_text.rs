//! The text of a rule, and how a rule is made from it.

use bstr::ByteSlice;
use clap::ValueEnum;
use common::names::CodeKind;
use common::own_code::NOT_OWN;
use common::stacks::{FrameId, FrameTable};
use common::{Error, Result, folded::clean_frame, io::Total};
use regex_syntax::hir::Hir;

use crate::frame_set::FrameSet;
use crate::reroot::{Entries, Reroot, Root};
use crate::rule::{Action, Condition, Phases, Rule};

/// What a rule can do, named as in a file and as the option.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Verb {
    Drop,
    DropKind,
    Merge,
    Below,
    Reroot,
    ChargeOwn,
}

/// What `stack-parse --annotate` marks as own code.
const OWN: &[u8] = br"_\[o\](?:_\[\w\])*$";

impl Verb {
    pub(crate) const ALL: [(&'static str, Verb); 6] = [
        ("drop", Verb::Drop),
        ("drop-kind", Verb::DropKind),
        ("merge", Verb::Merge),
        ("below", Verb::Below),
        ("reroot", Verb::Reroot),
        ("charge-own", Verb::ChargeOwn),
    ];

    fn takes_name(self) -> bool {
        matches!(self, Verb::Merge | Verb::Below)
    }
}

/// What a line of a rule file may be, for messages.
pub(crate) const VERBS: &str =
    "drop RE, drop-kind KIND, merge RE=NAME, below RE=NAME, reroot RE, charge-own or preset NAME";

/// The text of a rule, parsed but not compiled.
#[derive(Debug)]
pub(crate) struct RuleText {
    /// The option or the line of the file, for messages.
    origin: String,
    verb: Verb,
    /// The pattern to search for; empty if there is a list instead.
    pattern: Vec<u8>,
    name: Vec<u8>,
    /// Whole names, one of which must match.
    pub(crate) list: Vec<Hir>,
    with: Option<Vec<u8>>,
    orphans: usize,
    until: Option<Vec<u8>>,
    /// Patterns with their names.
    phases: Vec<(Vec<u8>, Vec<u8>)>,
    root: Option<Vec<u8>>,
    entries: Option<Vec<u8>>,
    pub(crate) keep: Vec<Vec<u8>>,
}

impl RuleText {
    /// Reads `RE` or `RE=NAME`.
    ///
    /// # Errors
    ///
    /// A usage error that says where, and what was expected.
    pub(crate) fn parse(origin: String, verb: Verb, text: &[u8]) -> Result<RuleText> {
        let (pattern, name) = match pattern_and_name(text) {
            _ if verb == Verb::ChargeOwn && text.is_empty() => (OWN.to_vec(), NOT_OWN.to_vec()),
            _ if verb == Verb::ChargeOwn => {
                return Err(Error::Usage(format!("{origin}: expected no pattern")));
            }
            _ if !verb.takes_name() => (text.to_vec(), Vec::new()),
            Some(both) => both,
            None => return Err(Error::Usage(format!("{origin}: expected RE=NAME"))),
        };
        Ok(RuleText {
            origin,
            verb,
            pattern,
            name,
            list: Vec::new(),
            with: None,
            orphans: 0,
            until: None,
            phases: Vec::new(),
            root: None,
            entries: None,
            keep: Vec::new(),
        })
    }

    /// Whether the rule can be refined by a line that starts with `word`; the error
    /// says what was expected.
    pub(crate) fn takes(&self, word: &[u8]) -> Result<(), &'static str> {
        match (word, self.verb) {
            (b"orphans", _) if self.with.is_none() => Err("'orphans' only after 'where'"),
            (b"where" | b"orphans", _) => Ok(()),
            (b"until" | b"phase", Verb::Below) | (b"root" | b"entries", Verb::Reroot) => Ok(()),
            (b"until", _) => Err("'until' only after 'below'"),
            (b"phase", _) => Err("'phase' only after 'below'"),
            (b"root", _) => Err("'root' only after 'reroot'"),
            (b"entries", _) => Err("'entries' only after 'reroot'"),
            _ => Err(VERBS),
        }
    }

    /// Refines the rule by a line; the error says what was expected.
    pub(crate) fn refine(&mut self, word: &[u8], rest: &[u8]) -> Result<(), &'static str> {
        match word {
            b"orphans" => {
                let number = rest.to_str().ok().and_then(|number| number.parse().ok());
                self.orphans = number.ok_or("a number of frames")?;
            }
            b"phase" => self.phases.push(pattern_and_name(rest).ok_or("RE=NAME")?),
            b"root" if rest.is_empty() => return Err("a name"),
            b"root" => self.root = Some(rest.to_vec()),
            _ if rest.is_empty() => return Err("a pattern"),
            b"where" => self.with = Some(rest.to_vec()),
            b"until" => self.until = Some(rest.to_vec()),
            _ => self.entries = Some(rest.to_vec()),
        }
        Ok(())
    }

    /// Whether the rule learns entry points.
    pub(crate) fn learns(&self) -> bool {
        self.entries.is_some()
    }

    /// Compiles the rule.
    ///
    /// # Errors
    ///
    /// A usage error that says where, and what was expected.
    pub(crate) fn compile(self, table: &mut FrameTable) -> Result<Rule> {
        let frames = match (self.pattern.is_empty(), self.list.is_empty()) {
            (_, true) if self.verb == Verb::DropKind => FrameSet::of_kind(self.kind()?),
            (_, false) if self.verb == Verb::DropKind => return Err(self.expected("no list")),
            (false, true) => self.searched(&self.pattern)?,
            (true, false) => at(&self.origin, FrameSet::listed(&self.list))?,
            (true, true) => return Err(self.expected("a pattern")),
            (false, false) => return Err(self.expected("a pattern or a list, not both")),
        };
        let action = match self.verb {
            Verb::Drop | Verb::DropKind => Action::Drop,
            Verb::Merge => Action::Merge(intern(&self.name, table)),
            Verb::Below => self.below(table)?,
            Verb::Reroot => Action::Reroot(self.reroot(table)?),
            Verb::ChargeOwn => Action::Charge(intern(&self.name, table)),
        };
        let condition = match &self.with {
            Some(with) => Some(Condition { with: self.condition(with)?, orphans: self.orphans }),
            None => None,
        };
        let (moved, built) = (Total::default(), Vec::new());
        Ok(Rule { origin: self.origin, action, frames, condition, moved, built })
    }

    /// The kind of code that a rule names in place of a pattern.
    fn kind(&self) -> Result<CodeKind> {
        let kind = CodeKind::from_str(&self.pattern.to_str_lossy(), false);
        kind.map_err(|_| {
            let kinds = CodeKind::value_variants().iter().map(|kind| kind.argument());
            self.expected(&kinds.collect::<Vec<_>>().join(", "))
        })
    }

    fn below(&self, table: &mut FrameTable) -> Result<Action> {
        let name = intern(&self.name, table);
        let until = self.until.as_ref().map(|until| self.condition(until)).transpose()?;
        let phases = self.phases.iter().map(|(pattern, name)| {
            let frames = self.searched(pattern)?;
            Ok((frames, intern(name, table)))
        });
        Ok(Action::Below { name, phases: Phases(phases.collect::<Result<_>>()?), until })
    }

    fn reroot(&self, table: &mut FrameTable) -> Result<Reroot> {
        let root = self.root.as_ref().map(|name| Root::new(intern(name, table))).transpose()?;
        let keep = || self.keep.iter().map(|keep| self.searched(keep)).collect::<Result<_>>();
        let entries = match &self.entries {
            Some(candidates) => {
                let (candidates, keep) = (self.condition(candidates)?, keep()?);
                Some(Entries { candidates, keep, learnt: Default::default() })
            }
            None => None,
        };
        Ok(Reroot { root, entries })
    }

    fn searched(&self, pattern: &[u8]) -> Result<FrameSet> {
        at(&self.origin, FrameSet::searched(pattern))
    }

    /// The frames that show what kind of stack this is.
    fn condition(&self, pattern: &[u8]) -> Result<FrameSet> {
        at(&self.origin, FrameSet::searched_without_suffixes(pattern))
    }

    fn expected(&self, what: &str) -> Error {
        Error::Usage(format!("{}: expected {what}", self.origin))
    }
}

/// Reads `RE=NAME`. The last `=` separates, since a `=` is more likely in a
/// pattern than in a name.
fn pattern_and_name(text: &[u8]) -> Option<(Vec<u8>, Vec<u8>)> {
    let separator = text.rfind_byte(b'=').filter(|separator| separator + 1 < text.len())?;
    Some((text[..separator].to_vec(), text[separator + 1..].to_vec()))
}

fn intern(name: &[u8], table: &mut FrameTable) -> FrameId {
    let mut clean = Vec::new();
    clean_frame(name, &mut clean);
    table.intern(&clean)
}

/// Puts `place`, an option or a line of a file, before the text of a usage error.
pub(crate) fn at<T>(place: &str, result: Result<T>) -> Result<T> {
    result.map_err(|error| match error {
        Error::Usage(what) => Error::Usage(format!("{place}: {what}")),
        other => other,
    })
}
