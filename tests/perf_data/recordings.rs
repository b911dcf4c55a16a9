//! Recordings, perf's output for them, and the recorded objects: three in the repository, and all
//! others in STACK_TOOLS_DATA.
//!
//! The text is from perf 6.1.187 on x86-64, printed by `perf script` with `--no-inline`,
//! `--no-demangle`, `--ns`, `--max-stack 4096` and `-F comm,pid,tid,time,event,period,ip,sym,dso`;
//! for inlined functions without `--no-inline`. Addresses and symbols are those recorded: in chains
//! of frame pointers, the return addresses.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{LazyLock, OnceLock};

use super::perf_text::{self, Frame, Key};
use crate::needs::skip;
use crate::util::{command, golden_path, recording, unpacked};

/// The recordings whose perf text is in the repository: frame pointers; copies of stacks of several
/// threads, compressed; inlined functions in a debug file.
const OF_REPOSITORY: [&str; 3] = ["fp-threads", "dwarf-threads-zstd", "dwarf-cxx-debuglink"];

/// A folder of recordings, each `NAME.perf.data.gz`.
pub(super) struct Recordings {
    data: PathBuf,
    /// A folder `symfs` of the objects, and the kernel's symbols in `kallsyms`.
    pub(super) objects: PathBuf,
    /// Whether no object is missing.
    is_whole: bool,
}

impl Recordings {
    /// The recordings in the repository. None of the recorded libraries is there, and of the
    /// kernel's symbols only the neighbours of those that perf found.
    pub(super) fn of_repository() -> &'static Recordings {
        static RECORDINGS: LazyLock<Recordings> = LazyLock::new(Recordings::small);
        &RECORDINGS
    }

    fn small() -> Recordings {
        let objects = fresh_folder("perf-data-of-repository");
        let home = "symfs/home/someone/work/p";
        fs::create_dir_all(objects.join(home)).expect("a writable target directory");
        for name in ["fpmulti", "nofp", "cxx-split"] {
            let from = golden_path(home).join(name);
            fs::copy(from, objects.join(home).join(name)).expect("a new file");
        }
        // The output of objcopy without .debug_loclists, the locations of variables.
        let debug_file = recording("oracle/perf-data/cxx-split.debug.gz");
        fs::write(objects.join(home).join("cxx-split.debug"), debug_file).expect("a new file");
        let kernel = recording("oracle/perf-data/kallsyms.gz");
        fs::write(objects.join("kallsyms"), kernel).expect("a new file");
        Recordings { data: golden_path("formats/perf-data"), objects, is_whole: false }
    }

    /// All recordings, if STACK_TOOLS_DATA is set.
    pub(super) fn of_data() -> Option<&'static Recordings> {
        static RECORDINGS: OnceLock<Recordings> = OnceLock::new();
        let Some(data) = std::env::var_os("STACK_TOOLS_DATA") else {
            skip("STACK_TOOLS_DATA does not say where formats/perf-data is");
            return None;
        };
        let data = Path::new(&data).join("formats/perf-data");
        Some(RECORDINGS.get_or_init(|| Recordings::whole(data)))
    }

    fn whole(data: PathBuf) -> Recordings {
        let objects = fresh_folder("perf-data");
        let archive = data.join("symfs.tar.xz");
        let mut tar = Command::new("tar");
        let status = tar.arg("-C").arg(&objects).arg("-xJf").arg(archive).status();
        assert!(status.expect("tar").success(), "tar cannot unpack the objects");
        let kernel = unpacked_file(&data.join("kallsyms.gz"));
        fs::write(objects.join("kallsyms"), kernel).expect("a new file");
        Recordings { data, objects, is_whole: true }
    }

    pub(super) fn names(&self) -> Vec<String> {
        if !self.is_whole {
            return OF_REPOSITORY.map(str::to_owned).to_vec();
        }
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

    fn recording(&self, name: &str) -> PathBuf {
        self.data.join(format!("{name}.perf.data.gz"))
    }

    /// perf's text of a recording, with all functions except inlined ones.
    pub(super) fn text(&self, name: &str) -> String {
        let text = self.text_in(&golden_path(&format!("oracle/perf-data/{name}.script.gz")));
        text.unwrap_or_else(|| panic!("{name}: there is no text"))
    }

    /// perf's text with inlined functions; only a few recordings have it.
    pub(super) fn inlined_text(&self, name: &str) -> Option<String> {
        self.text_in(&golden_path(&format!("oracle/perf-data/{name}.inlined.script.gz")))
    }

    /// The content of this file of the repository, or of the one with the same name beside all
    /// recordings.
    fn text_in(&self, golden: &Path) -> Option<String> {
        let file_name = golden.file_name().expect("a file");
        let file = if self.is_whole { self.data.join(file_name) } else { golden.to_owned() };
        file.exists().then(|| String::from_utf8_lossy(&unpacked_file(&file)).into_owned())
    }

    /// The first of perf's frames, from the leaf, whose caller cannot be found because it is in a
    /// missing file, which has the tables for its caller. A recorded call chain needs no tables.
    pub(super) fn last_to_find(&self, name: &str, frames: &[Frame]) -> Option<usize> {
        let symfs = self.objects.join("symfs");
        let is_missing =
            |frame: &Frame| !symfs.join(frame.object.trim_start_matches('/')).is_file();
        let needs_tables = !self.is_whole && name.starts_with("dwarf-");
        frames.iter().position(is_missing).filter(|_| needs_tables)
    }

    /// The stacks that we find, leaf first.
    pub(super) fn ours(&self, name: &str, args: &[&str]) -> BTreeMap<Key, Vec<String>> {
        let path = |name: &str| self.objects.join(name).into_os_string();
        let vdso = self.data.join("vdso.so");
        let vdso = vdso.exists().then(|| ["--vdso".into(), vdso.into_os_string()]);
        let output = command("stack-parse")
            .args(["--table", "--root", "none", "--weight", "period", "--event", "*"])
            .args(["--symfs".into(), path("symfs"), "--kallsyms".into(), path("kallsyms")])
            .args(vdso.into_iter().flatten())
            .args(args)
            .arg(self.recording(name))
            .output()
            .expect("it starts");
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{name}: {}\n{stderr}", output.status);
        String::from_utf8_lossy(&output.stdout).lines().skip(1).map(row).collect()
    }
}

/// An empty folder in the target directory.
fn fresh_folder(name: &str) -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    // An earlier run may have left one.
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).expect("a writable target directory");
    folder
}

fn unpacked_file(path: &Path) -> Vec<u8> {
    unpacked(&fs::read(path).unwrap_or_else(|error| panic!("{}: {error}", path.display())))
}

/// A row of `--table`: time, since, comm, pid, tid, cpu, event, weight, stack.
pub(super) fn row(line: &str) -> (Key, Vec<String>) {
    let cells: Vec<&str> = line.split('\t').collect();
    let [time, _, comm, pid, tid, _, event, period, stack] = cells[..] else {
        panic!("nine cells: {line}");
    };
    let [pid, tid, comm, event, period] = [pid, tid, comm, event, period].map(str::to_owned);
    let key = Key { time: perf_text::nanoseconds(time), pid, tid, comm, event, period };
    // A cell with several frames is in quotes.
    (key, stack.trim_matches('"').split(';').rev().map(str::to_owned).collect())
}
