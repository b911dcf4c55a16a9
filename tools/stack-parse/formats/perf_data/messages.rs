//! The messages about a recording: why it cannot be read, what it lacks, and what to do.

use common::{Error, Result};
use stack_perf_data::{Error as Unreadable, Summary};

use crate::samples::{Loss, Samples};

/// The error for an input that cannot be read.
pub(super) fn error(name: &str, why: Unreadable) -> Error {
    let name = name.to_owned();
    let advice = match why {
        Unreadable::Read(source) => return Error::Input { name, source },
        Unreadable::Malformed(_) => "; what came before is kept",
        Unreadable::BigEndian => ": run 'perf script' on it",
        Unreadable::Version1 => ": run an equally old 'perf script' on it",
        Unreadable::Folder => ": run 'perf script' on the folder",
        Unreadable::Compressed if cfg!(target_os = "linux") => {
            ": compile it with '--features zstd', or run 'perf script' on it"
        }
        _ => "",
    };
    Error::Unknown { name, what: format!("{why}{advice}") }
}

/// Checks whether all of an input was read.
///
/// # Errors
///
/// [`Error::Input`] or [`Error::Unknown`], which name what could not be read.
pub(super) fn unread(name: &str, summary: Summary) -> Result<()> {
    let damage = (summary.damaged > 0).then(|| {
        let (damaged, first) = (summary.damaged, summary.first_damaged);
        format!("{damaged} damaged records were left out, the first at byte {first}")
    });
    let aux_only = (summary.samples == 0 && summary.aux_bytes > 0).then(|| {
        "it holds a trace by the processor (AUX) and no samples: \
         run 'perf script' on it"
            .to_owned()
    });
    match (summary.error, damage.or(aux_only)) {
        (Some(Unreadable::Malformed(why)), Some(what)) => {
            Err(error(name, Unreadable::Malformed(format!("{what}; {why}"))))
        }
        (Some(why), _) => Err(error(name, why)),
        (None, Some(what)) => Err(Error::Unknown { name: name.to_owned(), what }),
        (None, None) => Ok(()),
    }
}

/// Reports data that was lost without a fault of the file. `is_sampled` says whether some events were
/// sampled, and not recorded each time; `has_large_buffers` whether perf was asked for such.
pub(super) fn report(
    summary: &Summary,
    is_sampled: bool,
    has_large_buffers: bool,
    samples: &mut Samples<'_>,
) {
    let lost = summary.lost();
    // What could not be read may be about what was lost.
    let is_exact = summary.damaged == 0 && summary.error.is_none();
    let remedy = match (summary.is_of_simpleperf, has_large_buffers, is_sampled) {
        (false, false, _) => "use a larger 'perf record -m'",
        (false, true, true) => "use a lower 'perf record -F'",
        (false, true, false) => "record fewer events",
        (true, _, true) => {
            "use a lower 'simpleperf record -f' or a larger --user-buffer-size and -m"
        }
        (true, _, false) => "use a larger 'simpleperf record --user-buffer-size' and -m",
    };
    let (of, recorded) = ("samples or other records", Some(summary.samples));
    samples.note_loss(Loss { count: lost, of, recorded, remedy, is_exact });
    if lost > 0 && samples.wants.latency() {
        samples.note(
            "switches of threads may be among them: later latencies may then be divided by the \
             wrong number of threads",
        );
    }
    if summary.lost_others > 0 {
        let lost = summary.lost_others;
        samples.doubt(format_args!(
            "{lost} records that are no samples were lost while recording: names of threads and code \
             may be missing"
        ));
    }
    note_counts(summary, samples);
    if summary.aux_bytes > 0 && summary.samples > 0 {
        let aux = summary.aux_bytes;
        samples.note(format_args!("{aux} bytes of a trace by the processor (AUX) left out"));
    }
}

/// Reports what is missing for other reasons.
fn note_counts(summary: &Summary, samples: &mut Samples<'_>) {
    samples.note_counts(&[
        (
            summary.unknown_events,
            "samples left out, since the recording does not name their events",
        ),
        (
            summary.cut_maps,
            "processes have maps that perf had no time to read, so code in them has no name: record \
             with --proc-map-timeout 5000",
        ),
        (summary.filtered, "samples were left out by the filter of 'perf record'"),
        (summary.late, "records came too late to be put in the order of time"),
        (
            summary.without_user_chain,
            "samples lack the program's part of their call chain, which was to be recorded later",
        ),
        (
            summary.cut_stacks,
            "samples have only a part of their stack, as simpleperf's buffer was full: use a larger \
             --user-buffer-size",
        ),
    ]);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn recordings_of_other_kinds_are_refused_with_advice() {
        for (why, expected) in [
            (
                Unreadable::BigEndian,
                "x: it was recorded on a big-endian machine: run 'perf script' on it",
            ),
            (
                Unreadable::Version1,
                "x: it has version 1 of the format: run an equally old 'perf script' on it",
            ),
            (Unreadable::NotPerfData, "x: it is not a perf.data file, which begins with PERFILE2"),
            (
                Unreadable::Folder,
                "x: a recording in a folder, with its samples in the files beside this one: \
                 run 'perf script' on the folder",
            ),
            (
                Unreadable::Compressed,
                if cfg!(target_os = "linux") {
                    "x: its records are compressed ('perf record -z'), and this was compiled \
                     without zstd: compile it with '--features zstd', or run 'perf script' on it"
                } else {
                    "x: its records are compressed ('perf record -z'), \
                     which can be read on Linux only"
                },
            ),
            (
                Unreadable::Malformed("the header is cut short".to_owned()),
                "x: the header is cut short; what came before is kept",
            ),
        ] {
            assert_eq!(error("x", why).to_string(), expected);
        }
    }

    /// The message about a recording that could not be read completely.
    fn said(change: impl FnOnce(&mut Summary)) -> Option<String> {
        let mut summary = Summary::default();
        change(&mut summary);
        unread("x", summary).err().map(|error| error.to_string())
    }

    #[test]
    fn a_trace_by_the_processor_alone_is_refused_by_name() {
        let why = "x: it holds a trace by the processor (AUX) and no samples: \
                   run 'perf script' on it";
        assert_eq!(said(|summary| summary.aux_bytes = 24).as_deref(), Some(why));
        // If there are samples, the trace is skipped.
        assert_eq!(said(|summary| (summary.aux_bytes, summary.samples) = (24, 1)), None);
    }

    #[test]
    fn damaged_records_are_counted_and_named() {
        let damage = |summary: &mut Summary| {
            (summary.samples, summary.damaged, summary.first_damaged) = (3, 2, 104);
        };
        let what = "x: 2 damaged records were left out, the first at byte 104";
        assert_eq!(said(damage).as_deref(), Some(what));
        let cut = said(|summary| {
            damage(summary);
            summary.error = Some(Unreadable::Malformed("it ends".to_owned()));
        });
        assert_eq!(cut, Some(format!("{what}; it ends; what came before is kept")));
    }
}
