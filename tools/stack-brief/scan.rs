//! One look at all stacks: what is charged to each function, and what the stacks show.

use common::own_code::NOT_OWN;
use common::stacks::FrameId;

use crate::functions::FunctionId;
use crate::marks::{self, Marks};
use crate::profile::Profile;
use crate::walk::{Tower, Walk};

/// A function, and what is charged to it: the stacks whose deepest frame of own code is of it.
#[derive(Clone, Debug)]
pub(crate) struct Charged {
    /// `None` for the stacks without own code.
    pub(crate) function: Option<FunctionId>,
    /// The weight by which it is ranked.
    pub(crate) rank: u64,
    /// By column.
    pub(crate) weights: Vec<u64>,
}

impl Charged {
    /// What is charged to a function, or with all that it calls: the weight of the stacks that hold it.
    pub(crate) fn of_function(
        profile: &Profile,
        function: FunctionId,
        with_calls: bool,
    ) -> Charged {
        let mut weights = vec![0; profile.columns.len()];
        for stack in profile.stacks() {
            if profile.charged_at(&stack, function, with_calls).is_some() {
                weights[stack.column] += stack.weight;
            }
        }
        Charged::new(profile, Some(function), weights)
    }

    /// What these weights by column are charged to.
    fn new(profile: &Profile, function: Option<FunctionId>, weights: Vec<u64>) -> Charged {
        let ranked = weights.iter().zip(&profile.columns).filter(|(_, it)| it.is_ranked);
        let rank = ranked.map(|(weight, _)| weight).sum();
        Charged { function, rank, weights }
    }
}

/// How the time of a column is spent; each stack counts for the first of these that it shows.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Kinds {
    pub(crate) garbage: u64,
    pub(crate) faults: u64,
    pub(crate) allocation: u64,
    pub(crate) kernel: u64,
    /// Whether it waits for a lock; beside the others.
    pub(crate) locks: u64,
}

/// So many functions are sorted: more are no rows.
const SORTED: usize = 64;

/// What all stacks show.
pub(crate) struct Scan {
    /// The heaviest by rank first; after the first [`SORTED`] in no order.
    pub(crate) functions: Vec<Charged>,
    pub(crate) not_own: Charged,
    /// By column.
    pub(crate) kinds: Vec<Kinds>,
    /// By column.
    pub(crate) tower: Option<Tower>,
    /// The ranked weight of stacks that do not begin where a thread does.
    pub(crate) rootless: u64,
    /// The ranked weight of stacks without own code, but with a frame without a name.
    pub(crate) hidden: u64,
    pub(crate) marks: Vec<Marks>,
    /// The function to which each stack is charged, in their order.
    pub(crate) charged: Vec<Option<FunctionId>>,
}

impl Scan {
    pub(crate) fn of(profile: &Profile) -> Scan {
        let columns = profile.columns.len();
        let marks = marks::of_frames(profile);
        let count = profile.functions.count();
        let mut sums = vec![0; (count + 1) * columns];
        let mut scan = Scan {
            functions: Vec::new(),
            not_own: Charged { function: None, rank: 0, weights: vec![0; columns] },
            kinds: vec![Kinds::default(); columns],
            tower: None,
            rootless: 0,
            hidden: 0,
            marks,
            charged: Vec::new(),
        };
        let mut walk = Walk::new(count);
        for stack in profile.stacks() {
            let own = profile.deepest.of_stack(stack.frames);
            let function = own.map(|at| profile.functions.of_frame(stack.frames[at]));
            scan.charged.push(function.filter(|_| stack.weight > 0));
            let row = function.map_or(count, |function| function as usize);
            sums[row * columns + stack.column] += stack.weight;
            let all = walk.to(&stack, profile, &scan.marks);
            scan.kinds[stack.column].add(all, stack.weight);
            let rank = profile.rank(&stack);
            if rank > 0 {
                scan.rootless += if scan.is_rootless(stack.frames, all) { rank } else { 0 };
                let is_hidden = own.is_none() && all.has(Marks::NAMELESS);
                scan.hidden += if is_hidden { rank } else { 0 };
                walk.add_to_tower(rank);
            }
        }
        scan.tower = walk.highest();
        scan.charge(&sums, profile);
        scan
    }

    /// Notes what is charged to each function: `sums` has the weights by column of one after the
    /// other, and last those of stacks without own code.
    fn charge(&mut self, sums: &[u64], profile: &Profile) {
        let count = profile.functions.count();
        for (number, weights) in sums.chunks(profile.columns.len()).enumerate() {
            if weights.iter().all(|weight| *weight == 0) {
                continue;
            }
            let function = (number < count).then_some(number as FunctionId);
            let charged = Charged::new(profile, function, weights.to_vec());
            match function {
                Some(_) => self.functions.push(charged),
                None => self.not_own = charged,
            }
        }
        let name = |it: &Charged| it.function.map_or(NOT_OWN, |it| profile.functions.name(it));
        let total = |it: &Charged| it.weights.iter().map(|it| u128::from(*it)).sum::<u128>();
        let order = |a: &Charged, b: &Charged| {
            let by_weight = b.rank.cmp(&a.rank).then_with(|| total(b).cmp(&total(a)));
            by_weight.then_with(|| name(a).cmp(name(b)))
        };
        let first = SORTED.min(self.functions.len());
        if first > 0 {
            self.functions.select_nth_unstable_by(first - 1, order);
            self.functions[..first].sort_unstable_by(order);
        }
    }

    /// Whether a stack lacks the frame in which its thread began. The kernel's own threads have none,
    /// and a stack that is cut says so. The root may be the name of a program.
    fn is_rootless(&self, frames: &[FrameId], all: Marks) -> bool {
        let first = frames.get(1).or(frames.first());
        let is_known = |frame: &FrameId| {
            let marks = self.marks[*frame as usize];
            marks.has(Marks::KERNEL.with(Marks::NAMELESS))
        };
        !all.has(Marks::START.with(Marks::CUT)) && !first.is_none_or(is_known)
    }
}

impl Kinds {
    fn add(&mut self, all: Marks, weight: u64) {
        let kinds = [
            (Marks::GARBAGE, &mut self.garbage),
            (Marks::FAULT, &mut self.faults),
            (Marks::ALLOCATION, &mut self.allocation),
            (Marks::KERNEL, &mut self.kernel),
        ];
        if let Some((_, sum)) = kinds.into_iter().find(|(mark, _)| all.has(*mark)) {
            *sum += weight;
        }
        self.locks += if all.has(Marks::LOCK) { weight } else { 0 };
    }
}
