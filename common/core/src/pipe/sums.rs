//! How a tool that sums equal lines reads them.

use crate::stacks::{Counting, Overflows, StackCounts};
use crate::{Result, folded::FoldedLine, pipe::Lines};

/// Which sums must fit into 64 bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Limit {
    /// The sum of each stack.
    EachStack,
    /// The sum of all stacks: for a tool that shows how much lies below a frame.
    AllStacks,
}

impl Lines<'_> {
    /// Sums the folded lines of equal texts. `text_of` returns the text of a line: its stack, or
    /// what it makes in the buffer, such as the stack with labels before it. A second thread counts
    /// while this one reads. Weight that does not fit into a sum is left out, and a message names
    /// its text, see [`leave_out`](crate::pipe::Pipe::leave_out).
    ///
    /// # Errors
    ///
    /// [`Error::Input`](crate::Error::Input), where one input is read.
    pub fn sums(
        self,
        limit: Limit,
        text_of: impl for<'b> FnMut(FoldedLine<'b>, &'b mut Vec<u8>) -> &'b [u8],
    ) -> Result<StackCounts> {
        self.sums_shown(limit, text_of, <[u8]>::to_vec)
    }

    /// Sums as [`sums`](Lines::sums) does. Messages show a text as `shown` returns it.
    ///
    /// # Errors
    ///
    /// [`Error::Input`](crate::Error::Input), where one input is read.
    pub fn sums_shown(
        self,
        limit: Limit,
        mut text_of: impl for<'b> FnMut(FoldedLine<'b>, &'b mut Vec<u8>) -> &'b [u8],
        shown: impl Fn(&[u8]) -> Vec<u8>,
    ) -> Result<StackCounts> {
        let mut buffer = Vec::new();
        let mut counting = Counting::default();
        let (mut all, mut overflows) = (0, Overflows::default());
        let Lines { pipe, .. } = self;
        Lines { pipe: &mut *pipe, ..self }.each(|line, _| {
            let text = text_of(line, &mut buffer);
            if limit == Limit::EachStack || overflows.add(&mut all, text, line.count) {
                counting.add(text, line.count);
            }
            Ok(())
        })?;
        let counts = counting.finish();
        overflows.absorb(counts.overflows());
        pipe.leave_out(&overflows.renamed(shown));
        Ok(counts)
    }
}
