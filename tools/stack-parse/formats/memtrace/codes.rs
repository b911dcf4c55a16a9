//! Location codes and their frames.

use std::collections::HashMap;

use common::stacks::FrameId;

use crate::read::stacks::FrameNames;
use crate::samples::Samples;

/// The number of a distinct location code, counted from 0.
pub(super) type CodeId = u32;

/// All location codes of a trace: addresses in the program, mostly.
#[derive(Debug)]
pub(super) struct Codes {
    ids: HashMap<u64, CodeId>,
    codes: Vec<Code>,
}

#[derive(Debug)]
struct Code {
    code: u64,
    /// Root first; empty until they are defined or needed.
    frames: Vec<FrameId>,
    /// Its index in the names of held stacks, if it has one.
    number: Option<u32>,
}

impl Codes {
    /// The number of code 0, with which the writer's cache starts.
    pub(super) const ZERO: CodeId = 0;

    pub(super) fn new() -> Codes {
        let mut codes = Codes { ids: HashMap::new(), codes: Vec::new() };
        codes.id(0);
        codes
    }

    /// The number of `code`, a new one if it was never seen.
    pub(super) fn id(&mut self, code: u64) -> CodeId {
        let Codes { ids, codes } = self;
        *ids.entry(code).or_insert_with(|| {
            codes.push(Code { code, frames: Vec::new(), number: None });
            codes.len() as CodeId - 1
        })
    }

    pub(super) fn code(&self, id: CodeId) -> u64 {
        self.codes[id as usize].code
    }

    /// Sets the frames of a code, which are the same in all domains.
    pub(super) fn define(&mut self, id: CodeId, frames: Vec<FrameId>) {
        let known = &mut self.codes[id as usize];
        (known.frames, known.number) = (frames, None);
    }

    /// The frames of a code, root first; without a location, as between C and OCaml, the code
    /// itself: `[0x2b2101cf22bc]`.
    #[inline]
    pub(super) fn needed_frames(&mut self, id: CodeId, samples: &mut Samples<'_>) -> &[FrameId] {
        let Code { code, frames, .. } = &mut self.codes[id as usize];
        if frames.is_empty() {
            frames.push(samples.frame(format!("[{code:#x}]").as_bytes()));
        }
        frames
    }

    /// The number of a code in `names`, which is added if it is new.
    pub(super) fn number_in(
        &mut self,
        names: &mut FrameNames,
        id: CodeId,
        samples: &mut Samples<'_>,
    ) -> u32 {
        if let Some(number) = self.codes[id as usize].number {
            return number;
        }
        let number = names.len() as u32;
        names.push_named(self.needed_frames(id, samples), b"", samples);
        self.codes[id as usize].number = Some(number);
        number
    }

    /// The frames of a code that were needed before.
    pub(super) fn frames(&self, id: CodeId) -> &[FrameId] {
        &self.codes[id as usize].frames
    }
}
