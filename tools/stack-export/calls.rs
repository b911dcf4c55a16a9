//! The call graph: what functions weigh, and who calls whom.

use std::collections::BTreeMap;

use common::FrameId;

use crate::event::ExportedEvent;
use crate::profile::Profile;

/// What functions weigh themselves and together with what they call, and their calls.
pub(crate) struct Calls {
    pub(crate) functions: BTreeMap<FrameId, Weights>,
    /// By caller and callee. A call by which a function that runs already is entered again has
    /// no weight: so the calls of a function weigh what it weighs in total, less what begins
    /// with it.
    pub(crate) calls: BTreeMap<(FrameId, FrameId), u64>,
    /// The functions with which stacks begin, and the weight of those stacks.
    pub(crate) roots: BTreeMap<FrameId, u64>,
}

#[derive(Clone, Copy, Default)]
pub(crate) struct Weights {
    /// The weight of the stacks that end in the function.
    pub(crate) self_weight: u64,
    /// The weight of the stacks that hold the function.
    pub(crate) total: u64,
}

impl Calls {
    pub(crate) fn of(profile: &Profile, event: &ExportedEvent) -> Calls {
        let (functions, calls, roots) = Default::default();
        let mut graph = Calls { functions, calls, roots };
        // The number of the last stack that held each frame, counted from 1.
        let mut last = vec![0u64; profile.frames().len()];
        for (stack, number) in profile.stacks_of(event).zip(1..) {
            let mut caller = None;
            for &frame in stack.frames {
                let held = &mut last[profile.place(frame) as usize];
                let is_new = std::mem::replace(held, number) != number;
                let weight = if is_new { stack.weight } else { 0 };
                graph.functions.entry(frame).or_default().total += weight;
                let call = match caller.replace(frame) {
                    Some(caller) => graph.calls.entry((caller, frame)).or_default(),
                    None => graph.roots.entry(frame).or_default(),
                };
                *call += weight;
            }
            if let Some(leaf) = caller {
                graph.functions.entry(leaf).or_default().self_weight += stack.weight;
            }
        }
        graph
    }

    /// The calls that a function makes: whom, and what they weigh.
    pub(crate) fn of_caller(&self, caller: FrameId) -> impl Iterator<Item = (FrameId, u64)> {
        let calls = self.calls.range((caller, 0)..=(caller, FrameId::MAX));
        calls.map(|(&(_, callee), &weight)| (callee, weight))
    }
}
