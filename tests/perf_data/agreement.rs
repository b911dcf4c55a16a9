//! Compares every recording with perf's output for it.
//!
//! Samples must be exactly perf's. At least 99 % of the weight must have equal stacks, not counting
//! the cases of [`Exception`].

use std::collections::BTreeMap;

use common::names::FrameParts;

use super::perf_text::{self, Frame, Key};
use super::recordings::Recordings;

/// Where we differ from perf on purpose.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Exception {
    /// perf gives `camlTree__code_begin` for an OCaml function that has its own symbol.
    OcamlSymbol,
    /// perf does not find the caller of a frame, or takes data for one, and we reach the root.
    PerfStopsEarlier,
    /// perf prints a frame `ffffffffffffffff` where the dump of the stack ends.
    EndOfDump,
    /// perf cannot read jitdumps, unless they are injected.
    Jitdump,
    /// perf prints `@plt` for a slot without a name.
    Plt,
    /// perf gives `_dl_start_user` for the return address of the call that is the end of
    /// `_start`.
    ReturnAddress,
    /// The caller of a function in a missing file cannot be found; see
    /// [`Recordings::last_to_find`]. The frames up to that one are compared.
    FileNotHere,
}

/// How two stacks compare.
#[derive(Debug)]
enum Verdict {
    Equal,
    But(Exception),
    /// The names at the first difference, counted from the leaf.
    Different(String),
}

#[test]
fn stacks_are_those_of_perf() {
    assert_same_stacks(Recordings::of_repository());
}

#[test]
fn stacks_of_all_recordings_are_those_of_perf() {
    Recordings::of_data().into_iter().for_each(assert_same_stacks);
}

fn assert_same_stacks(recordings: &Recordings) {
    let mut failures = Vec::new();
    for name in recordings.names() {
        let perf = perf_text::samples(&recordings.text(&name));
        let ours = recordings.ours(&name, &["--inlined", "drop"]);
        let mut counts: BTreeMap<String, u64> = BTreeMap::new();
        let (mut total, mut same, mut frames) = (0, 0, 0);
        assert_eq!(
            keys(&perf),
            ours.keys().collect::<Vec<_>>(),
            "{name}: samples, left are perf's"
        );
        for sample in &perf {
            let weight: u64 = sample.key.period.parse().expect("a number");
            let last = recordings.last_to_find(&name, &sample.frames);
            frames += last.map_or(sample.frames.len(), |last| last + 1);
            let verdict = compare(&calls(&name, &sample.frames), &ours[&sample.key], last);
            total += weight;
            match verdict {
                Verdict::Equal => same += weight,
                Verdict::But(exception) => {
                    same += weight;
                    *counts.entry(format!("{exception:?}")).or_default() += 1;
                }
                Verdict::Different(why) => *counts.entry(why).or_default() += 1,
            }
        }
        let share = 100.0 * same as f64 / total as f64;
        let samples = perf.len();
        let report =
            format!("{name}: {samples} samples, {frames} frames, {share:.2} % equal {counts:?}");
        println!("{report}");
        if share < 99.0 {
            failures.push(report);
        }
    }
    assert!(failures.is_empty(), "below 99 %:\n{}", failures.join("\n"));
}

fn keys(samples: &[perf_text::Sample]) -> Vec<&Key> {
    let mut keys: Vec<&Key> = samples.iter().map(|sample| &sample.key).collect();
    keys.sort();
    keys
}

/// perf's frames with addresses inside the calls. perf prints return addresses for all frames
/// except the first of the kernel and the first of the program. Unwound frames have addresses
/// inside the calls already.
fn calls(name: &str, frames: &[Frame]) -> Vec<Frame> {
    let is_kernel = |frame: &Frame| frame.object == "[kernel.kallsyms]";
    let mut calls = frames.to_vec();
    for (call, pair) in calls.iter_mut().skip(1).zip(frames.windows(2)) {
        let is_recorded = is_kernel(&pair[1]) || !name.contains("dwarf");
        if is_recorded && is_kernel(&pair[0]) == is_kernel(&pair[1]) {
            let address = u64::from_str_radix(&call.address, 16).expect("a number");
            call.address = format!("{:x}", address.wrapping_sub(1));
        }
    }
    calls
}

/// Compares perf's frames with ours, both leaf first, up to the one at `last`.
fn compare(perf: &[Frame], ours: &[String], last: Option<usize>) -> Verdict {
    if let Some(last) = last.filter(|&last| last + 1 < perf.len()) {
        let ours = &ours[..ours.len().min(last + 1)];
        return match compare(&perf[..=last], ours, None) {
            Verdict::Equal => Verdict::But(Exception::FileNotHere),
            other => other,
        };
    }
    let mut exception = None;
    let is_lost = perf.last().is_some_and(|frame| frame.object == "[stack]");
    if is_lost && ours.len() > perf.len() {
        return Verdict::But(Exception::PerfStopsEarlier);
    }
    let is_cut = perf.last().is_some_and(|frame| frame.address == "ffffffffffffffff");
    let perf = &perf[..perf.len() - usize::from(is_cut)];
    let ours_is_cut = ours.last().is_some_and(|name| name == "[truncated]");
    let ours = &ours[..ours.len() - usize::from(ours_is_cut)];
    if is_cut || ours_is_cut {
        exception = Some(Exception::EndOfDump);
    }
    for (frame, ours) in perf.iter().zip(ours) {
        match compare_frame(frame, ours) {
            Verdict::Equal => {}
            Verdict::But(found) => exception = Some(found),
            different => return different,
        }
    }
    match (perf.len(), ours.len()) {
        (perf, ours) if perf < ours => Verdict::But(Exception::PerfStopsEarlier),
        (perf, ours) if perf > ours => Verdict::Different("we stop earlier".to_owned()),
        _ => exception.map_or(Verdict::Equal, Verdict::But),
    }
}

