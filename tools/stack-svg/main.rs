//! Draw folded stacks as a flame graph: one SVG file.

mod base32;
mod change;
mod chart;
mod colors;
mod command;
mod count;
mod document;
mod embed;
mod escape;
mod footer;
mod kind;
mod look;
mod min_width;
mod noise;
mod numbers;
mod picture;
mod profile;
mod sight;
mod strip;
mod viewer;

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Parser;
use common::io::{Files, is_same_file, unwritten, write_whole_file};
use common::names::{FrameParts, printable, without_modifiers};
use common::pipe::{Pipe, Split};
use common::trust::Trust;
use common::{
    Error, Result, Status,
    compare::Question,
    numbers::{Percent, counted},
    picture::content_policy,
    stacks::FrameTable,
};

use change::Comparison;
use chart::Drawing;
use count::{InOrder, MergedStacks};
use kind::Kind;
use look::Look;
use min_width::MinWidth;
use noise::Changed;
use picture::Picture;
use profile::Profile;
use profile::cut::CUT;
use strip::Strip;
use strip::clock::Clock;

/// How many rows of frames the static picture has at most, besides that of the whole: no
/// program shows more, and a stack may have millions.
const MOST_ROWS: usize = 10_000;

/// Draw folded stacks as a flame graph: one SVG file
#[derive(Parser)]
#[command(name = env!("CARGO_BIN_NAME"), version)]
struct Args {
    #[command(flatten)]
    files: Files,

    /// Write to this file: the whole picture, or nothing
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,

    /// Without the script, leave out frames narrower than this many pixels, or
    /// with '%', than this share of the weight
    #[arg(long, value_name = "WIDTH", default_value = "0.5", alias = "minwidth")]
    min_width: MinWidth,

    /// Keep at most this many frames, the heaviest
    #[arg(long, value_name = "NUMBER", default_value_t = 5_000_000)]
    max_frames: usize,

    /// Merge the stacks from their leaves: the callers of a function are on top of it
    #[arg(long)]
    reverse: bool,

    /// Keep the order of the lines, so that time runs from left to right
    #[arg(long, alias = "flame-chart", conflicts_with_all = ["reverse", "diff"])]
    flamechart: bool,

    /// Read two counts on each line, of two profiles: stack before after
    #[arg(long)]
    diff: bool,

    /// With --diff, compare shares of the whole: a recording of twice the length shows no
    /// change [default]
    #[arg(long, overrides_with = "no_normalize")]
    normalize: bool,

    /// With --diff, compare weights as they are
    #[arg(long)]
    no_normalize: bool,

    /// With --diff, the least that functions are taken to vary between recordings: what noise
    /// explains is grey
    #[arg(long, value_name = "PERCENT", default_value = "1%")]
    noise: Percent,

    /// Let the reader choose one of several profiles: by the value of this label, or with
    /// 'root' by their root frame, with 'file' by the file
    #[arg(long, value_name = "KEY|file|root")]
    split: Option<Split>,

    /// Write a static picture without the script
    #[arg(long)]
    no_script: bool,

    /// Print the content security policy that allows the script and style, and exit
    #[arg(long)]
    csp_hash: bool,

    #[command(flatten)]
    look: Look,
}

/// The longest name of a program, in bytes, that becomes the title.
const LONGEST_TITLE: usize = 1000;

fn main() -> ExitCode {
    common::run(stack_svg)
}

