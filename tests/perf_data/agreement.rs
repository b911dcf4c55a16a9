//! The recordings beside which stands what perf made of them.
//!
//! Samples must be perf's to the unit. Of the stacks at least 99 % of the weight must be equal,
//! but for what is counted by [`Exception`].

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

use super::perf_text::{self, Frame, Key};
use crate::util::{binary, skip, unpacked};

/// Where we differ from perf on purpose.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Exception {
    /// perf gives `camlTree__code_begin` for a function of OCaml, which has a symbol of its own.
    OcamlSymbol,
    /// perf does not find the caller of a frame or takes something for it that is no code,
    /// and we come to the root.
    PerfStopsEarlier,
    /// perf prints a frame `ffffffffffffffff` where the dump of the stack ends.
    EndOfDump,
    /// perf cannot read jitdumps, unless they are injected.
    Jitdump,
    /// perf prints `@plt` for a slot without a name.
    Plt,
}

/// How two stacks compare.
#[derive(Debug)]
enum Verdict {
    Equal,
    But(Exception),
    /// Where they differ first, from the leaf, by names.
    Different(String),
}

#[test]
fn stacks_are_those_of_perf() {
    let Some(recordings) = recordings() else { return };
    let mut failures = Vec::new();
    for name in recordings.names() {
        let perf = perf_text::samples(&recordings.text(&format!("{name}.script.gz")));
        let ours = recordings.ours(&name, &["--inlined", "drop"]);
        let mut counts: BTreeMap<String, u64> = BTreeMap::new();
        let (mut total, mut same) = (0, 0);
        assert_eq!(
            keys(&perf),
            ours.keys().collect::<Vec<_>>(),
            "{name}: samples, left are perf's"
        );
        for sample in &perf {
            let weight: u64 = sample.key.period.parse().expect("a number");
            let verdict = compare(&sample.frames, &ours[&sample.key]);
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
        let report = format!("{name}: {} samples, {share:.2} % equal {counts:?}", perf.len());
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

/// Compares perf's frames with ours, both leaf first.
fn compare(perf: &[Frame], ours: &[String]) -> Verdict {
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
    // Files that are not among the objects compare by address.
    if ours == expected.replace(';', ":") || ours == unknown(frame) {
        return Verdict::Equal;
    }
    // Without call chains perf prints addresses in memory.
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
    } else if is_ocaml(&frame.symbol) && is_ocaml(ours) && frame.symbol.ends_with("code_begin") {
        Verdict::But(Exception::OcamlSymbol)
    } else {
        Verdict::Different(format!("{} {expected} | {ours}", frame.address))
    }
}

/// What we call a frame without a symbol: the object and the address in it.
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
    let Some(recordings) = recordings() else { return };
    for name in recordings.names() {
        let with_inlined = format!("{name}.inlined.script.gz");
        if !recordings.data.join(&with_inlined).exists() {
            continue;
        }
        let perf = perf_text::samples(&recordings.text(&with_inlined));
        let ours = recordings.ours(&name, &["--annotate"]);
        let (mut samples, mut as_deep, mut inlined, mut same) = (0, 0, 0, 0);
        for sample in &perf {
            let ours = &ours[&sample.key];
            let cut = usize::from(ours.last().is_some_and(|frame| frame == "[truncated]"));
            let end = sample.frames.last().is_some_and(|frame| frame.address == "ffffffffffffffff");
            let frames = &sample.frames[..sample.frames.len() - usize::from(end)];
            // perf stops earlier.
            if frames.len() < ours.len() - cut {
                continue;
            }
            samples += 1;
            if frames.len() > ours.len() - cut {
                continue;
            }
            as_deep += 1;
            for (frame, ours) in frames.iter().zip(ours) {
                // The outermost function is never inlined, but perf may mark it.
                if let Some(ours) = ours.strip_suffix("_[i]") {
                    inlined += 1;
                    same += u32::from(frame.inlined && frame.symbol == ours);
                }
            }
        }
        println!("{name}: {as_deep} of {samples} as deep, {same} of {inlined} inlined names equal");
        assert!(f64::from(as_deep) >= 0.99 * f64::from(samples), "{name}: depths differ");
        assert!(f64::from(same) >= 0.98 * f64::from(inlined), "{name}: inlined names differ");
        assert!(inlined > 0, "{name}: nothing inlined was found");
    }
}

/// The folder of the recordings, and the objects that were running.
pub(super) struct Recordings {
    data: PathBuf,
    pub(super) objects: PathBuf,
}

/// The recordings, if STACK_TOOLS_DATA says where they are.
pub(super) fn recordings() -> Option<&'static Recordings> {
    static RECORDINGS: OnceLock<Option<Recordings>> = OnceLock::new();
    let recordings = RECORDINGS.get_or_init(|| {
        let data = PathBuf::from(std::env::var_os("STACK_TOOLS_DATA")?).join("formats/perf-data");
        let objects = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("perf-data");
        fs::create_dir_all(&objects).expect("a writable target directory");
        let archive = data.join("symfs.tar.xz");
        let mut tar = Command::new("tar");
        let status = tar.arg("-C").arg(&objects).arg("-xJf").arg(archive).status();
        assert!(status.expect("tar").success(), "tar cannot unpack the objects");
        fs::write(objects.join("kallsyms"), unpacked_file(&data.join("kallsyms.gz")))
            .expect("a writable target directory");
        Some(Recordings { data, objects })
    });
    if recordings.is_none() {
        skip("STACK_TOOLS_DATA does not say where formats/perf-data is");
    }
    recordings.as_ref()
}

