//! The functions of own code that ran.

use common::critical::{Lengths, Slices, is_without_sample, without_waker};
use common::folded::{Frames, ThreadState as State};
use common::names::FrameParts;
use common::own_code::{Deepest, OwnCode};
use common::stacks::{FrameId, FrameTable, SortedStacks, StackCounts};
use hashbrown::{HashMap, HashSet};

/// A function, with all that it calls.
#[derive(Debug, Default)]
pub(crate) struct Function {
    pub(crate) name: Vec<u8>,
    id: FrameId,
    /// How long the path runs in it, and how long all threads do, in nanoseconds.
    pub(crate) path: u64,
    pub(crate) cpu: u64,
}

/// All functions of own code.
#[derive(Debug)]
pub(crate) struct Functions {
    all: Vec<Function>,
    /// By stack: the functions in it, leaf first, each once; `None` of a stack without a sample.
    of_stack: Vec<Option<Vec<FrameId>>>,
    /// How long all threads run in one function below another, by both.
    below: HashMap<(FrameId, FrameId), u64>,
    /// How long all threads ran, in nanoseconds.
    pub(crate) ran: u64,
}

impl Functions {
    pub(crate) fn of(slices: &Slices, path: &Lengths) -> Functions {
        let (of_stack, names) = own_of_stacks(slices);
        let name =
            |id: FrameId| Function { name: names.name(id).to_vec(), id, ..Default::default() };
        let all = (0..names.len() as FrameId).map(name).collect();
        let mut functions = Functions { all, of_stack, below: HashMap::new(), ran: 0 };
        let mut cpu = vec![0; functions.of_stack.len()];
        for slice in slices.threads.iter().flat_map(|thread| &thread.slices) {
            if slice.state() == State::Running {
                cpu[slice.stack() as usize] += slice.length();
                functions.ran += slice.length();
            }
        }
        let mut on_path = vec![0; functions.of_stack.len()];
        for ((_, state, stack), length) in path.all() {
            on_path[stack as usize] += if state == State::Running { length } else { 0 };
        }
        functions.sum(&cpu, &on_path);
        functions
    }

    /// Adds the times of stacks to those of functions.
    fn sum(&mut self, cpu: &[u64], on_path: &[u64]) {
        let Functions { all, of_stack, below, .. } = self;
        for (stack, functions) in of_stack.iter().enumerate() {
            let functions = functions.as_deref().unwrap_or_default();
            for (depth, &function) in functions.iter().enumerate() {
                let sum = &mut all[function as usize];
                (sum.cpu, sum.path) = (sum.cpu + cpu[stack], sum.path + on_path[stack]);
                for callee in &functions[..depth] {
                    *below.entry((function, *callee)).or_default() += cpu[stack];
                }
            }
        }
    }

    /// The functions but those that run nearly only while another one below them does, and that one
    /// nearly only below them: it says as much.
    pub(crate) fn without_wrappers(&self) -> impl Iterator<Item = &Function> {
        let cpu = |id: FrameId| self.all[id as usize].cpu;
        let is_same = |function: FrameId, callee: FrameId, both: u64| {
            u128::from(both) * 100 >= u128::from(cpu(function).max(cpu(callee))) * 98
        };
        let wrappers = self
            .below
            .iter()
            .filter(|((function, callee), both)| is_same(*function, *callee, **both));
        let wrappers: HashSet<FrameId> = wrappers.map(|((function, _), _)| *function).collect();
        self.all.iter().filter(move |function| !wrappers.contains(&function.id))
    }

    /// How much of the time of each stack stays if a function and what it calls were twice as fast.
    pub(crate) fn kept_if_twice_as_fast(&self, function: &Function) -> Vec<Option<f64>> {
        let kept = |functions: &Option<Vec<FrameId>>| {
            let has = functions.as_ref()?.contains(&function.id);
            Some(if has { 0.5 } else { 1.0 })
        };
        self.of_stack.iter().map(kept).collect()
    }

    /// What the time that the path runs is charged to.
    pub(crate) fn charged(slices: &Slices, path: &Lengths) -> OwnCode {
        let mut counts = StackCounts::default();
        for ((_, state, stack), length) in path.all() {
            let stack = without_waker(slices.stacks.name(stack));
            if state == State::Running && !is_without_sample(stack) {
                counts.add(stack, length);
            }
        }
        let sorted = counts.into_sorted();
        OwnCode::of(&sorted, &Deepest::of(&sorted), |frame| FrameParts::of(frame).name.to_vec())
    }
}

/// The functions of own code in each stack with which a thread ran, and their names. Frames of one
/// function may differ in their lines.
fn own_of_stacks(slices: &Slices) -> (Vec<Option<Vec<FrameId>>>, FrameTable) {
    let stack = |id: FrameId| without_waker(slices.stacks.name(id));
    let is_sampled = |id: FrameId| slices.is_run(id) && !is_without_sample(stack(id));
    let mut counts = StackCounts::default();
    slices.stack_ids().filter(|id| is_sampled(*id)).for_each(|id| counts.add(stack(id), 1));
    let sorted = counts.into_sorted();
    let (deepest, mut names) = (Deepest::of(&sorted), FrameTable::default());
    let own = slices.stack_ids().map(|id| {
        let frames = is_sampled(id).then(|| frames_of(stack(id), &sorted))?;
        let mut functions = Vec::new();
        for at in deepest.all_of_stack(&frames) {
            let name = FrameParts::of(sorted.frames().name(frames[at])).name;
            let function = names.intern(name);
            if !functions.contains(&function) {
                functions.push(function);
            }
        }
        Some(functions)
    });
    let own = own.collect();
    (own, names)
}

fn frames_of(stack: &[u8], sorted: &SortedStacks) -> Vec<FrameId> {
    Frames::new(stack).filter_map(|frame| sorted.frames().find(frame)).collect()
}
