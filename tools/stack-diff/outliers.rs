//! `--outliers`: which of many profiles is unlike the rest.
//!
//! Each is compared with the sum of all others: by how many standard errors do the shares of its
//! functions differ?

pub(crate) mod report;

use std::cmp::Reverse;
use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::ops::Range;
use std::path::{Path, PathBuf};

use common::compare::{
    ALPHA, FunctionNames, OfFunction, Run, RunReader, Weighed, read_profile, read_profiles,
    weighted_median,
};
use common::pipe::{Pipe, Split};
use common::stacks::{FrameId, FrameTable};
use common::{Result, folded::append_label_frame, names::printable, numbers::Unit};
use statrs::distribution::{ContinuousCDF, Normal};

/// Functions with fewer samples in all profiles together are not compared.
const LEAST_SAMPLES: f64 = 5.0;

/// How profiles vary is learned from functions of which a typical profile has at least this many
/// samples.
const TYPICAL_SAMPLES: f64 = 30.0;

/// With fewer such functions, nothing is learned.
const LEAST_FUNCTIONS: usize = 5;

/// How often one profile is set aside before the rest is compared again: by then there are so many
/// profiles that one of them hardly changes what the others are compared with.
const ONE_BY_ONE: usize = 16;

/// How many functions are named.
pub(crate) const NAMED: usize = 3;

/// Many profiles and what is known of each.
pub(crate) struct Outliers {
    functions: FrameTable,
    /// The most unlike first.
    pub(crate) profiles: Vec<Unlike>,
    /// How much functions vary from profile to profile, as a share of each.
    pub(crate) variation: f64,
    /// More standard errors than this are hardly chance, with so many comparisons.
    pub(crate) limit: f64,
}

/// How unlike the others a profile is.
pub(crate) struct Unlike {
    pub(crate) name: String,
    pub(crate) samples: f64,
    /// The largest first.
    pub(crate) functions: Vec<Difference>,
}

impl Unlike {
    /// How many standard errors the largest difference is.
    pub(crate) fn errors(&self) -> f64 {
        self.functions.first().map_or(0.0, |first| first.errors)
    }
}

/// A function whose share here differs from its share in the other profiles.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Difference {
    pub(crate) function: FrameId,
    /// Whether the self weight differs; otherwise it is the total.
    pub(crate) is_own: bool,
    /// Shares here and in the others together, in percent.
    pub(crate) here: f64,
    pub(crate) elsewhere: f64,
    /// By how many standard errors the shares differ.
    pub(crate) errors: f64,
}

/// Reads all profiles: files, or the values of a label in them. `None` if a file cannot be read,
/// which was reported.
///
/// # Errors
///
/// All but those of an input.
pub(crate) fn read(
    files: &[PathBuf],
    split: Option<&Split>,
    names: FunctionNames,
    pipe: &mut Pipe,
) -> Result<Option<(FrameTable, Vec<Run>, Unit)>> {
    let mut reader = RunReader::new(names);
    let runs = match split {
        None | Some(Split::File) => {
            read_profiles(files, pipe, |path, pipe| reader.read(path, pipe))?
        }
        Some(split) => read_values(files, split, &mut reader, pipe)?,
    };
    let unit = Unit::named(&pipe.header_unit().unwrap_or_default());
    Ok(runs.map(|runs| (reader.functions, runs, unit)))
}

/// Reads a profile for each value of a label, or for each root.
fn read_values(
    files: &[PathBuf],
    split: &Split,
    reader: &mut RunReader,
    pipe: &mut Pipe,
) -> Result<Option<Vec<Run>>> {
    let read = read_profiles(files, pipe, |path, pipe| values_of_file(path, split, reader, pipe))?;
    let Some(files) = read else { return Ok(None) };
    let mut runs: BTreeMap<Vec<u8>, Run> = BTreeMap::new();
    for (value, mut part) in files.into_iter().flatten() {
        match runs.entry(value) {
            Entry::Occupied(run) => run.into_mut().add(&part),
            Entry::Vacant(place) => {
                part.name = printable(place.key());
                place.insert(part);
            }
        }
    }
    Ok(Some(runs.into_values().collect()))
}

/// What one file has of each value.
fn values_of_file(
    path: &Path,
    split: &Split,
    reader: &mut RunReader,
    pipe: &mut Pipe,
) -> Result<BTreeMap<Vec<u8>, Run>> {
    let mut runs: BTreeMap<Vec<u8>, Run> = BTreeMap::new();
    let mut value = Vec::new();
    let profile = read_profile(path, pipe, |line| {
        value.clear();
        let stack = match split {
            Split::Label(key) => {
                append_label_frame(key.as_bytes(), line.labels.get(key.as_bytes()), &mut value);
                line.stack
            }
            // The root is a value here, not a function.
            Split::Root | Split::File => {
                let mut frames = line.frames();
                value.extend_from_slice(frames.next().unwrap_or_default());
                frames.rest().unwrap_or(line.stack)
            }
        };
        reader.add(stack, line.count, runs.entry(value.clone()).or_default());
    })?;
    pipe.count_written(profile.total);
    for run in runs.values_mut() {
        run.note_share(profile.samples, profile.total.weight);
    }
    Ok(runs)
}

