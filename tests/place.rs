//! A folder in which a script or stack-flame runs, with a fake perf, since the real one may do
//! different things on different machines.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use crate::util::{binary, golden_path};

/// A fake perf that knows only the CPU clock, as on many virtual machines, and that ends with the
/// signal that ends its program, like the real one. It writes a recording of ours, and logs its
/// arguments in perf.log, when the recording is there.
pub(crate) const PERF: &str = r#"#!/bin/sh
case "$1 $*" in
    *" -e cpu-clock"[\ /]* | *" -e sched:sched_switch"[\ ,]*) ;;
    *) echo "Error:
The cycles event is not supported." >&2; exit 255 ;;
esac
trap ended=1 INT
for word; do
    [ "$word" != -- ] || break
    [ "$before" != -o ] || cat "$RECORDING" > "$word"
    before=$word
done
echo "$*" >> perf.log
while [ $# -gt 0 ] && [ "$1" != -- ]; do shift; done
[ $# = 0 ] || shift
[ $# -gt 0 ] || set -- sleep 1000
trap - INT
[ -z "$ended" ] || kill -INT $$
exec "$@"
"#;

/// An empty folder to work in, with a fake perf.
pub(crate) struct Place {
    pub(crate) folder: PathBuf,
}

impl Place {
    pub(crate) fn new(name: &str) -> Place {
        let folder: PathBuf = [env!("CARGO_TARGET_TMPDIR"), name].iter().collect();
        // An earlier run may have left a folder; before the first one there is none.
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(&folder).expect("a writable target directory");
        let place = Place { folder };
        place.program("perf", PERF);
        place
    }

    pub(crate) fn program(&self, name: &str, text: &str) {
        let path = self.folder.join(name);
        fs::write(&path, text).expect("a writable folder");
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).expect("our own file");
    }

    /// A program of three functions of its own.
    pub(crate) fn compile(&self, name: &str, options: &[&str]) {
        let source = "#include <stdlib.h>\n\
            long work(long n) { long s = 0; for (long i = 0; i < n; i++) s += s ^ i; return s; }\n\
            long twice(long n) { return 2 * work(n) + work(n / 2); }\n\
            int main(int count, char **words) {\n\
                return twice(count > 1 ? atol(words[1]) : 1) == 1;\n\
            }\n";
        let file = self.folder.join("work.c");
        fs::write(&file, source).expect("a writable folder");
        let options = [&["-g", "-fno-inline"][..], options, &["-o", name]].concat();
        let mut command = Command::new("cc");
        let status = command.args(options).arg(file).current_dir(&self.folder).status();
        assert!(status.expect("a compiler of C").success());
    }

    /// Makes these programs of the system available here.
    pub(crate) fn link_from_system(&self, programs: &[&str]) {
        for program in programs {
            let found = ["/bin", "/usr/bin"].map(|folder| Path::new(folder).join(program));
            let found = found.into_iter().find(|path| path.exists()).expect(program);
            std::os::unix::fs::symlink(found, self.folder.join(program)).expect("a new name");
        }
    }

    pub(crate) fn read(&self, name: &str) -> String {
        fs::read_to_string(self.folder.join(name)).expect(name)
    }

    /// Runs one of scripts/, which finds the fake perf first.
    pub(crate) fn command(&self, script: &str) -> Command {
        self.here([env!("CARGO_MANIFEST_DIR"), "/scripts/", script].concat().as_ref())
    }

    /// Runs stack-flame, which finds the fake perf first.
    pub(crate) fn stack_flame(&self, args: &[&str]) -> Output {
        let mut command = self.here(binary("stack-flame").as_ref());
        command.args(args).output().expect("it starts")
    }

    pub(crate) fn here(&self, program: &Path) -> Command {
        let mut command = Command::new(program);
        let path = std::env::var("PATH").expect("a PATH");
        command
            .current_dir(&self.folder)
            .env("PATH", format!("{}:{path}", self.folder.display()))
            // stack-flame keeps a recording that it could not draw.
            .env("TMPDIR", env!("CARGO_TARGET_TMPDIR"))
            .env_remove("DEBUGINFOD_URLS")
            .env("RECORDING", golden_path("formats/perf-script/treegc-4.13.1-fp.gz"));
        command
    }

    pub(crate) fn flame(&self, args: &[&str]) -> Output {
        let mut command = self.command("flame");
        command.args(["--from", folder_of_tools()]).args(args).output().expect("it starts")
    }
}

pub(crate) fn folder_of_tools() -> &'static str {
    binary("stack-merge").trim_end_matches("/stack-merge")
}
