//! The programs, each in a folder of its own, with lines and without.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::needs::OCAML;
use crate::programs::{RECORD, ocaml_5_place};

pub(super) struct Project {
    pub(super) name: &'static str,
    pub(super) needs: &'static [&'static str],
    /// Its folder in `tests/own_code`.
    sources: &'static str,
    /// The commands that build it in a copy of that folder.
    build: &'static str,
    /// The file with its code.
    binary: &'static str,
    /// How it is run.
    command: &'static [&'static str],
    /// How callers are found.
    chains: &'static [&'static str],
}

const RECORDING: &str = "perf.data";

/// The name of the file with lines where one without was recorded.
const WITH_LINES: &str = "with-lines";

const DWARF: &[&str] = &["--call-graph", "dwarf,16384"];

pub(super) const PROJECTS: [Project; 6] = [
    Project {
        name: "cxx",
        needs: &["g++"],
        sources: "shop",
        build: "g++ -std=c++17 -O2 -g shop.cc -o app",
        binary: "app",
        command: &["./app"],
        chains: DWARF,
    },
    Project {
        name: "rust",
        needs: &[],
        sources: "rayon",
        build: "cargo build --release --locked --offline --quiet --target-dir built
                cp built/release/words words",
        // What is the program's own is known by the name of its crate.
        binary: "words",
        command: &["./words"],
        chains: DWARF,
    },
    Project {
        name: "go",
        needs: &["go"],
        sources: "go",
        build: "GOFLAGS= go build -o app .",
        binary: "app",
        command: &["./app"],
        chains: &["-g"],
    },
    Project {
        name: "ocaml",
        needs: OCAML,
        sources: "ocaml",
        build: "ocamlfind ocamlopt -g words.ml -o app",
        binary: "app",
        command: &["./app"],
        chains: DWARF,
    },
    Project {
        name: "ocaml-5",
        needs: &[],
        sources: "ocaml",
        build: "\"$OCAML_5\"/bin/ocamlopt.opt -g words.ml -o app",
        binary: "app",
        command: &["./app"],
        chains: &["-g"],
    },
    Project {
        name: "python",
        needs: &["cc", "python3", "python3-config"],
        sources: "extension",
        build: "cc -O2 -g -shared -fPIC $(python3-config --includes) ext.c -o ext.abi3.so",
        binary: "ext.abi3.so",
        command: &["python3", "app.py"],
        chains: DWARF,
    },
];

impl Project {
    pub(super) fn folder(&self) -> PathBuf {
        [env!("CARGO_TARGET_TMPDIR"), "own-code", self.name].iter().collect()
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder().join(name)
    }

    /// The file with its code, which is recorded.
    pub(super) fn binary(&self) -> PathBuf {
        self.path(self.binary)
    }

    /// Builds it in an empty folder.
    pub(super) fn build(&self) {
        let sources: PathBuf =
            [env!("CARGO_MANIFEST_DIR"), "tests/own_code", self.sources].iter().collect();
        let folder = self.folder();
        // An earlier run may have left a folder; before the first one there is none.
        let _ = fs::remove_dir_all(&folder);
        copy(&sources, &folder);
        let mut shell = Command::new("sh");
        // It is built as its users build it, whatever the settings of this build.
        for variable in ["CARGO_TARGET_DIR", "CARGO_BUILD_TARGET", "RUSTFLAGS"] {
            shell.env_remove(variable);
        }
        shell.env("OCAML_5", ocaml_5_place());
        let built = shell.args(["-ec", self.build]).current_dir(&folder).output().expect("sh");
        let said = String::from_utf8_lossy(&built.stderr);
        assert!(built.status.success(), "{}: {said}", self.name);
    }

    /// Records it, with its lines or without. Returns whether perf may.
    pub(super) fn record(&self, has_lines: bool) -> bool {
        let lines = self.path(WITH_LINES);
        if !has_lines {
            fs::rename(self.binary(), &lines).expect("it was built");
            let mut bare = Command::new("objcopy");
            bare.arg("--strip-debug").arg(&lines).arg(self.binary());
            assert!(bare.status().expect("objcopy").success());
        }
        let mut perf = Command::new("perf");
        // Not even the cache of build-ids may have the lines.
        perf.args(RECORD).args(["-N", "-e", "cpu-clock", "-F", "999", "-m", "1024"]);
        perf.args(self.chains).args(["-o", RECORDING, "--"]).args(self.command);
        perf.current_dir(self.folder()).stdout(Stdio::null()).stderr(Stdio::null());
        perf.status().is_ok_and(|status| status.success())
    }

    /// What was recorded last.
    pub(super) fn recording(&self) -> PathBuf {
        self.path(RECORDING)
    }

    /// The file with the lines of its code, whether they were recorded or not.
    pub(super) fn lines(&self, has_lines: bool) -> PathBuf {
        if has_lines { self.binary() } else { self.path(WITH_LINES) }
    }
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).expect("a writable target directory");
    for entry in fs::read_dir(from).expect("a folder of sources") {
        let entry = entry.expect("an entry");
        let target = to.join(entry.file_name());
        if entry.path().is_dir() {
            copy(&entry.path(), &target);
        } else {
            fs::copy(entry.path(), target).expect("a file");
        }
    }
}
