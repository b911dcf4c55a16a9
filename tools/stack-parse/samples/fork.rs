//! Lets another thread sum a part of the samples, and adds its sums to those of this one.

use super::Samples;

impl Samples<'_> {
    /// Whether another thread can help: what it does with a sample must not depend on those before.
    pub(crate) fn can_fork(&self) -> bool {
        self.can_repeat() && self.events.is_chosen()
    }

    /// Empty sums of this input, for another thread.
    pub(crate) fn fork(&self) -> Samples<'static> {
        let (wants, window) = (self.wants.clone(), self.window.clone());
        let mut fork = Samples::of(wants, self.events.fork(), window);
        fork.input = self.input.clone();
        fork
    }

    /// Adds the sums of a fork.
    pub(crate) fn absorb(&mut self, mut other: Samples<'_>) {
        self.facts.absorb(other.facts);
        self.sums.absorb(other.sums, &mut self.events, &mut other.events);
    }
}
