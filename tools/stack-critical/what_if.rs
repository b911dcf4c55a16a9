//! What the user asks to be faster: `--what-if PATTERN=FACTOR`.

use std::ffi::{OsStr, OsString};

use common::critical::{Slices, is_without_sample, without_waker};
use common::folded::{Frames, StackBuf};
use common::names::FrameParts;
use common::pattern::{PatternSyntax, compile_patterns};
use common::{Error, Result};
use regex_automata::meta::Regex;

use crate::replay::Kept;

/// Code that is to be so many times faster.
#[derive(Debug)]
pub(crate) struct WhatIf {
    pattern: Regex,
    factor: f64,
}

impl WhatIf {
    /// Parses `PATTERN=FACTOR`.
    ///
    /// # Errors
    ///
    /// [`Error::Usage`] if it is none.
    pub(crate) fn parse(text: &OsString) -> Result<WhatIf> {
        let shown = text.to_string_lossy();
        let wrong = || {
            Error::Usage(format!(
                "--what-if '{shown}': expected PATTERN=FACTOR, such as 'parse=2' for twice as fast"
            ))
        };
        let bytes = OsStr::as_encoded_bytes(text);
        let at = bytes.iter().rposition(|byte| *byte == b'=').ok_or_else(wrong)?;
        let factor = std::str::from_utf8(&bytes[at + 1..]).ok().and_then(|it| it.parse().ok());
        let factor = factor.filter(|factor: &f64| factor.is_finite() && *factor > 0.0);
        let factor = factor.filter(|_| at > 0).ok_or_else(wrong)?;
        let pattern = compile_patterns([&bytes[..at]], PatternSyntax::default())?;
        Ok(WhatIf { pattern, factor })
    }
}

/// How much of the time of running stays; and which of these match nothing that ran.
pub(crate) fn kept(slices: &Slices, what_if: &[WhatIf]) -> (Kept, Vec<usize>) {
    let mut unmatched: Vec<usize> = (0..what_if.len()).collect();
    let mut names = StackBuf::default();
    let of_stack = slices.stack_ids().map(|stack| {
        let stack = without_waker(slices.stacks.name(stack));
        if is_without_sample(stack) {
            return None;
        }
        names.set(Frames::new(stack).map(|frame| FrameParts::of(frame).name));
        let mut kept = 1.0;
        for (at, WhatIf { pattern, factor }) in what_if.iter().enumerate() {
            if pattern.is_match(names.as_bytes()) {
                kept /= factor;
                unmatched.retain(|other| *other != at);
            }
        }
        Some(kept)
    });
    let of_stack = of_stack.collect();
    (Kept::new(slices, of_stack), unmatched)
}
