//! The formats that can be read: the table, and which of them an input is in.
//!
//! A new format is a file in this folder and a line in [`FORMATS`].

mod async_profiler;
mod async_profiler_html;
mod austin;
mod bcc;
mod bpftrace;
mod cachegrind;
mod callgrind;
mod cpuprofile;
mod d3_flame_graph;
mod detected;
mod dhat;
mod disk_use;
mod dtrace;
mod eu_stack;
mod faulthandler;
mod firefox;
mod folded;
mod fxt;
mod gdb;
mod ghc_prof;
mod go_traceback;
mod gperftools;
mod heapprofile;
mod heaptrack;
mod hprof;
mod instruments;
mod jemalloc;
mod jfr;
mod jfr_print;
mod jstack;
mod landmarks;
mod lsan;
mod macos_sample;
mod massif;
mod memcheck;
mod memray;
mod memtrace;
mod mojo;
mod otlp;
mod perf_data;
mod perf_script;
mod perfetto;
mod phpspy;
mod pmcstat;
mod pprof;
mod proc_stack;
mod pstats;
mod py_spy_dump;
mod pyinstrument;
mod rbspy;
mod rprof;
mod speedscope;
mod stackprof;
mod svg;
mod systemtap;
mod tachyon;
mod trace_event;
mod tracy;
mod unread;
mod v8_log;
mod vsprof;
mod vtune;
mod wprof;
mod xctrace;
mod xdebug;

use std::fmt;

use clap::Args;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use common::{Error, Result, io::Input};

use crate::format::{Extra, Format};
use crate::options::{ObjectArgs, Options};
use crate::samples::{InputFormat, Samples, Wants};
use detected::{Detected, detect};

pub(crate) use detected::describe;
pub(crate) use unread::folder_looks_like;

/// All formats, in the order in which they are tried: the first yes counts.
/// Folded comes last, since much looks like a word and a number.
pub(crate) static FORMATS: &[Format] = &[
    // Binary files, detected by their first bytes.
    jfr::FORMAT,
    memtrace::FORMAT,
    fxt::FORMAT,
    perf_data::FORMAT,
    otlp::FORMAT,
    tachyon::FORMAT,
    mojo::FORMAT,
    pprof::FORMAT,
    perfetto::FORMAT,
    gperftools::CPU,
    pstats::FORMAT,
    rbspy::FORMAT,
    // Text with typical words.
    bpftrace::FORMAT,
    bcc::FORMAT,
    macos_sample::FORMAT,
    instruments::FORMAT,
    pmcstat::FORMAT,
    xctrace::FORMAT,
    async_profiler_html::FORMAT,
    svg::FORMAT,
    eu_stack::FORMAT,
    vtune::FORMAT,
    vsprof::FORMAT,
    tracy::FORMAT,
    speedscope::FORMAT,
    wprof::FORMAT,
    heapprofile::FORMAT,
    cpuprofile::FORMAT,
    trace_event::FORMAT,
    firefox::FORMAT,
    v8_log::FORMAT,
    dhat::FORMAT,
    memcheck::FORMAT,
    lsan::FORMAT,
    pyinstrument::FORMAT,
    stackprof::FORMAT,
    rprof::FORMAT,
    austin::FORMAT,
    phpspy::FORMAT,
    memray::FORMAT,
    py_spy_dump::FORMAT,
    faulthandler::FORMAT,
    massif::FORMAT,
    heaptrack::FORMAT,
    cachegrind::FORMAT,
    callgrind::FORMAT,
    landmarks::JSON,
    d3_flame_graph::FORMAT,
    landmarks::TEXT,
    jemalloc::FORMAT,
    gperftools::TEXT,
    go_traceback::FORMAT,
    async_profiler::FORMAT,
    jfr_print::FORMAT,
    hprof::FORMAT,
    jstack::FORMAT,
    gdb::FORMAT,
    proc_stack::FORMAT,
    systemtap::FORMAT,
    xdebug::FORMAT,
    ghc_prof::FORMAT,
    dtrace::FORMAT,
    perf_script::FORMAT,
    disk_use::LIST,
    disk_use::DU,
    disk_use::FIND,
    // Nearly any text.
    folded::FORMAT,
];

/// Which format to read.
#[derive(Args, Debug)]
pub(crate) struct FormatArgs {
    /// Read this format, not the one that the content looks like
    #[arg(short, long, value_parser = name_parser())]
    format: Option<&'static Format>,
}

