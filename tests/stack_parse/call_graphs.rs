//! Stacks that are made of a graph of calls: what functions took is what the file says.
//!
//! The files are of programs whose every stack is known. They are written here as cProfile and
//! callgrind write them.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use crate::random::Random;
use crate::util::{output, recording, stderr, weight};

/// What ran: each stack with its nanoseconds, and how often each function called another one.
struct Run {
    stacks: Vec<(Vec<usize>, u64)>,
    calls: BTreeMap<(Option<usize>, usize), u64>,
}

const FUNCTIONS: usize = 14;

impl Run {
    /// A program whose functions call those with larger numbers and, where they may, a few others.
    fn new(random: &mut Random, back: usize) -> Run {
        let mut callees: Vec<Vec<usize>> = (0..FUNCTIONS)
            .map(|it| {
                (0..3).map(|_| it + 1 + random.below(4)).filter(|&it| it < FUNCTIONS).collect()
            })
            .collect();
        for _ in 0..back {
            let from = 1 + random.below(FUNCTIONS - 1);
            callees[from].push(1 + random.below(from));
        }
        let mut run = Run { stacks: Vec::new(), calls: BTreeMap::new() };
        let mut stack = Vec::new();
        for _ in 0..400 {
            match stack.last().map(|&leaf: &usize| &callees[leaf]) {
                None => run.call(&mut stack, 0),
                Some(callees) if stack.len() < 12 && !callees.is_empty() && random.below(5) < 3 => {
                    let callee = callees[random.below(callees.len())];
                    run.call(&mut stack, callee);
                }
                Some(_) if stack.len() > 1 => drop(stack.pop()),
                Some(_) => {}
            }
            run.stacks.push((stack.clone(), 1 + random.next() % 1_000_000));
        }
        run
    }

    fn call(&mut self, stack: &mut Vec<usize>, callee: usize) {
        *self.calls.entry((stack.last().copied(), callee)).or_default() += 1;
        stack.push(callee);
    }

    fn all(&self) -> u64 {
        self.stacks.iter().map(|(_, weight)| weight).sum()
    }

    /// The time of the stacks for which this holds.
    fn time(&self, is_in: impl Fn(&[usize]) -> bool) -> u64 {
        self.stacks.iter().filter(|(stack, _)| is_in(stack)).map(|(_, weight)| weight).sum()
    }

    fn own(&self, function: usize) -> u64 {
        self.time(|stack| stack.last() == Some(&function))
    }

    fn total(&self, function: usize) -> u64 {
        self.time(|stack| stack.contains(&function))
    }

    fn calls_of(&self, function: usize) -> u64 {
        let calls = self.calls.iter().filter(|((_, callee), _)| *callee == function);
        calls.map(|(_, count)| count).sum()
    }

    /// The functions that may call themselves by others.
    fn recursive(&self) -> BTreeSet<usize> {
        let mut reach: BTreeSet<(usize, usize)> =
            self.calls.keys().filter_map(|&(caller, callee)| Some((caller?, callee))).collect();
        for by in 0..FUNCTIONS {
            for from in 0..FUNCTIONS {
                for to in 0..FUNCTIONS {
                    if reach.contains(&(from, by)) && reach.contains(&(by, to)) {
                        reach.insert((from, to));
                    }
                }
            }
        }
        (0..FUNCTIONS).filter(|&it| reach.contains(&(it, it))).collect()
    }

    /// What `python3 -m cProfile -o` saves.
    fn pstats(&self) -> Vec<u8> {
        let mut file = b"{".to_vec();
        for function in (0..FUNCTIONS).filter(|&it| self.calls_of(it) > 0) {
            key(&mut file, function);
            let calls = self.calls_of(function) as u32;
            let times = [self.own(function), self.total(function)];
            five(&mut file, calls, times, 5);
            file.push(b'{');
            for (&(caller, callee), &count) in &self.calls {
                let Some(caller) = caller.filter(|_| callee == function) else { continue };
                key(&mut file, caller);
                let is_own = |stack: &[usize]| stack.ends_with(&[caller, function]);
                let is_in = |stack: &[usize]| stack.windows(2).any(|it| it == [caller, function]);
                five(&mut file, count as u32, [self.time(is_own), self.time(is_in)], 4);
            }
            file.push(b'0');
        }
        file.push(b'0');
        file
    }

