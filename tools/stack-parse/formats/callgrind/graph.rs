//! The costs of functions: their own, and those of their calls.

use common::{Result, numbers::hexadecimal};
use hashbrown::HashMap;

use super::names::{Name, Names};
use crate::frame::Frame;
use crate::read::call_graph::{Accuracy, Caller, Graph, Own};
use crate::read::paths::file_name;
use crate::read::same_names::SameNames;
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
    /// The calls, by their site and the function that is called.
    calls: HashMap<(u32, u32), Calls>,
}

/// The calls from one site to one function.
#[derive(Clone, Copy, Default)]
struct Calls {
    cost: i128,
    count: i128,
}

/// What the stacks of a file weigh.
#[derive(Clone, Copy)]
pub(super) enum Weigh {
    /// The costs of the wanted event.
    Costs,
    /// How often functions were called.
    Calls,
}

/// All functions of a file, by number.
#[derive(Default)]
pub(super) struct Functions {
    functions: Vec<Function>,
    by_function: HashMap<Function, u32>,
    sites: Vec<Site>,
    by_site: HashMap<Site, u32>,
    /// The site of each function that is called, without a line.
    entries: HashMap<u32, u32>,
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

    /// Adds calls and their cost; false if a sum does not fit into 64 bits.
    pub(super) fn add_call(&mut self, site: u32, function: u32, cost: i128, count: u64) -> bool {
        let calls = self.calls.entry((site, function)).or_default();
        add(&mut calls.cost, cost) && add(&mut calls.count, count.into())
    }

    pub(super) fn has_calls(&self) -> bool {
        !self.calls.is_empty()
    }

    /// Adds the stacks of this thread. `weights` has the totals of the measures that are not split
    /// by stack, and 0 for the wanted one, at index `place`. Returns how good the stacks are, and
    /// the sum of the costs that are left out because they are below 0.
    pub(super) fn add(
        &self,
        (comm, weigh): (&[u8], Weigh),
        functions: &Functions,
        (weights, place): (&[u64], usize),
        names: &FrameNames,
        samples: &mut Samples<'_>,
    ) -> Result<(Accuracy, i128)> {
        let graph = self.graph(weigh, functions);
        let own = match weigh {
            Weigh::Costs => sorted(&self.own),
            Weigh::Calls => self.counts(functions),
        };
        let owns = own.iter().filter_map(|&(frame, cost)| {
            let function = functions.sites[frame as usize].function;
            let weight = u64::try_from(cost).ok()?;
            Some(Own { function, frame, weight })
        });
        let owns: Vec<Own> = owns.collect();
        let (pid, tid) = (known(&self.pid), known(&self.tid));
        let origin = Sample { comm, pid, tid, weights, ..Sample::default() };
        let accuracy = graph.add(&owns, (&origin, place), names, samples)?;
        Ok((accuracy, own.iter().map(|&(_, cost)| cost.min(0)).sum()))
    }

    fn graph(&self, weigh: Weigh, functions: &Functions) -> Graph {
        let is_of_calls = matches!(weigh, Weigh::Calls);
        let mut graph = Graph::new(is_of_calls);
        let mut own = vec![0.0; functions.functions.len()];
        for (site, cost) in sorted(&self.own) {
            own[functions.sites[site as usize].function as usize] += cost.max(0) as f64;
        }
        let mut all = own.clone();
        let mut called = vec![0.0; own.len()];
        for ((site, callee), Calls { cost, count }) in sorted(&self.calls) {
            let function = functions.sites[site as usize].function;
            let callees = cost.max(0) as f64;
            all[function as usize] += callees;
            called[callee as usize] += count as f64;
            let own = if is_of_calls { count as f64 } else { 0.0 };
            graph.add_call(callee, Caller { function, frame: site, own, callees });
        }
        let own = if is_of_calls { called } else { own };
        for ((function, own), all) in (0..).zip(own).zip(all) {
            graph.set_function(function, own, all, None);
        }
        graph
    }

    /// How often each function was called, by its site.
    fn counts(&self, functions: &Functions) -> Vec<(u32, i128)> {
        let mut counts = HashMap::new();
        for (&(_, function), calls) in &self.calls {
            *counts.entry(functions.entries[&function]).or_default() += calls.count;
        }
        sorted(&counts)
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

    /// The number of a function that is called.
    pub(super) fn called(&mut self, function: Function, by_line: bool) -> u32 {
        let number = self.number(function);
        if !self.entries.contains_key(&number) {
            let file = if by_line { function.file } else { Names::NONE };
            let site = self.site(Site { function: number, file, line: 0 });
            self.entries.insert(number, site);
        }
        number
    }

    /// The frames of all sites, in the order of their numbers. Functions that share a name have
    /// their file after it, `init (shop.c)`, or else their object.
    pub(super) fn frames(&self, names: &AllNames, samples: &mut Samples<'_>) -> FrameNames {
        let same = SameNames::new(self.functions.iter().map(|it| names.functions.text(it.name)));
        let mut frames = FrameNames::default();
        for site in &self.sites {
            let Function { object, file, name } = self.functions[site.function as usize];
            let line = Some(site.line).filter(|line| *line > 0);
            let mut place = Place::new(names.files.text(site.file), line);
            let object = names.objects.text(object);
            let name = names.functions.text(name);
            let apart = match names.files.text(file) {
                // A place that is asked for is written anyway.
                _ if samples.wants.frames.srcline() => b"",
                b"" | b"???" => file_name(object),
                file => file,
            };
            let text = same.told_apart(name, apart);
            let frame = Frame { source: place.text(), ..frame(&text, object) };
            frames.push(&frame, samples);
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
fn sorted<K: Copy + Ord, V: Copy>(sums: &HashMap<K, V>) -> Vec<(K, V)> {
    let mut sums: Vec<(K, V)> = sums.iter().map(|(&key, &sum)| (key, sum)).collect();
    sums.sort_unstable_by_key(|(key, _)| *key);
    sums
}

fn add(sum: &mut i128, cost: i128) -> bool {
    let more = sum.checked_add(cost).filter(|sum| *sum <= i128::from(u64::MAX));
    *sum = more.unwrap_or(*sum);
    more.is_some()
}
