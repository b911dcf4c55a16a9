//! What is below the functions that match a pattern.

use common::stacks::{FrameId, SortedStacks, StackCounts};
use common::{Result, folded::StackBuf, io::Screen, numbers::share};

use crate::asked::Pattern;
use crate::profile::{Profile, Under};

impl Profile {
    /// The stacks from the outermost frame on that matches. Stacks without such a frame are left
    /// out.
    ///
    /// # Errors
    ///
    /// Those of [`Profile::new`].
    pub(crate) fn below(self, pattern: &Pattern) -> Result<Profile> {
        let under = Under { pattern: pattern.text.clone(), all: self.total };
        let below = cut(&self.stacks, &pattern.matches(self.stacks.frames()));
        let below = Profile::new(below, None, self.unit_name)?;
        Ok(Profile { under: Some(under), trust: self.trust, ..below })
    }
}

/// Cuts stacks to what starts at a frame for which `is_root` is true.
fn cut(stacks: &SortedStacks, is_root: &[bool]) -> SortedStacks {
    let (mut counts, mut text) = (StackCounts::default(), StackBuf::default());
    for stack in stacks.iter().filter(|stack| stack.weight > 0) {
        let is_root = |&frame: &FrameId| is_root[frame as usize];
        let Some(root) = stack.frames.iter().position(is_root) else { continue };
        text.set(stack.frames[root..].iter().map(|&frame| stacks.frames().name(frame)));
        counts.add(text.as_bytes(), stack.weight);
    }
    counts.into_sorted()
}

impl Under {
    /// `Map.add: 250 of 1,000 samples (25.00%)`; `root` is the function, if only one matches.
    pub(crate) fn head(&self, profile: &Profile, root: Option<FrameId>, screen: &Screen) -> String {
        let Profile { unit, total, .. } = profile;
        let (below, all) = (unit.number(*total), unit.words(self.all));
        let rest = format!(": {below} of {all} ({})\n", share(*total, self.all));
        let several = || [b"functions that match ", &self.pattern[..]].concat();
        let name = root.map_or_else(several, |root| profile.name(root).to_vec());
        // The end of the line is not part of the width.
        [screen.name(&name, rest.chars().count() - 1), rest].concat()
    }
}