impl Outliers {
    /// `noise` is how much functions vary from profile to profile, at least.
    pub(crate) fn new(functions: FrameTable, runs: &[Run], unit: &Unit, noise: f64) -> Outliers {
        let mut comparisons = Comparisons::new(&functions, runs, unit);
        comparisons.learn_variation(noise);
        let tests = (comparisons.tested.len() * runs.len()).max(1) as f64;
        let limit = -Normal::standard().inverse_cdf(ALPHA / 2.0 / tests);
        let mut profiles = comparisons.leave_out_odd(limit);
        profiles.sort_by(|a, b| b.errors().total_cmp(&a.errors()).then(a.name.cmp(&b.name)));
        Outliers { profiles, variation: comparisons.variation, limit, functions }
    }

    pub(crate) fn function(&self, difference: &Difference) -> &[u8] {
        self.functions.name(difference.function)
    }
}

/// What is compared: the self weight of a function, or its total.
struct Tested {
    function: FrameId,
    is_own: bool,
    /// How many samples of it are in all profiles.
    sum: f64,
}

impl Tested {
    fn of(&self, weights: OfFunction) -> f64 {
        if self.is_own { weights.own } else { weights.total }
    }

    /// The largest sums first. No sum is negative, so their bits are in their order.
    fn key(&self, number: usize) -> (Reverse<u64>, usize) {
        (Reverse(self.sum.to_bits()), number)
    }
}

/// All profiles, counted in samples.
struct Comparisons<'a> {
    runs: &'a [Run],
    /// How many samples each profile has, and what one of them weighs.
    samples: Vec<f64>,
    weights: Vec<f64>,
    all: f64,
    tested: Vec<Tested>,
    /// The numbers of what is tested of each function.
    of_function: HashMap<FrameId, Range<usize>>,
    /// The numbers of what is tested, those with the largest sums first.
    by_sum: BTreeSet<(Reverse<u64>, usize)>,
    variation: f64,
}

