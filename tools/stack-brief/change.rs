//! What changed between two sides beyond noise: `--before` and `--after`.

use std::path::PathBuf;

use common::compare::{
    Change, Comparison, Function, FunctionNames, LEAST_VARIATION, Question, Run, RunReader, Runs,
};
use common::compare::{read_profile, read_profiles};
use common::folded::StackBuf;
use common::numbers::MINUS;
use common::own_code::NOT_OWN;
use common::pipe::Pipe;
use common::stacks::StackCounts;
use common::{Result, numbers::Unit};
use hashbrown::HashMap;

use crate::functions::FunctionId;
use crate::profile::{Measure, Profile};
use crate::scan::{Charged, Scan};

/// Two sides that were compared.
pub(crate) struct Changed {
    pub(crate) profile: Profile,
    pub(crate) title: String,
    /// The functions that changed, the largest change first.
    pub(crate) functions: Vec<ChangedFunction>,
    /// How many samples both sides have, if that is known.
    pub(crate) samples: Option<u64>,
    pub(crate) scan: Scan,
}

/// A function that changed.
pub(crate) struct ChangedFunction {
    pub(crate) charged: Charged,
    /// Whether it is all it calls that changed, not what is charged to it.
    pub(crate) with_calls: bool,
    /// `12.1 % before, 34.5 % after: +22.4 ± 1.2 points`
    pub(crate) words: String,
}

/// A file of one side.
struct File {
    root: String,
    samples: Option<u64>,
    name: String,
}

impl Changed {
    /// Reads and compares the files; `None` if one cannot be read, which was said.
    ///
    /// # Errors
    ///
    /// Those that are not about an input.
    pub(crate) fn read(
        sides: [&[PathBuf]; 2],
        unit: Option<&str>,
        pipe: &mut Pipe,
    ) -> Result<Option<Changed>> {
        let (mut counts, mut text) = (StackCounts::default(), StackBuf::default());
        let mut read = |side: &str, paths: &[PathBuf]| {
            let mut number = 0;
            read_profiles(paths, pipe, |path, pipe| {
                number += 1;
                let root = format!("[{side} {number}]");
                let profile = read_profile(path, pipe, |line| {
                    text.set_below(root.as_bytes(), line.stack);
                    counts.add(text.as_bytes(), line.count);
                })?;
                Ok(File { root, samples: profile.samples, name: profile.name })
            })
        };
        let [before, after] = [read("before", sides[0])?, read("after", sides[1])?];
        let Some((before, after)) = before.zip(after) else { return Ok(None) };
        let header = pipe.header_unit();
        let unit = unit.or(header.as_deref()).unwrap_or_default().to_owned();
        let measures = [(&before, Measure::Before), (&after, Measure::After)];
        let roots = measures
            .iter()
            .flat_map(|(files, measure)| files.iter().map(|file| (file.root.as_str(), *measure)));
        let profile = Profile::of_sides(counts, &roots.collect::<Vec<_>>(), Unit::named(&unit));
        let scan = Scan::of(&profile);
        let runs = runs(&profile, [&before, &after], unit);
        let question = Question { absolute: false, noise: LEAST_VARIATION };
        let comparison = Comparison::new(&runs, question);
        let functions = functions(&profile, &runs, &comparison);
        let title = title(&comparison, &runs, functions.len());
        let samples = comparison.samples.iter().sum::<f64>() as u64;
        let samples = comparison.are_counts.then_some(samples);
        Ok(Some(Changed { profile, title, functions, samples, scan }))
    }
}

/// Each file as a run: its stacks up to their deepest frame of own code.
fn runs(profile: &Profile, sides: [&[File]; 2], unit: String) -> Runs {
    let mut reader = RunReader::new(FunctionNames::Normalized);
    let mut side = |files: &[File]| -> Vec<Run> {
        let mut of_file = |file: &File| {
            let (mut run, mut text) = (Run::default(), StackBuf::default());
            run.name.clone_from(&file.name);
            for (frames, weight) in profile.stacks_below(&file.root) {
                match profile.deepest.of_stack(frames) {
                    Some(at) => {
                        text.set(frames[..=at].iter().map(|&frame| profile.frame(frame)));
                        reader.add(text.as_bytes(), weight, &mut run);
                    }
                    None => reader.add(NOT_OWN, weight, &mut run),
                }
            }
            let weight = run.whole as u128;
            run.note_share(file.samples, weight);
            run
        };
        files.iter().map(&mut of_file).collect()
    };
    let sides = [side(sides[0]), side(sides[1])];
    Runs::of(reader.functions, sides, unit)
}

/// The functions of own code of which noise does not explain the change: first those to which more or
/// less is charged, then those whose calls changed.
fn functions(profile: &Profile, runs: &Runs, comparison: &Comparison) -> Vec<ChangedFunction> {
    let of_name = own_functions(profile);
    let mut changed: Vec<&Function> =
        comparison.functions.iter().filter(|function| function.is_real()).collect();
    let name = |function: &Function| runs.functions.name(function.frame);
    comparison.sort(&mut changed, false);
    let row = |function: &Function| {
        let id = *of_name.get(name(function))?;
        let with_calls = !function.own.is_real;
        let words = words(if with_calls { &function.total } else { &function.own });
        let words = if with_calls { format!("{words}, with all it calls") } else { words };
        let charged = Charged::of_function(profile, id, with_calls);
        Some(ChangedFunction { charged, with_calls, words })
    };
    changed.into_iter().filter_map(row).collect()
}

/// The functions of own code, by their names without what differs between builds.
fn own_functions(profile: &Profile) -> HashMap<Vec<u8>, FunctionId> {
    let frames = 0..profile.frame_count() as u32;
    let own = frames.filter(|frame| profile.deepest.of_stack(&[*frame]).is_some());
    let named = own.map(|frame| {
        let function = profile.functions.of_frame(frame);
        let name = FunctionNames::Normalized.of(profile.functions.name(function)).into_owned();
        (name, function)
    });
    named.collect()
}

/// `12.1 % before, 34.5 % after: +22.4 ± 1.2 points`
fn words(change: &Change) -> String {
    let error = 2.0 * change.error;
    let difference = signed(change.difference());
    let (before, after) = (change.before, change.after);
    format!("{before:.1} % before, {after:.1} % after: {difference} ± {error:.1} points")
}

fn signed(number: f64) -> String {
    let sign = if number < 0.0 { MINUS } else { '+' };
    format!("{sign}{:.1}", number.abs())
}

/// `9.12 s before, 9.98 s after (+9.4 ± 1.0 %): 3 own functions changed beyond noise`
fn title(comparison: &Comparison, runs: &Runs, changed: usize) -> String {
    let whole = &comparison.whole;
    let [before, after] = [whole.before, whole.after].map(|it| it.round() as u64);
    let (before, after) = (runs.unit.number(before), runs.unit.words(after));
    let percent = |it: f64| 100.0 * it / whole.before;
    let difference = signed(percent(whole.difference()));
    let error = percent(2.0 * whole.error);
    let functions = match changed {
        0 => "no own function changed".to_owned(),
        1 => "1 own function changed".to_owned(),
        many => format!("{many} own functions changed"),
    };
    format!(
        "{before} before, {after} after ({difference} ± {error:.1} %): {functions} beyond noise"
    )
}
