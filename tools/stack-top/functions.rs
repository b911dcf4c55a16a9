//! The functions that lines are in.

use common::Result;
use common::names::{FrameParts, printable_name};
use common::stacks::{FrameWeights, SortedStacks};
use hashbrown::{HashMap, HashSet};

use crate::by::By;

/// For each line the functions that were seen on it: several where code was inlined, or where a
/// macro or a template makes functions.
pub(crate) struct Functions {
    /// By the labels of [`By::Line`]; the heaviest function first.
    by_line: HashMap<Vec<u8>, Vec<Vec<u8>>>,
}

impl Functions {
    /// The functions of the lines in these stacks. The heavier of two functions is the one with
    /// more self weight, or else with more total weight.
    ///
    /// # Errors
    ///
    /// [`common::Error::Overflow`] when the weights do not add up in 64 bits.
    pub(crate) fn of(stacks: &SortedStacks) -> Result<Functions> {
        let weights = stacks.frame_weights()?;
        let frames = stacks.frames();
        let mut lines: HashMap<Vec<u8>, Vec<(&[u8], FrameWeights)>> = HashMap::new();
        for (frame, weights) in (0..).zip(weights).filter(|(_, weights)| weights.total > 0) {
            let frame = frames.name(frame);
            let line = By::Line.label(frame, false);
            lines.entry_ref(&*line).or_default().push((FrameParts::of(frame).name, weights));
        }
        let by_line = lines.into_iter().map(|(line, functions)| (line, heaviest_first(functions)));
        Ok(Functions { by_line: by_line.collect() })
    }

    /// The functions on a line, the heaviest first.
    pub(crate) fn on(&self, line: &[u8]) -> &[Vec<u8>] {
        self.by_line.get(line).map_or(&[], Vec::as_slice)
    }

    /// What a table for people shows for a line: `work`, or `work +2` if it is in three functions.
    pub(crate) fn summary(&self, line: &[u8]) -> String {
        match self.on(line) {
            [] => String::new(),
            [only] => printable_name(only),
            [first, others @ ..] => format!("{} +{}", printable_name(first), others.len()),
        }
    }
}

/// Each name once: a function may be there with several marks.
fn heaviest_first(mut functions: Vec<(&[u8], FrameWeights)>) -> Vec<Vec<u8>> {
    functions.sort_by_key(|(name, weights)| (weights.by_self(), *name));
    let mut seen = HashSet::new();
    let names = functions.into_iter().map(|(name, _)| name).filter(|name| seen.insert(*name));
    names.map(<[u8]>::to_vec).collect()
}
