//! How a tool reads lines with two counts.

use std::ops::ControlFlow;

use crate::Result;
use crate::folded::{FoldedPair, lacks_frames};
use crate::io::{Files, Total};
use crate::pipe::Pipe;

impl Pipe {
    /// Calls `each` with every line that has two counts; others are named.
    ///
    /// # Errors
    ///
    /// What `each` returns.
    pub fn for_each_pair(
        &mut self,
        files: &Files,
        mut each: impl FnMut(FoldedPair<'_>) -> Result<()>,
    ) -> Result<()> {
        self.for_each_input(files, |input, pipe| {
            let (mut header, mut cleaned) = (Vec::new(), Vec::new());
            let read = pipe.for_each_line(input, |line, pipe| {
                match FoldedPair::parse(line.text) {
                    _ if line.is_comment() => header.extend(line.header()),
                    Ok(pair) => {
                        let weight = u128::from(pair.before) + u128::from(pair.after);
                        let total = Total { lines: 1, weight };
                        pipe.stats.read += total;
                        if lacks_frames(line.text, pair.labels, pair.stack) {
                            pipe.count_without_frames(total);
                        }
                        let stack = line.clean(pair.stack, &mut cleaned);
                        each(FoldedPair { stack, ..pair })?;
                    }
                    Err(why) => pipe.malformed_line(&line, why),
                }
                Ok(ControlFlow::Continue(()))
            });
            pipe.headers.add(header, 0);
            read
        })
    }
}