fn compare_frame(frame: &Frame, ours: &str) -> Verdict {
    let expected = if frame.symbol == "[unknown]" { unknown(frame) } else { frame.symbol.clone() };
    // Frames in files that are not among the objects are compared by address.
    if ours == expected.replace(';', ":") || ours == unknown(frame) {
        return Verdict::Equal;
    }
    // Without call chains perf prints the address in memory.
    let is_in_memory = frame.address.len() > 8 && frame.symbol == "[unknown]";
    let page_offset = &frame.address[frame.address.len().saturating_sub(3)..];
    if is_in_memory && ours.ends_with(&format!("{page_offset}]")) {
        return Verdict::Equal;
    }
    let is_jit = frame.object.starts_with("/tmp/perf-") && frame.symbol == "[unknown]";
    let is_ocaml = |name: &str| name.starts_with("caml");
    if is_jit {
        Verdict::But(Exception::Jitdump)
    } else if frame.symbol.ends_with("@plt") && ours.ends_with("@plt") {
        Verdict::But(Exception::Plt)
    } else if (&*frame.symbol, ours) == ("_dl_start_user", "_start") {
        Verdict::But(Exception::ReturnAddress)
    } else if is_ocaml(&frame.symbol) && is_ocaml(ours) && frame.symbol.ends_with("code_begin") {
        Verdict::But(Exception::OcamlSymbol)
    } else {
        Verdict::Different(format!("{} {expected} | {ours}", frame.address))
    }
}

/// Our name for a frame without a symbol: the object and the address in it.
fn unknown(frame: &Frame) -> String {
    let object = frame.object.rsplit('/').next().unwrap_or_default().trim_matches(['[', ']']);
    match object {
        "unknown" => "[unknown]".to_owned(),
        "stack" | "heap" | "vdso" => format!("[{object}]"),
        _ => format!("[{object}+0x{}]", frame.address),
    }
}

#[test]
fn inlined_functions_are_those_of_perf() {
    assert_same_inlined_functions(Recordings::of_repository());
}

#[test]
fn inlined_functions_of_all_recordings_are_those_of_perf() {
    Recordings::of_data().into_iter().for_each(assert_same_inlined_functions);
}

fn assert_same_inlined_functions(recordings: &Recordings) {
    for name in recordings.names() {
        let Some(text) = recordings.inlined_text(&name) else { continue };
        let mut perf = perf_text::samples(&text);
        fill_in_objects(&mut perf, &recordings.text(&name));
        let ours = recordings.ours(&name, &["--annotate"]);
        let (mut samples, mut as_deep, mut inlined, mut same) = (0, 0, 0, 0);
        for sample in &perf {
            let ours = &ours[&sample.key];
            let cut = usize::from(ours.last().is_some_and(|frame| frame == "[truncated]"));
            let mut ours = &ours[..ours.len() - cut];
            let end = sample.frames.last().is_some_and(|frame| frame.address == "ffffffffffffffff");
            let mut frames = &sample.frames[..sample.frames.len() - usize::from(end)];
            // We do not know the inlined functions of a function in a missing file.
            if let Some(last) = recordings.last_to_find(&name, frames) {
                frames = &frames[..last];
                ours = &ours[..ours.len().min(last)];
            }
            // perf stops earlier.
            if frames.len() < ours.len() {
                continue;
            }
            samples += 1;
            if frames.len() > ours.len() {
                continue;
            }
            as_deep += 1;
            for (frame, ours) in frames.iter().zip(ours) {
                // The outermost function is never inlined, but perf may mark it so.
                let parts = FrameParts::of(ours.as_bytes());
                if parts.has_mark(b'i') {
                    inlined += 1;
                    same += u32::from(frame.inlined && frame.symbol.as_bytes() == parts.name);
                }
            }
        }
        println!("{name}: {as_deep} of {samples} as deep, {same} of {inlined} inlined names equal");
        assert!(f64::from(as_deep) >= 0.99 * f64::from(samples), "{name}: depths differ");
        assert!(f64::from(same) >= 0.98 * f64::from(inlined), "{name}: inlined names differ");
        assert!(inlined > 0, "{name}: nothing inlined was found");
    }
}

/// perf prints no object for inlined frames: it is that of the same address in `text`, which has no
/// inlined frames.
fn fill_in_objects(samples: &mut [perf_text::Sample], text: &str) {
    let outer = perf_text::samples(text).into_iter().flat_map(|sample| sample.frames);
    let objects: BTreeMap<_, _> = outer.map(|frame| (frame.address, frame.object)).collect();
    for frame in samples.iter_mut().flat_map(|sample| &mut sample.frames) {
        if let (true, Some(object)) = (frame.inlined, objects.get(&frame.address)) {
            frame.object = object.clone();
        }
    }
}
