//! Counts that charge each stack to its deepest frame of own code.

use common::folded::StackBuf;
use common::names::{FrameParts, file_and_line};
use common::own_code::{Charged, Deepest, OwnCode};
use common::pipe::{Limit, Pipe};
use common::{Result, io::Files};

use crate::count::{By, Counts, Part, part_key};

/// What own code is charged with, by the parts that are listed.
pub(crate) struct Own(OwnCode);

impl Own {
    /// What is charged to a part.
    pub(crate) fn of(&self, part: &Part) -> Option<&Charged> {
        self.0.rows.get(&part_key(&part.function, &part.path))
    }

    /// What to say where no frame is known to be own code.
    pub(crate) fn hint(&self) -> Option<&'static str> {
        self.0.hint()
    }
}

/// Reads all stacks, which together show what is own code; returns them counted, what they weigh,
/// and what is charged to whom.
pub(crate) fn count(by: By, files: &Files, pipe: &mut Pipe) -> Result<(Counts, u64, Own)> {
    let stacks = pipe.lines(files).sums(Limit::AllStacks, |line, _| line.stack)?.into_sorted();
    let deepest = Deepest::of(&stacks);
    let (mut counts, mut text, mut all) = (Counts::new(by), StackBuf::default(), 0);
    for stack in stacks.iter().filter(|stack| stack.weight > 0) {
        text.set(stack.frames.iter().map(|&frame| stacks.frames().name(frame)));
        counts.add_charged(text.as_bytes(), stack.weight, deepest.of_stack(stack.frames));
        all += stack.weight;
    }
    let label = |frame: &[u8]| {
        let FrameParts { name, place, .. } = FrameParts::of(frame);
        part_key(if by == By::Function { name } else { b"" }, file_and_line(place).0)
    };
    Ok((counts, all, Own(OwnCode::of(&stacks, &deepest, label))))
}
