//! Names that are not in the recorded file: the messages, the remedies, and servers that have them.

mod debuginfod;
mod files;
mod macos;
mod memory;
mod servers;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use object::{Object as _, ObjectSymbol as _};

use crate::perf_stream::{IN_PROGRAM, Stream};
use crate::util::{command, stderr};

/// The programs that build the tests' programs and strip them.
const TOOLS: &[&str] = &["cc", "objcopy", "strip"];

const SOURCE: &str = "\
static inline __attribute__((always_inline)) long inner(long n) { return n * n + 3; }
__attribute__((noinline)) long work(long n) {
    long sum = 0;
    for (long i = 0; i < n; i++) sum += inner(sum ^ i);
    return sum;
}
int main(int count, char **words) { return work(count) == 1 || !words; }
";

/// The address at which programs are mapped.
const START: u64 = 0x1000_0000;

const WITH_ID: &str = "-Wl,--build-id=0x8a2b3c4d5e6f708192a3b4c5d6e7f80112233445";
const ID: &str = "8a2b3c4d5e6f708192a3b4c5d6e7f80112233445";
const OTHER_ID: &str = "-Wl,--build-id=0x0102030405060708090a0b0c0d0e0f1011121314";
const NO_ID: &str = "-Wl,--build-id=none";

/// A folder with a program `app` with the function `work`, into which `inner` is inlined.
struct Program {
    folder: PathBuf,
    build_id: Vec<u8>,
    /// The offset of the code of `work` in the file, and its length in bytes.
    work: (u64, u64),
}

impl Program {
    /// Builds it in an empty folder of this name.
    fn new(name: &str, options: &[&str]) -> Program {
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("lost-names").join(name);
        // An earlier run may have left a folder; before the first one there is none.
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(&folder).expect("a writable target directory");
        let mut program = Program { folder, build_id: Vec::new(), work: (0, 0) };
        program.build(options);
        program
    }

    fn build(&mut self, options: &[&str]) {
        fs::write(self.path("app.c"), SOURCE).expect("a writable folder");
        self.run("cc", &[&["-O1", "-g", "app.c", "-o", "app"], options].concat());
        let bytes = fs::read(self.path("app")).expect("a program");
        let file = object::File::parse(&bytes[..]).expect("a program");
        let work = file.symbols().find(|symbol| symbol.name() == Ok("work")).expect("a function");
        let segments = object::Object::segments(&file);
        let offset = segments.filter_map(|segment| {
            use object::ObjectSegment as _;
            let (offset, size) = segment.file_range();
            let within = work.address().checked_sub(segment.address())?;
            (within < size).then_some(offset + within)
        });
        self.work = (offset.max().expect("it is loaded"), work.size());
        self.build_id = file.build_id().expect("notes").unwrap_or_default().to_vec();
    }

    /// Moves its debug information and symbols to `app.debug`.
    fn split(&self) {
        self.run("objcopy", &["--only-keep-debug", "app", "app.debug"]);
        self.run("strip", &["app"]);
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.join(name)
    }

    fn app(&self) -> String {
        self.path("app").into_os_string().into_string().expect("UTF-8")
    }

    fn run(&self, program: &str, args: &[&str]) {
        let status = Command::new(program).args(args).current_dir(&self.folder).status();
        assert!(status.expect(program).success(), "{program} {args:?}");
    }

    /// A recording with a sample at each address of `work`.
    fn recording(&self) -> Stream {
        self.samples(match &self.build_id[..] {
            [] => Stream::new().map_file(START, &self.app()),
            id => Stream::new().map_build(START, id, &self.app()),
        })
    }

    fn samples(&self, stream: Stream) -> Stream {
        let (start, size) = self.work;
        (start..start + size).fold(stream, |stream, at| stream.sample(IN_PROGRAM, START + at))
    }
}

/// The output of stack-parse for a recording, without servers of debug information and caches.
fn parse(recording: &Stream, args: &[&str]) -> Output {
    let file = crate::util::TempFile::new(&recording.bytes);
    output(parse_command().args(args).arg(file.path()))
}

/// stack-parse without servers of debug information and caches.
fn parse_command() -> Command {
    let mut parse = command("stack-parse");
    parse.args(["--root", "none"]).env("HOME", "/nonexistent");
    parse.env_remove("DEBUGINFOD_CACHE_PATH").env_remove("XDG_CACHE_HOME");
    parse
}

/// Its output; no sample may be lost, whatever the messages.
fn output(command: &mut Command) -> Output {
    let output = command.output().expect("it starts");
    assert!(output.status.success(), "{output:?}");
    output
}

/// Its messages about names, without the name of the recording.
fn said(output: &Output) -> Vec<String> {
    let about_names = |line: &str| {
        let line = line.strip_prefix("stack-parse: ").expect("a message of stack-parse");
        match line.split_once(": ") {
            Some((input, what)) if input.starts_with('/') => what.to_owned(),
            _ => line.to_owned(),
        }
    };
    // The recordings have no call chains.
    let is_about_chains =
        |line: &String| line == "no sample has a call chain: record with 'perf record -g'";
    stderr(output).lines().map(about_names).filter(|line| !is_about_chains(line)).collect()
}