    /// What callgrind writes: the cost of a call for each time that it is active.
    fn callgrind(&self) -> String {
        let mut file = "# callgrind format\nevents: Ir\n".to_owned();
        for function in (0..FUNCTIONS).filter(|&it| self.calls_of(it) > 0) {
            writeln!(file, "fn=f{function}\n1 {}", self.own(function)).expect("memory");
            for (&(_, callee), count) in
                self.calls.iter().filter(|((caller, _), _)| *caller == Some(function))
            {
                let active = |stack: &[usize]| {
                    stack.windows(2).filter(|it| *it == [function, callee]).count() as u64
                };
                let cost: u64 = self.stacks.iter().map(|(stack, it)| active(stack) * it).sum();
                writeln!(file, "cfn=f{callee}\ncalls={count} 1\n1 {cost}").expect("memory");
            }
        }
        file
    }
}

/// `(file, line, name)` as Python's marshal writes it.
fn key(file: &mut Vec<u8>, function: usize) {
    file.extend_from_slice(b"(\x03\0\0\0u\x04\0\0\0a.py");
    integer(file, function as u32);
    let name = format!("f{function}");
    file.push(b'u');
    file.extend_from_slice(&(name.len() as u32).to_le_bytes());
    file.extend_from_slice(name.as_bytes());
}

/// The calls twice and both times; in a tuple of which `length` more parts may follow.
fn five(file: &mut Vec<u8>, calls: u32, nanoseconds: [u64; 2], length: u32) {
    file.push(b'(');
    file.extend_from_slice(&length.to_le_bytes());
    integer(file, calls);
    integer(file, calls);
    for time in nanoseconds {
        file.push(b'g');
        file.extend_from_slice(&(time as f64 / 1e9).to_le_bytes());
    }
}

fn integer(file: &mut Vec<u8>, number: u32) {
    file.push(b'i');
    file.extend_from_slice(&number.to_le_bytes());
}

/// The stacks of a file; that they are made is said.
fn stacks(args: &[&str], file: impl AsRef<[u8]>) -> String {
    let output = output("stack-parse", args, file.as_ref());
    assert!(output.status.success(), "{}", stderr(&output));
    String::from_utf8(output.stdout).expect("UTF-8")
}

/// The weight of each function as a leaf, and in stacks that have it, each counted once.
#[derive(Default)]
struct Sums {
    own: BTreeMap<String, u64>,
    total: BTreeMap<String, u64>,
    stacks: usize,
}

fn sums(folded: &str) -> Sums {
    let mut sums = Sums::default();
    for line in folded.lines().filter(|line| !line.starts_with('#')) {
        let (stack, weight) = line.rsplit_once(' ').expect("a weight");
        let weight: u64 = weight.parse().expect("a number");
        let frames: Vec<&str> = stack.split(';').collect();
        let leaf = frames.last().expect("a leaf").to_string();
        *sums.own.entry(leaf).or_default() += weight;
        for frame in frames.into_iter().collect::<BTreeSet<_>>() {
            *sums.total.entry(frame.to_owned()).or_default() += weight;
        }
        sums.stacks += 1;
    }
    sums
}

/// Of many programs a few have times that no choice of stacks meets: the bound is for all but
/// these.
#[test]
fn functions_of_cprofile_take_what_the_file_says() {
    let (mut functions, mut above) = (0, 0);
    for seed in 0..60 {
        let run = Run::new(&mut Random(seed), seed as usize % 5);
        let folded = stacks(&[], run.pstats());
        assert_eq!(folded, stacks(&[], run.pstats()), "{seed}: the same each time");
        let (sums, recursive) = (sums(&folded), run.recursive());
        for function in (0..FUNCTIONS).filter(|&it| run.calls_of(it) > 0) {
            let name = format!("f{function}");
            let (own, total) = (run.own(function), run.total(function));
            let read = |sums: &BTreeMap<String, u64>| sums.get(&name).copied().unwrap_or_default();
            // A nanosecond may be rounded at each of its callers.
            assert!(read(&sums.own).abs_diff(own) <= 2, "{seed}: {name} {} {own}", read(&sums.own));
            let sum = read(&sums.total);
            if recursive.contains(&function) {
                functions += 1;
                above += u32::from(sum as f64 > 1.02 * total as f64 + 0.005 * run.all() as f64);
            } else {
                assert!(sum.abs_diff(total) <= 20, "{seed}: {name} {sum} {total}");
            }
        }
    }
    assert!(functions > 100 && above * 50 <= functions, "{above} of {functions}");
}