fn unpacked_file(path: &Path) -> Vec<u8> {
    unpacked(&fs::read(path).unwrap_or_else(|error| panic!("{}: {error}", path.display())))
}

impl Recordings {
    /// Of all recordings, what stands before `.perf.data.gz`.
    fn names(&self) -> Vec<String> {
        let files = fs::read_dir(&self.data).expect("a folder");
        let names = files.map(|file| file.expect("a file").file_name().into_string());
        let names = names.filter_map(|name| {
            Some(name.expect("UTF-8").strip_suffix(".perf.data.gz")?.to_owned())
        });
        let mut names: Vec<String> = names.collect();
        names.sort();
        assert!(names.len() > 20, "{names:?}");
        names
    }

    pub(super) fn text(&self, file: &str) -> String {
        String::from_utf8_lossy(&unpacked_file(&self.data.join(file))).into_owned()
    }

    /// The stacks that we find, leaf first.
    pub(super) fn ours(&self, name: &str, args: &[&str]) -> BTreeMap<Key, Vec<String>> {
        let path = |name: &str| self.objects.join(name).into_os_string();
        let output = Command::new(binary("stack-parse"))
            .args(["--table", "--root", "none", "--weight", "period", "--event", "*"])
            .args(["--symfs".into(), path("symfs"), "--kallsyms".into(), path("kallsyms")])
            .args(["--vdso".into(), self.data.join("vdso.so").into_os_string()])
            .args(args)
            .arg(self.data.join(format!("{name}.perf.data.gz")))
            .output()
            .expect("it starts");
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{name}: {}\n{stderr}", output.status);
        String::from_utf8_lossy(&output.stdout).lines().skip(1).map(row).collect()
    }
}

/// A row of `--table`: time, since, comm, pid, tid, cpu, event, weight, stack.
fn row(line: &str) -> (Key, Vec<String>) {
    let cells: Vec<&str> = line.split('\t').collect();
    let [time, _, comm, pid, tid, _, event, period, stack] = cells[..] else {
        panic!("nine cells: {line}");
    };
    let [pid, tid, comm, event, period] = [pid, tid, comm, event, period].map(str::to_owned);
    let key = Key { time: perf_text::nanoseconds(time), pid, tid, comm, event, period };
    // A cell of several frames stands in quotes.
    (key, stack.trim_matches('"').split(';').rev().map(str::to_owned).collect())
}