impl<'a> Comparisons<'a> {
    fn new(functions: &FrameTable, runs: &'a [Run], unit: &Unit) -> Comparisons<'a> {
        let samples: Vec<f64> = runs.iter().map(|run| run.samples_at_least(unit)).collect();
        let weights: Vec<f64> =
            runs.iter().zip(&samples).map(|(run, samples)| run.whole / samples).collect();
        let mut sums = vec![OfFunction::default(); functions.len()];
        for (run, weight) in runs.iter().zip(&weights) {
            for (function, OfFunction { own, total }) in run.functions() {
                sums[function as usize].own += own / weight;
                sums[function as usize].total += total / weight;
            }
        }
        let (mut tested, mut of_function) = (Vec::new(), HashMap::new());
        for (function, OfFunction { own, total }) in (0..).zip(sums) {
            let start = tested.len();
            for (is_own, sum) in [(true, own), (false, total)] {
                // The total of what calls nothing is its self weight.
                if sum >= LEAST_SAMPLES && (is_own || total != own) {
                    tested.push(Tested { function, is_own, sum });
                }
            }
            of_function.insert(function, start..tested.len());
        }
        let by_sum = tested.iter().enumerate().map(|(number, it)| it.key(number)).collect();
        let all = samples.iter().sum();
        Comparisons { runs, samples, weights, all, tested, of_function, by_sum, variation: 0.0 }
    }

    /// Learns from all functions how much profiles vary, apart from the chance of sampling.
    fn learn_variation(&mut self, floor: f64) {
        let typical = self.all / self.runs.len().max(1) as f64;
        let mut squares = Vec::new();
        for tested in &self.tested {
            let share = tested.sum / self.all;
            if share * typical < TYPICAL_SAMPLES || share >= 1.0 {
                continue;
            }
            let (mut found, mut expected, mut scale) = (0.0, 0.0, 0.0);
            for ((run, weight), samples) in self.runs.iter().zip(&self.weights).zip(&self.samples) {
                let here = tested.of(run.function(tested.function));
                let difference = here / weight - samples * share;
                found += difference * difference;
                expected += samples * share * (1.0 - share);
                scale += (samples * share * (1.0 - share)).powi(2);
            }
            squares.push(Weighed { value: (found - expected) / scale, weight: share });
        }
        let is_enough = squares.len() >= LEAST_FUNCTIONS;
        let square = weighted_median(squares).filter(|_| is_enough).unwrap_or_default();
        self.variation = square.max(floor * floor).sqrt();
    }

    /// Compares all profiles. A profile that differs by more than the limit no longer belongs to
    /// those that the rest is compared with: among few profiles, it would make them all look odd.
    /// At most a tenth of the profiles is set aside like this: one by one as long as one of them is
    /// much, then all others at once.
    fn leave_out_odd(&mut self, limit: f64) -> Vec<Unlike> {
        let most = self.runs.len().div_ceil(10);
        let mut found = Vec::new();
        let mut left: Vec<usize> = (0..self.runs.len()).collect();
        for round in 1.. {
            let mut all: Vec<Unlike> = left.iter().map(|&profile| self.unlike(profile)).collect();
            let at_once = match round {
                ..ONE_BY_ONE => 1,
                ONE_BY_ONE => most,
                _ => 0,
            };
            let mut odd: Vec<usize> = (0..all.len()).collect();
            odd.retain(|&profile| all[profile].errors() > limit);
            odd.sort_by(|&a, &b| all[b].errors().total_cmp(&all[a].errors()).then(b.cmp(&a)));
            odd.truncate(at_once.min(most - found.len()));
            if odd.is_empty() {
                found.extend(all);
                break;
            }
            odd.sort_unstable();
            for profile in odd.into_iter().rev() {
                found.push(all.swap_remove(profile));
                self.leave_out(left.swap_remove(profile));
            }
        }
        found
    }

    fn leave_out(&mut self, profile: usize) {
        let Comparisons { runs, samples, weights, all, tested, of_function, by_sum, .. } = self;
        *all -= samples[profile];
        for (function, here) in runs[profile].functions() {
            for number in of_function[&function].clone() {
                let tested = &mut tested[number];
                by_sum.remove(&tested.key(number));
                tested.sum = (tested.sum - tested.of(here) / weights[profile]).max(0.0);
                by_sum.insert(tested.key(number));
            }
        }
    }

    /// The numbers of what may differ most in one profile: all that it has, and of what it lacks
    /// that with the largest sums, as many as are named.
    fn candidates(&self, run: &Run) -> Vec<usize> {
        let own = run.functions().flat_map(|(function, _)| self.of_function[&function].clone());
        let lacks = |number: &usize| {
            let tested = &self.tested[*number];
            tested.of(run.function(tested.function)) == 0.0
        };
        let others = self.by_sum.iter().map(|(_, number)| *number).filter(lacks).take(2 * NAMED);
        let mut candidates: Vec<usize> = own.chain(others).collect();
        candidates.sort_unstable();
        candidates.dedup();
        candidates
    }

    /// How one profile differs from the others.
    fn unlike(&self, profile: usize) -> Unlike {
        let run = &self.runs[profile];
        let (samples, weight) = (self.samples[profile], self.weights[profile]);
        let others = self.all - samples;
        let mut functions: Vec<Difference> = Vec::new();
        for tested in self.candidates(run).into_iter().map(|number| &self.tested[number]) {
            let &Tested { function, is_own, sum } = tested;
            let here = tested.of(run.function(function)) / weight;
            let elsewhere = (sum - here).max(0.0);
            // Each function comes twice, as self and as total, so these hold all that are named.
            let least = functions.get(2 * NAMED - 1).map_or(-1.0, |it| it.errors);
            let errors = self.errors(here, samples, elsewhere, others, least);
            if errors <= least {
                continue;
            }
            let share = |count: f64, all: f64| if all > 0.0 { 100.0 * count / all } else { 0.0 };
            let (here, elsewhere) = (share(here, samples), share(elsewhere, others));
            functions.truncate(2 * NAMED - 1);
            functions.push(Difference { function, is_own, here, elsewhere, errors });
            functions.sort_by(|a, b| b.errors.total_cmp(&a.errors).then(b.is_own.cmp(&a.is_own)));
        }
        let mut named = Vec::new();
        functions.retain(|difference| {
            let is_new = named.len() < NAMED && !named.contains(&difference.function);
            if is_new {
                named.push(difference.function);
            }
            is_new
        });
        Unlike { name: run.name.clone(), samples, functions }
    }

    /// By how many standard errors `here` of `samples` differs from `elsewhere` of `others`. A
    /// result of `least` or less may be a little too high.
    ///
    /// With few samples the normal distribution gives too much. So the square root of the deviance
    /// of two binomial counts, which is also in standard errors, is a second opinion.
    fn errors(&self, here: f64, samples: f64, elsewhere: f64, others: f64, least: f64) -> f64 {
        if others <= 0.0 || samples <= 0.0 {
            return 0.0;
        }
        let share = (here + elsewhere) / (samples + others);
        let difference = (here - elsewhere * samples / others).abs() - 0.5;
        if difference <= 0.0 || share >= 1.0 {
            return 0.0;
        }
        let mean = samples * share * (1.0 - share);
        let vary = self.variation * mean;
        let normal = difference / (mean * (1.0 + samples / others) + vary * vary).sqrt();
        if normal <= least {
            return normal;
        }
        let sign = if here > elsewhere * samples / others { -0.5 } else { 0.5 };
        normal.min(deviance(here + sign, samples, elsewhere, others).sqrt())
    }
}

/// How unlikely it is that both counts are of one share: twice the logarithm of a ratio.
fn deviance(here: f64, samples: f64, elsewhere: f64, others: f64) -> f64 {
    let share = (here + elsewhere) / (samples + others);
    let part = |count: f64, expected: f64| {
        if count > 0.0 && expected > 0.0 { count * (count / expected).ln() } else { 0.0 }
    };
    let of =
        |count: f64, all: f64| part(count, all * share) + part(all - count, all * (1.0 - share));
    (2.0 * (of(here, samples) + of(elsewhere, others))).max(0.0)
}