#[test]
fn functions_of_callgrind_take_what_the_file_says() {
    for seed in 0..60 {
        let run = Run::new(&mut Random(seed), seed as usize % 5);
        let (sums, recursive) = (sums(&stacks(&[], run.callgrind())), run.recursive());
        for function in (0..FUNCTIONS).filter(|&it| run.calls_of(it) > 0) {
            let name = format!("f{function}");
            let read = |sums: &BTreeMap<String, u64>| sums.get(&name).copied().unwrap_or_default();
            assert_eq!(read(&sums.own), run.own(function), "{seed}: {name}");
            if !recursive.contains(&function) {
                assert_eq!(read(&sums.total), run.total(function), "{seed}: {name}");
            }
        }
    }
}

#[test]
fn calls_are_a_measure() {
    for seed in 0..20 {
        let run = Run::new(&mut Random(seed), seed as usize % 5);
        for file in [run.pstats(), run.callgrind().into_bytes()] {
            let is_callgrind = file.starts_with(b"#");
            let sums = sums(&stacks(&["--event", "calls"], file));
            for function in 0..FUNCTIONS {
                let mut calls = run.calls_of(function);
                if is_callgrind {
                    // It does not write what is above the first function.
                    calls -= run.calls.get(&(None, function)).copied().unwrap_or_default();
                }
                let own = sums.own.get(&format!("f{function}")).copied().unwrap_or_default();
                assert_eq!(own, calls, "{seed}: f{function} {is_callgrind}");
            }
        }
    }
}

/// Each call is a line of a trace whose third field is 0; landmarks prints `in 5 calls`.
#[test]
fn calls_of_traces_and_trees_are_a_measure() {
    let trace = recording("formats/xdebug/calls.xt");
    let is_call = |line: &&[u8]| line.split(|byte| *byte == b'\t').nth(2) == Some(b"0");
    let calls = trace.split(|byte| *byte == b'\n').filter(is_call).count();
    let read = output("stack-parse", &["--event", "calls"], trace);
    assert_eq!(weight(&read.stdout), calls as u128);
    let tree = "[    2.80M cycles in 7 calls ]     - 51.23% : f\n\
                [   12.00  cycles in 1234 calls ]     |   - 27.50% : g\n";
    let read = output("stack-parse", &["--event", "calls"], tree).stdout;
    assert_eq!(String::from_utf8_lossy(&read), "ROOT;f 7\nROOT;f;g 1234\n");
}

#[test]
fn functions_that_share_a_name_are_told_apart() {
    let graph = "events: Ir\nob=/lib/a.so\nfl=a.c\nfn=init\n1 3\nfl=b.c\nfn=init\n1 4\nfl=???\n\
                 fn=init\n1 5\nfl=b.c\nfn=once\n1 6\n";
    let folded = stacks(&["--root", "none"], graph);
    assert_eq!(folded, "init (a.c) 3\ninit (a.so) 5\ninit (b.c) 4\nonce 6\n");
    let folded = stacks(&["--root", "none", "--srcline"], graph);
    assert_eq!(folded, "init 5\ninit (a.c:1) 3\ninit (b.c:1) 4\nonce (b.c:1) 6\n");
}

/// pyinstrument counts the time of a function again for each of its calls inside itself.
#[test]
fn totals_that_are_too_large_are_not_used() {
    let run = Run {
        stacks: vec![(vec![0, 1, 1], 500)],
        calls: BTreeMap::from([((None, 0), 1), ((Some(0), 1), 1), ((Some(1), 1), 1)]),
    };
    let mut file = run.pstats();
    let said = |file: &[u8]| stderr(&output("stack-parse", &[], file));
    assert!(
        said(&file).ends_with("where totals are off by less than 0.1 % of all\n"),
        "{}",
        said(&file)
    );
    let right = (500_f64 / 1e9).to_le_bytes();
    let at = file.windows(8).enumerate().filter(|(_, bytes)| *bytes == right).map(|(at, _)| at);
    let at: Vec<usize> = at.collect();
    // The second time of f1: its own time comes first.
    file[at[2]..at[2] + 8].copy_from_slice(&(1000_f64 / 1e9).to_le_bytes());
    assert!(said(&file).ends_with("where totals are estimates\n"), "{}", said(&file));
}
