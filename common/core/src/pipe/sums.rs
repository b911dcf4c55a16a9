//! How a tool that sums equal lines reads them.

use crate::Result;
use crate::folded::FoldedLine;
use crate::io::Files;
use crate::pipe::Pipe;
use crate::stacks::Counting;
use crate::stacks::{Overflows, StackCounts};

/// Which sums must fit into 64 bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Limit {
    /// The sum of each stack.
    EachStack,
    /// The sum of all stacks: for a tool that shows how much lies below a frame.
    AllStacks,
}

impl Pipe {
    /// Counts every folded line; malformed ones are named. A second thread counts while this one
    /// reads. Weight that does not fit into a sum is left out, and a message names its stack, see
    /// [`leave_out`](Pipe::leave_out).
    ///
    /// # Errors
    ///
    /// Those of [`for_each_folded`](Pipe::for_each_folded).
    pub fn count_folded(&mut self, files: &Files, limit: Limit) -> Result<StackCounts> {
        self.count_folded_as(files, limit, |line, _| line.stack)
    }

    /// The same, but equal texts are summed instead of equal stacks: `text_of` returns the text of
    /// a line, which may hold its labels, and may make it in the buffer.
    ///
    /// # Errors
    ///
    /// Those of [`for_each_folded`](Pipe::for_each_folded).
    pub fn count_folded_as(
        &mut self,
        files: &Files,
        limit: Limit,
        text_of: impl for<'b> FnMut(FoldedLine<'b>, &'b mut Vec<u8>) -> &'b [u8],
    ) -> Result<StackCounts> {
        self.count_folded_named(files, limit, text_of, <[u8]>::to_vec)
    }

    /// The same, where messages show such a text as `shown` returns it.
    ///
    /// # Errors
    ///
    /// Those of [`for_each_folded`](Pipe::for_each_folded).
    pub fn count_folded_named(
        &mut self,
        files: &Files,
        limit: Limit,
        mut text_of: impl for<'b> FnMut(FoldedLine<'b>, &'b mut Vec<u8>) -> &'b [u8],
        shown: impl Fn(&[u8]) -> Vec<u8>,
    ) -> Result<StackCounts> {
        let mut buffer = Vec::new();
        let mut counting = Counting::default();
        let (mut all, mut overflows) = (0, Overflows::default());
        self.for_each_folded(files, |line| {
            let text = text_of(line, &mut buffer);
            if limit == Limit::EachStack || overflows.add(&mut all, text, line.count) {
                counting.add(text, line.count);
            }
            Ok(())
        })?;
        let counts = counting.finish();
        overflows.absorb(counts.overflows());
        self.leave_out(&overflows.renamed(shown));
        Ok(counts)
    }
}