fn stack_svg(mut args: Args, pipe: &mut Pipe) -> Result<Status> {
    if args.csp_hash {
        pipe.out().line(content_policy(&viewer::SCRIPT, &viewer::STYLE).as_bytes())?;
        return Ok(Status::Success);
    }
    if args.diff && args.split == Some(Split::File) {
        return Err(Error::Usage("--diff has both profiles in one file: use --split root".into()));
    }
    if let Some(output) = &args.output
        && args.files.iter().any(|input| is_same_file(input, output))
    {
        return Err(Error::Usage(format!("-o {}: it is also an input", output.display())));
    }
    let mut clock = Clock::new(args.split.as_ref(), args.flamechart);
    let Some(stacks) = read(&args, &mut clock, pipe)? else {
        pipe.note("nothing to draw: no folded stack with a weight came in");
        return Ok(Status::Nothing);
    };
    if let Some(unit) = pipe.header_value("unit") {
        args.look.count_name.get_or_insert_with(|| printable(unit));
    }
    if let Some(name) = main_root(&stacks, args.split.is_some()) {
        args.look.name(&escape::shown(name), kind(&args));
        let hint = args.split.as_ref().and_then(|split| split.hint_of_only_root(name));
        hint.iter().for_each(|hint| pipe.note(hint));
    } else if let Some(program) = pipe.header_value("program") {
        args.look.name(&printable(program), kind(&args));
    }
    clock.report(pipe);
    let strip = Strip::new(clock, &stacks.profile, &stacks.frames);
    strip.iter().flat_map(Strip::notes).for_each(|note| pipe.note(note));
    let trust = match args.diff {
        true => Trust::default(),
        false => Trust::of(pipe, stacks.profile.total()),
    };
    if let Some(words) = described(&args, &trust, pipe) {
        args.look.describe(words);
    }
    let svg = draw(&args, &stacks, strip.as_ref(), &trust).map_err(unwritten)?;
    match &args.output {
        Some(path) if path != Path::new("-") => write_whole_file(path, &svg)?,
        _ => pipe.out().write_all(&svg).map_err(unwritten)?,
    }
    account(&stacks, pipe);
    Ok(Status::Success)
}

/// What was sampled, as far as the header says it: event, rate, seconds, threads, samples, unit,
/// trust.
fn described(args: &Args, trust: &Trust, pipe: &Pipe) -> Option<String> {
    if args.diff {
        return None;
    }
    let value = |key: &str| pipe.header_value(key).map(printable);
    // With --by-event the unit comes after the name.
    let name = |event: &[u8]| {
        event.split(|byte| *byte == b' ').next().map(without_modifiers).map(printable)
    };
    let event = pipe.header_value("event").and_then(name);
    // An event is its own unit, and samples are counted anyway.
    let unit = pipe.header_value("unit").map(printable);
    let unit = unit.filter(|unit| unit != "samples" && Some(unit) != event.as_ref());
    let unit = unit.map(|unit| format!("in {unit}"));
    let trust = trust.levels().map(|levels| format!("trust: {}", levels.least().word()));
    let samples = pipe.header_samples().map(|samples| counted(samples, "samples"));
    // The time of all threads together may be longer.
    let elapsed = value("seconds").map(|seconds| format!("{seconds} elapsed"));
    let words = [event, value("rate"), elapsed, value("threads"), samples, unit, trust].into_iter();
    let words: Vec<String> = words.flatten().collect();
    (!words.is_empty()).then(|| words.join(" \u{b7} "))
}

/// What was read.
struct Stacks {
    profile: Profile,
    frames: FrameTable,
    changed: Changed,
}

impl Stacks {
    fn new(mut profile: Profile, mut frames: FrameTable, changed: Changed) -> Stacks {
        if profile.is_cut() {
            profile.name_cut(frames.intern(CUT));
        }
        Stacks { profile, frames, changed }
    }
}

