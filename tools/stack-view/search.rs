//! Search: in all names, drawn or not.

use bstr::ByteSlice;
use common::pattern::{PatternSyntax, compile_patterns};
use common::{Result, stacks::FrameId};

use crate::call_tree::CallTree;
use crate::profile::Profile;
use crate::trees::{BranchId, Shape, Tree};

/// What a query finds: frames, and weights of calls.
pub(crate) struct Hits {
    pub(crate) query: String,
    /// Which frames are found.
    frames: Vec<bool>,
    /// For each call the weight of the stacks through it in which it or a call below it is found,
    /// each stack counted once.
    below: Vec<u64>,
    /// Whether a call or one of its callers is found, up to the call from which on they count.
    reached: Vec<bool>,
}

impl Hits {
    /// Text, or a regular expression as `/re/`. Case matters only if the query has a capital
    /// letter. What it finds of calls is known after [`Hits::add_up`].
    ///
    /// # Errors
    ///
    /// A usage error that names the pattern.
    pub(crate) fn new(query: &str, profile: &Profile) -> Result<Hits> {
        let (below, reached) = (Vec::new(), Vec::new());
        Ok(Hits { query: query.to_owned(), frames: matching(query, profile)?, below, reached })
    }

    /// Adds up what is found of these calls; `top` is the call from which on they count.
    pub(crate) fn add_up(&mut self, calls: &CallTree, top: u32) {
        let all = &calls.calls;
        self.below = vec![0; all.len()];
        for (number, call) in all.iter().enumerate().skip(1).rev() {
            if self.has(call.frame) {
                self.below[number] = call.total;
            }
            self.below[call.parent as usize] += self.below[number];
        }
        self.reached = vec![false; all.len()];
        for number in calls.below(top) {
            let call = calls.call(number);
            let is_above = number != top && self.reached[call.parent as usize];
            self.reached[number as usize] = is_above || self.has(call.frame);
        }
    }

    pub(crate) fn has(&self, frame: FrameId) -> bool {
        self.frames.get(frame as usize).copied().unwrap_or(false)
    }

    /// The weight below a call that is found, each stack counted once.
    pub(crate) fn weight_below(&self, call: u32) -> u64 {
        self.below[call as usize]
    }

    /// The weight of the stacks of a branch in which it, or a branch above it, is found.
    pub(crate) fn weight_of(&self, tree: &Tree, id: BranchId, calls: &CallTree) -> u64 {
        let at = tree.branch(id).calls.iter();
        let Shape::BottomUp { is_total, .. } = tree.shape else {
            return at.map(|(call, _)| self.below[*call as usize]).sum();
        };
        let weight = |origin: u32| match is_total {
            true => calls.call(origin).total,
            false => calls.call(origin).own,
        };
        at.filter(|(call, _)| self.reached[*call as usize]).map(|(_, it)| weight(*it)).sum()
    }

    /// The weight of the stacks through these calls that have a hit above or below them.
    pub(crate) fn weight_through(&self, at: &[(u32, u32)], calls: &CallTree) -> u64 {
        let weight = |call: u32| match self.reached[call as usize] {
            true => calls.call(call).total,
            false => self.below[call as usize],
        };
        at.iter().map(|(call, _)| weight(*call)).sum()
    }
}

/// Whether each frame matches, by its number.
fn matching(query: &str, profile: &Profile) -> Result<Vec<bool>> {
    let names = (0..profile.frames.len() as FrameId).map(|frame| profile.function_name(frame));
    let pattern = query.strip_prefix('/').and_then(|rest| rest.strip_suffix('/'));
    let pattern = pattern.filter(|pattern| !pattern.is_empty());
    let is_exact = has_capital(pattern.unwrap_or(query), pattern.is_some());
    let syntax = PatternSyntax {
        ignore_case: !is_exact,
        fixed_strings: pattern.is_none(),
        ..PatternSyntax::default()
    };
    let regex = compile_patterns([pattern.unwrap_or(query).as_bytes()], syntax)?;
    Ok(names.map(|name| !name.is_empty() && regex.is_match(name)).collect())
}

/// Whether there is a capital letter; the one in `\W` of a pattern does not count.
fn has_capital(text: &str, is_pattern: bool) -> bool {
    let mut is_escaped = false;
    text.as_bytes().chars().any(|letter| {
        let counts = !(is_pattern && is_escaped);
        is_escaped = letter == '\\' && !is_escaped;
        counts && letter.is_uppercase()
    })
}