fn name_parser() -> impl TypedValueParser<Value = &'static Format> {
    let value = |format: &Format| PossibleValue::new(format.name).help(format.about);
    PossibleValuesParser::new(FORMATS.iter().map(value))
        .try_map(|name| FORMATS.iter().find(|format| format.name == name).ok_or("no such format"))
}

/// Reads an input to its end, in the format that was chosen or that its first
/// bytes show.
///
/// # Errors
///
/// [`Error::Input`] where it cannot be read, [`Error::Unknown`] where no format is detected, or an
/// error of the format's parser.
pub(crate) fn read(
    input: &mut Input,
    chosen: &FormatArgs,
    options: &Options,
    samples: &mut Samples<'_>,
) -> Result<()> {
    let name = input.name().to_owned();
    let detected = detect(input, chosen.format)?;
    let format = match (chosen.format, &detected) {
        (Some(format), _) => format,
        (None, Detected::Known(format)) => *format,
        (None, Detected::Empty) => {
            samples.say(format_args!("{name}: {detected}"));
            return Ok(());
        }
        (None, Detected::Unknown { .. }) => {
            return Err(Error::Unknown { name, what: detected.to_string() });
        }
    };
    check(format, &name, options.objects, &samples.wants)?;
    // What was looked at is still there.
    let start = input.peek(0).map_err(|source| Error::Input { name: name.clone(), source })?;
    if format.has_lost_blanks(start) {
        let what = format!(
            "{} without the blanks at the start of its lines, which say who called whom: \
             copy them, too, or give the file itself",
            format.name
        );
        return Err(Error::Unknown { name, what });
    }
    let (root, weighs, advice) = (format.root, format.weighs, format.advice());
    samples.begin_input(&name, InputFormat { name: format.name, root, weighs, advice });
    let read = (format.parse)(input, options, samples);
    let ended = match chosen.format {
        Some(format) => samples.end_input(NoneOf(format, detected), read.is_ok()),
        None => samples.end_input(detected, read.is_ok()),
    };
    read.and(ended)
}

/// What is said of an input without samples that was read in the format that the user chose.
struct NoneOf(&'static Format, Detected);

impl fmt::Display for NoneOf {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            // The user knows better than a guess that knows nothing.
            NoneOf(chosen, Detected::Unknown { looks_like: None, .. }) => {
                write!(f, "it was read as {}", chosen.name)
            }
            NoneOf(_, Detected::Unknown { looks_like: Some(what), .. }) => {
                write!(f, "it looks like {what}")
            }
            NoneOf(_, detected) => detected.fmt(f),
        }
    }
}

/// Refuses options for which the format of the input lacks the data.
fn check(format: &Format, input: &str, objects: ObjectArgs, wants: &Wants) -> Result<()> {
    let how = " by 'perf record --switch-events'";
    let needs = [
        (objects.live().is_some(), Extra::Live, "--live needs", ""),
        (objects.choose_heaps(), Extra::Heaps, "--major and --promoted need", ""),
        (wants.latency(), Extra::Parallelism, "--weight latency needs", how),
        (wants.wall, Extra::Wakers, "--wall needs", ""),
        (wants.wakers, Extra::Wakers, "--wakers needs", ""),
        (wants.spans, Extra::Spans, "--spans needs", ""),
    ];
    let lacks = |(is_asked, extra, ..): &(bool, Extra, _, _)| *is_asked && !format.has(*extra);
    let Some((_, extra, option, how)) = needs.into_iter().find(lacks) else { return Ok(()) };
    let known = names(extra);
    Err(Error::Usage(format!("{option} a recording of {known}{how}: {input} is {}", format.name)))
}

/// The names of the formats with a feature, for a message: `memtrace, heaptrack or massif`.
fn names(extra: Extra) -> String {
    let names = FORMATS.iter().filter(|format| format.has(extra)).map(|format| format.name);
    match &names.collect::<Vec<_>>()[..] {
        [others @ .., last] if !others.is_empty() => format!("{} or {last}", others.join(", ")),
        one => one.concat(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_differ() {
        for (number, format) in FORMATS.iter().enumerate() {
            assert!(FORMATS[number + 1..].iter().all(|other| other.name != format.name));
        }
    }
}
