//! The call graph: what functions weigh, and who calls whom from which line.

use std::collections::BTreeMap;

use common::stacks::FrameWeights;

use crate::event::ExportedEvent;
use crate::functions::Functions;
use crate::profile::Profile;

/// A function, by its index in [`Functions::list`].
pub(crate) type FunctionId = u32;

/// What functions weigh by themselves and together with what they call, and their calls.
#[derive(Default)]
pub(crate) struct Calls {
    pub(crate) functions: BTreeMap<FunctionId, FrameWeights>,
    /// What each line weighs itself, by function and line.
    lines: BTreeMap<(FunctionId, u32), u64>,
    /// The weights of calls, by caller, callee and the line of the caller. A recursive call has no
    /// weight: so the calls to a function add up to its total, less the weight of the stacks that
    /// begin with it.
    calls: BTreeMap<(FunctionId, FunctionId, u32), u64>,
    /// The functions with which stacks begin, and the weight of those stacks.
    pub(crate) roots: BTreeMap<FunctionId, u64>,
}

impl Calls {
    pub(crate) fn of(profile: &Profile, event: &ExportedEvent, functions: &Functions<'_>) -> Calls {
        let mut graph = Calls::default();
        // The number of the last stack that held each function, counted from 1.
        let mut last = vec![0u64; functions.list.len()];
        for (stack, number) in profile.stacks_of(event).zip(1..) {
            let mut caller = None;
            for &frame in stack.frames {
                let site = functions.site(profile, frame);
                let function = site.function;
                let held = &mut last[function as usize];
                let is_new = std::mem::replace(held, number) != number;
                let weight = if is_new { stack.weight } else { 0 };
                graph.functions.entry(function).or_default().total += weight;
                let call = match caller.replace((function, site.line)) {
                    Some((caller, line)) => {
                        graph.calls.entry((caller, function, line)).or_default()
                    }
                    None => graph.roots.entry(function).or_default(),
                };
                *call += weight;
            }
            if let Some((leaf, line)) = caller {
                graph.functions.entry(leaf).or_default().self_weight += stack.weight;
                *graph.lines.entry((leaf, line)).or_default() += stack.weight;
            }
        }
        graph
    }

    /// The lines of a function that weigh something themselves.
    pub(crate) fn lines_of(&self, function: FunctionId) -> impl Iterator<Item = (u32, u64)> {
        let lines = self.lines.range((function, 0)..=(function, u32::MAX));
        lines.map(|(&(_, line), &weight)| (line, weight))
    }

    /// The calls that a function makes: whom, from which line, and what they weigh.
    pub(crate) fn of_caller(
        &self,
        caller: FunctionId,
    ) -> impl Iterator<Item = (FunctionId, u32, u64)> {
        let calls = self.calls.range((caller, 0, 0)..=(caller, FunctionId::MAX, u32::MAX));
        calls.map(|(&(_, callee, line), &weight)| (callee, line, weight))
    }

    /// All calls, summed over lines: caller, callee, and what they weigh.
    pub(crate) fn by_functions(&self) -> BTreeMap<(FunctionId, FunctionId), u64> {
        let mut calls = BTreeMap::new();
        for (&(caller, callee, _), &weight) in &self.calls {
            *calls.entry((caller, callee)).or_default() += weight;
        }
        calls
    }
}
