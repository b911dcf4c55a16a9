//! Which functions changed by more than noise explains, by the rule of stack-diff.

use common::compare::{Comparison, FunctionNames, Question, Run, RunReader, Runs};
use common::pipe::Pipe;
use common::stacks::{FrameId, FrameTable};
use hashbrown::HashSet;

/// Two profiles, summed by function.
#[derive(Debug, Default)]
pub(crate) struct Sides {
    reader: RunReader,
    before: Run,
    after: Run,
}

impl Sides {
    /// Adds a stack with its weights in both profiles.
    pub(crate) fn add(&mut self, stack: &[u8], [before, after]: [u64; 2]) {
        for (weight, run) in [(before, &mut self.before), (after, &mut self.after)] {
            if weight > 0 {
                self.reader.add(stack, weight, run);
            }
        }
    }

    /// What changed; each profile counts as one recording.
    pub(crate) fn compare(mut self, question: Question, pipe: &Pipe) -> Changed {
        if let Some(samples) = pipe.header_samples_of_two() {
            for (run, samples) in [&mut self.before, &mut self.after].into_iter().zip(samples) {
                run.note_share(Some(samples), run.whole as u128);
            }
        }
        let unit = pipe.header_unit().unwrap_or_default();
        let runs = Runs::of(self.reader.functions, [vec![self.before], vec![self.after]], unit);
        let is_empty = |runs: &[Run]| runs.iter().all(|run| run.whole == 0.0);
        if is_empty(&runs.before) || is_empty(&runs.after) {
            return Changed::default();
        }
        let compared = Comparison::new(&runs, question);
        let changed = compared.functions.iter().filter(|function| function.is_real());
        let names = changed.map(|function| runs.functions.name(function.frame).to_vec());
        Changed { functions: names.collect(), whole: compared.whole.is_real }
    }
}

/// The changes that noise does not explain.
#[derive(Clone, Debug, Default)]
pub(crate) struct Changed {
    functions: HashSet<Vec<u8>>,
    /// What all stacks weigh.
    pub(crate) whole: bool,
}

impl Changed {
    /// For each frame, by its number, whether its function changed by more than noise explains.
    pub(crate) fn of_frames(&self, frames: &FrameTable) -> Vec<bool> {
        // A picture of one profile must not spend time on the names that are compared.
        if self.functions.is_empty() {
            return vec![false; frames.len()];
        }
        let function = |frame| FunctionNames::Normalized.of(frames.name(frame));
        (0..frames.len() as FrameId)
            .map(|frame| self.functions.contains(&*function(frame)))
            .collect()
    }
}