/// Reads all input; `None` if nothing in it weighs anything. `clock` notes what ran when, unless
/// there are two profiles.
fn read(args: &Args, clock: &mut Clock, pipe: &mut Pipe) -> Result<Option<Stacks>> {
    let split = args.split.as_ref();
    let MergedStacks { stacks, before, sides } = match args {
        Args { flamechart: true, .. } => match count::in_order(&args.files, split, clock, pipe)? {
            InOrder::Times(stacks) => *stacks,
            InOrder::Lines(chart, frames) => {
                let chart = chart.map(|chart| chart.at_most(args.max_frames));
                return Ok(chart.map(|it| Stacks::new(it, frames, Changed::default())));
            }
        },
        Args { diff: true, .. } => count::two_counts(&args.files, split, pipe)?,
        _ => count::one_count(&args.files, split, clock, pipe)?,
    };
    let profile = Profile::heaviest(&stacks, before.as_ref(), args.max_frames)?;
    let question = Question { absolute: args.no_normalize, noise: args.noise.fraction() };
    let changed = sides.map(|sides| sides.compare(question, pipe)).unwrap_or_default();
    Ok(profile.map(|profile| Stacks::new(profile, stacks.into_frames(), changed)))
}

fn draw(
    args: &Args,
    Stacks { profile, frames, changed }: &Stacks,
    strip: Option<&Strip>,
    trust: &Trust,
) -> std::io::Result<Vec<u8>> {
    let least = args.min_width.share_of(args.look.frames_width());
    let is_wide = |weight: u64| weight as f64 / profile.total() as f64 >= least;
    let wide = if args.reverse { profile.bottom_up(is_wide) } else { profile.only(is_wide) };
    let drawn = wide.no_deeper(MOST_ROWS);
    let chart = strip.and_then(|strip| Some((strip, strip.chart.as_ref()?)));
    let chart = chart.map(|(strip, chart)| Drawing::new(strip, chart, profile, &args.look, least));
    let picture = Picture {
        kind: kind(args),
        look: &args.look,
        frames,
        script_data: (!args.no_script).then_some(profile),
        cut: profile.left_out,
        drawn: &drawn,
        strip,
        chart: chart.as_ref(),
        narrow: wide.left_out,
        comparison: comparison(args, profile),
        changed: &changed.of_frames(frames),
        whole_changed: changed.whole,
        split: args.split.as_ref(),
        trust,
        command: command::words(std::env::args_os().skip(1)),
    };
    picture.draw()
}

fn kind(args: &Args) -> Kind {
    Kind { reverse: args.reverse, chart: args.flamechart, diff: args.diff }
}

/// The part of the weight that the root frame of a program has, whose name is that of the profile:
/// a shell that starts it may have the rest.
const MOST_OF_ALL: f64 = 0.95;

/// The name of the root frame, if nearly all stacks have the same: mostly the program. Of a profile
/// that is split, all stacks must have it.
fn main_root(Stacks { profile, frames, .. }: &Stacks, is_split: bool) -> Option<&[u8]> {
    let part = if is_split { 1.0 } else { MOST_OF_ALL };
    let least = part * profile.total() as f64;
    let mut roots = profile.nodes.iter().filter(|node| node.depth == 1);
    let root = roots.find(|node| node.weight as f64 >= least)?;
    let name = FrameParts::of(frames.name(root.frame()?)).name;
    // It is a title, and a title of megabytes helps nobody.
    (name.len() <= LONGEST_TITLE).then_some(name)
}

fn comparison(args: &Args, profile: &Profile) -> Comparison {
    let before = profile.before(0).weight;
    match args.no_normalize {
        true => Comparison::OF_WEIGHTS,
        false => Comparison::of_shares(before, profile.total() - before),
    }
}

/// Counts the stacks in the picture, so that --stats can be checked: the weight that came in is the
/// weight that is drawn. What was cut is drawn as `[cut]`, and reported.
fn account(Stacks { profile, frames, .. }: &Stacks, pipe: &mut Pipe) {
    let cut = profile.is_cut().then(|| frames.find(CUT)).flatten();
    for node in profile.nodes.iter().filter(|node| node.self_weight > 0) {
        pipe.count_written(node.self_weight);
        if cut.is_some() && node.frame() == cut {
            pipe.count_changed(node.self_weight);
        }
    }
    if let Some(words) = profile.left_out.cut_words(profile.total()) {
        pipe.note(words);
    }
}
