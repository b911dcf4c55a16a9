//! The costs of functions: their own, and those of their calls.

use common::{Result, numbers::hexadecimal};
use hashbrown::HashMap;

use super::names::{Name, Names};
use crate::frame::Frame;
use crate::read::call_graph::{self, Caller, Own};
use crate::read::source::Place;
use crate::read::stacks::FrameNames;
use crate::samples::Samples;
use crate::samples::sample::{Sample, known};

/// A function. Functions in different files may have the same name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Function {
    pub(super) object: Name,
    pub(super) file: Name,
    pub(super) name: Name,
}

/// A line of a function, or all of it if `line` is 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Site {
    /// The number of the function.
    pub(super) function: u32,
    /// The file of this line: for inlined code, another one than the function's.
    pub(super) file: Name,
    pub(super) line: u64,
}

/// The calls of a thread.
pub(super) struct Thread {
    pub(super) pid: Vec<u8>,
    pub(super) tid: Vec<u8>,
    /// The own cost of each site, by its number.
    own: HashMap<u32, i128>,
    /// The cost of each call, by the site and the function that it calls.
    calls: HashMap<(u32, u32), i128>,
}

/// All functions of a file, by number.
#[derive(Default)]
pub(super) struct Functions {
    functions: Vec<Function>,
    by_function: HashMap<Function, u32>,
    sites: Vec<Site>,
    by_site: HashMap<Site, u32>,
}

/// The names of objects, files and functions.
#[derive(Default)]
pub(super) struct AllNames {
    pub(super) objects: Names,
    pub(super) files: Names,
    pub(super) functions: Names,
}

impl Thread {
    pub(super) fn new(pid: Vec<u8>, tid: Vec<u8>) -> Thread {
        Thread { pid, tid, own: HashMap::new(), calls: HashMap::new() }
    }

    /// Adds to the own cost of a site; false if the sum does not fit into 64 bits.
    pub(super) fn add_own(&mut self, site: u32, cost: i128) -> bool {
        add(self.own.entry(site).or_default(), cost)
    }

    /// Adds to the cost of a call; false if the sum does not fit into 64 bits.
    pub(super) fn add_call(&mut self, site: u32, function: u32, cost: i128) -> bool {
        add(self.calls.entry((site, function)).or_default(), cost)
    }

    pub(super) fn has_calls(&self) -> bool {
        !self.calls.is_empty()
    }

    /// Adds the stacks of this thread. `weights` has the totals of the measures that are not split
    /// by stack, and 0 for the wanted one, at index `place`. Returns the sum of the costs that are
    /// left out because they are below 0.
    pub(super) fn add(
        &self,
        comm: &[u8],
        functions: &Functions,
        (weights, place): (&[u64], usize),
        names: &FrameNames,
        samples: &mut Samples<'_>,
    ) -> Result<i128> {
        let own = sorted(&self.own);
        let mut graph = call_graph::Graph::default();
        let mut owns_of = vec![0.0; functions.functions.len()];
        for &(site, cost) in &own {
            owns_of[functions.sites[site as usize].function as usize] += cost.max(0) as f64;
        }
        for (function, own) in (0..).zip(owns_of) {
            graph.set_function(function, own, None);
        }
        for ((site, callee), cost) in sorted(&self.calls) {
            let function = functions.sites[site as usize].function;
            let time = cost.max(0) as f64;
            graph.add_call(callee, Caller { function, frame: site, own: 0.0, time });
        }
        let owns = own.iter().filter_map(|&(frame, cost)| {
            let function = functions.sites[frame as usize].function;
            let weight = u64::try_from(cost).ok()?;
            Some(Own { function, frame, weight })
        });
        let owns: Vec<Own> = owns.collect();
        let (pid, tid) = (known(&self.pid), known(&self.tid));
        let origin = Sample { comm, pid, tid, weights, ..Sample::default() };
        graph.add(&owns, (&origin, place), names, samples)?;
        Ok(own.iter().map(|&(_, cost)| cost.min(0)).sum())
    }
}

impl Functions {
    pub(super) fn number(&mut self, function: Function) -> u32 {
        let Functions { functions, by_function, .. } = self;
        *by_function.entry(function).or_insert_with(|| {
            functions.push(function);
            (functions.len() - 1) as u32
        })
    }

    pub(super) fn site(&mut self, site: Site) -> u32 {
        let Functions { sites, by_site, .. } = self;
        *by_site.entry(site).or_insert_with(|| {
            sites.push(site);
            (sites.len() - 1) as u32
        })
    }

    /// The frames of all sites, in the order of their numbers.
    pub(super) fn frames(&self, names: &AllNames, samples: &mut Samples<'_>) -> FrameNames {
        let mut frames = FrameNames::default();
        for site in &self.sites {
            let Function { object, name, .. } = self.functions[site.function as usize];
            let line = Some(site.line).filter(|line| *line > 0);
            let mut place = Place::new(names.files.text(site.file), line);
            let object = names.objects.text(object);
            let name = names.functions.text(name);
            frames.push(&Frame { source: place.text(), ..frame(name, object) }, samples);
        }
        frames
    }
}

/// A function without a symbol has its address as its name, `0x0000000000001050`: the address in
/// its object or, without an object, in memory.
fn frame<'a>(name: &'a [u8], object: &'a [u8]) -> Frame<'a> {
    let address = name.starts_with(b"0x").then(|| hexadecimal(name)).flatten();
    let name = if address.is_some() { b"" } else { name };
    let offset = address.filter(|_| !object.is_empty());
    Frame { name, object, address, offset, ..Frame::default() }
}

/// The sums in the order of their keys, so that equal input gives equal output.
fn sorted<K: Copy + Ord>(sums: &HashMap<K, i128>) -> Vec<(K, i128)> {
    let mut sums: Vec<(K, i128)> = sums.iter().map(|(&key, &sum)| (key, sum)).collect();
    sums.sort_unstable_by_key(|(key, _)| *key);
    sums
}

fn add(sum: &mut i128, cost: i128) -> bool {
    let more = sum.checked_add(cost).filter(|sum| *sum <= i128::from(u64::MAX));
    *sum = more.unwrap_or(*sum);
    more.is_some()
}
