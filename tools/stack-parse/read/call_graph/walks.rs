//! Random walks through a circle of functions, from callees to callers.

use super::inside::{Call, Inside};

/// A walk with more calls is given up.
const MOST_CALLS: usize = 300;

/// How often the chances of all functions are computed, each from those of its callers.
const PASSES: usize = 60;

/// A walk from an exit to a function by which the circle was entered.
pub(super) struct Walk {
    pub(super) exit: u32,
    /// The functions, the exit's first.
    pub(super) functions: Vec<u32>,
    /// The frames of all functions but the exit's.
    pub(super) frames: Vec<u32>,
}

/// A function that a walk must pass.
pub(super) struct Need {
    function: u32,
    /// The chance that a walk which is at a function passes it, or is there.
    chance: Vec<f64>,
}

/// Makes walks.
pub(super) struct Walker<'a> {
    inside: &'a Inside,
    random: Random,
    /// The call with which the shortest way from each function to an entry begins.
    ways_out: Vec<Option<usize>>,
    /// The walk that was at each function last.
    last: Vec<u64>,
    /// The number of this walk.
    number: u64,
    /// How often each function is in a walk that is shortened; 0 at other times.
    counts: Vec<u32>,
}

impl Walk {
    /// The function by which the circle was entered.
    pub(super) fn entry(&self) -> u32 {
        self.functions[self.functions.len() - 1]
    }

    /// What equal walks share.
    pub(super) fn key(&self) -> (u32, &[u32], &[u32]) {
        (self.exit, &self.functions, &self.frames)
    }
}

impl<'a> Walker<'a> {
    pub(super) fn new(inside: &'a Inside) -> Walker<'a> {
        let is_entry = |function: usize| inside.entries[function] > 0;
        let ways_out = inside.ways_to(is_entry);
        let (last, counts) = (vec![0; inside.callers.len()], vec![0; inside.callers.len()]);
        Walker { inside, random: Random(0x9e37_79b9_7f4a_7c15), ways_out, last, number: 0, counts }
    }

    /// What is known of walks that pass a function.
    pub(super) fn need(&self, function: usize) -> Need {
        let mut chance = vec![0.0; self.inside.callers.len()];
        chance[function] = 1.0;
        for _ in 0..PASSES {
            for at in (0..chance.len()).filter(|&at| at != function) {
                let calls = self.inside.callers[at].iter();
                let (all, passing) =
                    calls.fold((self.inside.leave[at], 0.0), |(all, passing), call| {
                        (all + call.share, passing + call.share * chance[call.function as usize])
                    });
                chance[at] = if all > 0.0 { passing / all } else { 0.0 };
            }
        }
        Need { function: function as u32, chance }
    }

    /// A walk that passes the functions which are needed, as far as the exit can reach them. It
    /// goes to callers in proportion to the shares of their calls; on the first visit, to those
    /// that are liked sooner. `None` if it becomes too long.
    pub(super) fn walk(&mut self, exit: u32, needs: &[&Need], liking: &[f64]) -> Option<Walk> {
        let mut walk = self.long_walk(exit, needs, liking)?;
        let first = self.inside.exits[exit as usize].first;
        self.shorten(&mut walk, 1 + usize::from(first.is_some()));
        Some(walk)
    }

    /// Drops the parts of a walk that lead back to the same function and have only functions that
    /// are in the rest, too: how often they repeat is not known. The first `start` functions are
    /// kept.
    fn shorten(&mut self, walk: &mut Walk, start: usize) {
        let counts = &mut self.counts;
        walk.functions.iter().for_each(|&function| counts[function as usize] += 1);
        let (functions, frames) =
            (walk.functions.split_off(start), walk.frames.split_off(start - 1));
        for (function, frame) in functions.into_iter().zip(frames) {
            walk.functions.push(function);
            walk.frames.push(frame);
            let before = walk.functions.iter().rev().skip(1).position(|it| *it == function);
            let Some(length) = before.map(|before| before + 1) else { continue };
            let keep = walk.functions.len() - length;
            if keep < start {
                continue;
            }
            let again = &walk.functions[keep..];
            again.iter().for_each(|&function| counts[function as usize] -= 1);
            if again.iter().all(|&function| counts[function as usize] > 0) {
                walk.functions.truncate(keep);
                walk.frames.truncate(keep - 1);
            } else {
                again.iter().for_each(|&function| counts[function as usize] += 1);
            }
        }
        walk.functions.iter().for_each(|&function| counts[function as usize] = 0);
    }

    fn long_walk(&mut self, exit: u32, needs: &[&Need], liking: &[f64]) -> Option<Walk> {
        self.number += 1;
        let mut walk = self.begin(exit);
        let mut needs = needs.to_vec();
        while walk.frames.len() < MOST_CALLS {
            let at = walk.entry();
            let (last, number) = (&self.last, self.number);
            needs.retain(|it| last[it.function as usize] != number && it.chance[at as usize] > 0.0);
            let calls = &self.inside.callers[at as usize];
            let random = self.random.next();
            let call = match needs.first() {
                Some(need) => choose(calls, 0.0, random, |function| need.chance[function]),
                None => {
                    let is_new = |function: usize| last[function] != number;
                    let like = |it: usize| if is_new(it) { liking[it] } else { 1.0 };
                    match choose(calls, self.inside.leave[at as usize], random, like) {
                        None if self.inside.entries[at as usize] > 0 => return Some(walk),
                        call => call.or(self.ways_out[at as usize]),
                    }
                }
            };
            // Without a way out, this is one.
            let Some(call) = call else { return Some(walk) };
            self.step(&mut walk, call);
        }
        None
    }

    /// The shortest walk from an exit that ends as `ways` do.
    pub(super) fn shortest(&mut self, exit: u32, ways: &[Option<usize>]) -> Walk {
        let mut walk = self.begin(exit);
        while let Some(call) = ways[walk.entry() as usize] {
            self.step(&mut walk, call);
        }
        walk
    }

    /// The shortest walk from an exit out of the circle.
    pub(super) fn shortest_out(&mut self, exit: u32) -> Walk {
        let ways = std::mem::take(&mut self.ways_out);
        let walk = self.shortest(exit, &ways);
        self.ways_out = ways;
        walk
    }

    fn begin(&mut self, exit: u32) -> Walk {
        let inside = &self.inside.exits[exit as usize];
        let function = inside.function;
        let mut walk = Walk { exit, functions: vec![function], frames: Vec::new() };
        self.last[function as usize] = self.number;
        if let Some(first) = inside.first {
            self.step(&mut walk, first);
        }
        walk
    }

    /// Goes to the caller of a call.
    fn step(&mut self, walk: &mut Walk, call: usize) {
        let call = self.inside.callers[walk.entry() as usize][call];
        walk.functions.push(call.function);
        walk.frames.push(call.frame);
        self.last[call.function as usize] = self.number;
    }
}

/// One of the calls, or none with the share `leave`; `random` is from 0 to 1.
fn choose(calls: &[Call], leave: f64, random: f64, like: impl Fn(usize) -> f64) -> Option<usize> {
    let share = |call: &Call| call.share * like(call.function as usize);
    let all = leave + calls.iter().map(share).sum::<f64>();
    let mut rest = random * all - leave;
    if rest < 0.0 {
        return None;
    }
    calls.iter().position(|call| {
        rest -= share(call);
        rest < 0.0
    })
}

/// Numbers that look random: Marsaglia's xorshift, with 64 bits.
struct Random(u64);

impl Random {
    /// A number from 0 to 1, without 1.
    fn next(&mut self) -> f64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as f64 / (1_u64 << 53) as f64
    }
}
