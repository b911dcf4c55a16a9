//! Goes from one stack to the next, which mostly begins with the same frames.

use crate::functions::FunctionId;
use crate::marks::Marks;
use crate::profile::{Profile, Stack};

/// A function that calls itself, directly or through others, many times over.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Tower {
    pub(crate) function: FunctionId,
    /// The weight of the stacks that hold it at least [`TOWER`] times.
    pub(crate) weight: u64,
    /// How often a stack holds it at most.
    pub(crate) height: u32,
}

/// From so many calls of one function within each other on, recursion is worth a word.
const TOWER: u32 = 8;

/// The frames of the last stack.
pub(crate) struct Walk {
    steps: Vec<Step>,
    /// By function: how often the stack holds it.
    counts: Vec<u32>,
    /// By function: the weight of the stacks in which it is the one that is held most often, and how
    /// often at most.
    weights: Vec<u64>,
    heights: Vec<u32>,
}

/// A frame, and what it shows together with those before it.
#[derive(Clone, Copy)]
struct Step {
    function: FunctionId,
    marks: Marks,
    /// The function that is there most often.
    most: FunctionId,
    times: u32,
}

impl Walk {
    pub(crate) fn new(functions: usize) -> Walk {
        Walk {
            steps: Vec::new(),
            counts: vec![0; functions],
            weights: vec![0; functions],
            heights: vec![0; functions],
        }
    }

    /// Goes to the next stack, and returns what all its frames show together.
    pub(crate) fn to(&mut self, stack: &Stack<'_>, profile: &Profile, marks: &[Marks]) -> Marks {
        let Walk { steps, counts, .. } = self;
        for step in steps.drain(stack.shared.min(steps.len())..) {
            counts[step.function as usize] -= 1;
        }
        for &frame in &stack.frames[steps.len()..] {
            let function = profile.functions.of_frame(frame);
            let count = &mut counts[function as usize];
            *count += 1;
            let before = steps.last().copied();
            let mut step = before.unwrap_or(Step {
                function,
                marks: Marks::default(),
                most: function,
                times: 0,
            });
            if *count > step.times {
                (step.most, step.times) = (function, *count);
            }
            (step.function, step.marks) = (function, step.marks.with(marks[frame as usize]));
            steps.push(step);
        }
        steps.last().map(|step| step.marks).unwrap_or_default()
    }

    /// Adds the weight of the stack to its recursion, if it has any.
    pub(crate) fn add_to_tower(&mut self, weight: u64) {
        let Some(Step { most, times, .. }) = self.steps.last().copied() else { return };
        if times >= TOWER {
            self.weights[most as usize] += weight;
            self.heights[most as usize] = self.heights[most as usize].max(times);
        }
    }

    /// The function with the most weight in recursion.
    pub(crate) fn highest(&self) -> Option<Tower> {
        let all = self.weights.iter().zip(&self.heights).zip(0..);
        let all = all.map(|((&weight, &height), function)| Tower { function, weight, height });
        all.filter(|tower| tower.weight > 0).max_by_key(|tower| (tower.weight, tower.height))
    }
}
