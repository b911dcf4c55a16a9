//! Records a program and draws what it did, in one command.

mod answer;
mod brief;
mod browser;
mod buffers;
mod call_graph;
mod clock;
mod draw;
mod dump;
mod failure;
mod filters;
mod kernel_files;
mod outputs;
mod own_code;
mod perf;
mod perf_args;
mod program;
mod python;
mod record;
mod recorder;
mod recording;
mod refusals;
mod said;
mod sampling;
mod samply;
mod siblings;
mod signals;
mod threads;
mod writable;
mod xctrace;

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Parser;

use answer::Of;
use draw::{Picture, Reach, Wanted};
use failure::Failure;
use filters::Filters;
use outputs::Output;
use program::Program;
use record::Ended;
use recorder::Recorder;
use recording::Recording;
use said::{Notes, say};
use sampling::Sampling;
use signals::Signals;

/// What most people want.
const EXAMPLES: &str = "Examples:
  stack-flame -- ./app --port 80           Run it, name what is hot, and draw flame.svg
  stack-flame --keep app.data -- ./app     One recording has many answers:
  stack-flame -i app.data --text           Which function?
  stack-flame -i app.data --source         Which line?
  stack-flame -i app.data --source=append  Which line of the functions that match?
  stack-flame -i app.data --time           When?
  stack-flame --brief -- ./app             All of it on one page, without a picture
  stack-flame --off-cpu -- ./app           What does it wait for?
  stack-flame --critical -- ./app          What must get faster so that it ends sooner?";

/// Record a program and draw a flame graph of it, in one command
///
/// The program reads and writes as it would alone, and this command exits with its
/// status; 125 means trouble here, 126 or 127 that the program cannot be run.
#[derive(Parser)]
#[command(name = env!("CARGO_BIN_NAME"), version)]
#[command(override_usage = "stack-flame [OPTIONS] [--] PROG [ARG]...\n       \
                            stack-flame [OPTIONS] -p PID | -a\n       \
                            stack-flame [OPTIONS] [-i] FILE")]
#[command(after_help = EXAMPLES)]
struct Args {
    /// The program to record, and its arguments; or one file to draw
    #[arg(value_name = "PROG", trailing_var_arg = true)]
    program: Vec<OsString>,

    /// Record this process, until it ends or Ctrl-C is typed
    #[arg(short, long, value_name = "PID", conflicts_with_all = ["program", "all"])]
    pid: Option<u32>,

    /// Record all programs: while PROG runs, or until Ctrl-C is typed
    #[arg(short, long)]
    all: bool,

    /// Record nothing: draw this file, in any format that stack-parse reads
    #[arg(short, long, value_name = "FILE", conflicts_with_all = ["program", "pid", "all", "keep"])]
    input: Option<PathBuf>,

    #[command(flatten)]
    sampling: Sampling,

    /// Keep the recording in this file
    #[arg(long, value_name = "FILE")]
    keep: Option<PathBuf>,

    #[command(flatten)]
    filters: Filters,

    #[command(flatten)]
    picture: Picture,

    /// Say everything on standard error, not only the four lines that matter most
    #[arg(short, long)]
    verbose: bool,
}

fn main() -> ExitCode {
    common::run_wrapper(stack_flame)
}

fn stack_flame(mut args: Args) -> u8 {
    said::set_verbose(args.verbose);
    args.picture.is_page = args.sampling.brief;
    // What threads do all the time has both, how they run and for what they wait.
    if args.sampling.brief {
        let has_switches = args.file().map_or_else(recorder::has_perf, brief::has_switches);
        args.sampling.critical = has_switches;
        args.sampling.wall = false;
    }
    let notes = Notes::default();
    let ended = record_and_draw(&args, &notes);
    notes.tell(ended.as_ref().err().map_or(0, Failure::lines));
    ended.unwrap_or_else(|failure| failure.tell())
}

/// Returns the exit status of the program, or 0 where none was run.
fn record_and_draw(args: &Args, notes: &Notes) -> Result<u8, Failure> {
    let what = args.what()?;
    // These checks come first, so that no program runs whose picture cannot be drawn.
    outputs::check(&args.outputs(), &what)?;
    args.filters.check(&args.sampling, args.picture.source(Reach::Named))?;
    let title = args.picture.title.clone().unwrap_or_else(|| args.title(&what));
    let draw = |file: &Path, advice: &str| {
        let stages = args.filters.stages(&args.sampling, what.whose(), file);
        let kept = args.keep.as_deref().or(args.file());
        let wanted = Wanted { title: &title, advice, reach: what.reach(), of: args.of(), kept };
        let stages = (&stages[..], &args.filters.path()[..]);
        args.picture.draw(stages, args.filters.fold(), &wanted, notes)
    };
    if let What::File(file) = what {
        return match draw(file, args.advice(false)) {
            Ok(()) => Ok(0),
            Err(failure) if args.input.is_some() => Err(failure),
            Err(failure) => Err(failure.and(program::why_drawn(file))),
        };
    }
    // From now on there is a folder to delete, whatever ends this.
    let signals = Signals::catch().map_err(|error| Failure::of_file("signals", error))?;
    let recorder = Recorder::find(&args.sampling, &what)?;
    let recording = Recording::new(args.keep.as_deref(), recorder.file_name())?;
    if args.keep.is_none() {
        notes.leave_out(&recording.file);
    }
    let ended = recorder.record(&args.sampling, &what, &recording, &signals)?;
    recording.check(recorder.name())?;
    ended.tell(&what);
    match draw(&recording.file, args.advice(ended.is_asked)) {
        Ok(()) => {
            if args.sampling.brief && !recording.is_kept {
                say("--keep FILE keeps the recording, to ask it more");
            }
            Ok(ended.status)
        }
        Err(failure) => Err(failure.and(recording.keep())),
    }
}

/// What is recorded or drawn.
enum What<'a> {
    Program(Program),
    Process(u32),
    /// All processes, while the program runs if there is one.
    System(Option<Program>),
    File(&'a Path),
}

impl Args {
    fn what(&self) -> Result<What<'_>, Failure> {
        if let Some(pid) = self.pid {
            return Ok(What::Process(pid));
        }
        if let Some(file) = self.file() {
            return Ok(What::File(file));
        }
        match Program::find(&self.program)? {
            program if self.all => Ok(What::System(program)),
            Some(program) => Ok(What::Program(program)),
            None => Err(Failure::ours(
                "expected a program after '--', or -p PID, -a or -i FILE, see --help",
            )),
        }
    }

    /// The files that are written.
    fn outputs(&self) -> Vec<Output<'_>> {
        let keep = self.keep.as_deref().map(|file| ("--keep", file));
        keep.into_iter().chain(self.picture.outputs()).collect()
    }

    /// The file to draw: that of -i, or one in place of a program where nothing says that a
    /// program is to be recorded.
    fn file(&self) -> Option<&Path> {
        let records = self.all || self.keep.is_some() || self.sampling.records();
        let operand = || program::recording(&self.program).filter(|_| !records);
        self.input.as_deref().or_else(operand)
    }

    /// The title of the picture, unless the user gives one.
    fn title(&self, what: &What) -> String {
        let title = what.title();
        match self.sampling.latency {
            true => format!("latency of {title}"),
            false if self.sampling.critical => format!("critical path of {title}"),
            false => title,
        }
    }

    /// What the stacks are of.
    fn of(&self) -> Of {
        match self.sampling {
            Sampling { brief: true, .. } => Of::Brief,
            Sampling { off_cpu: true, .. } => Of::Waits,
            Sampling { wall: true, .. } => Of::Threads,
            Sampling { critical: true, .. } => Of::Path,
            _ => Of::Samples,
        }
    }

    /// Why there may be no stack to show, and what helps. A signal of the user may have ended the
    /// recording.
    fn advice(&self, is_asked: bool) -> &'static str {
        if self.filters.have_patterns() {
            "; perhaps --grep matches none"
        } else if is_asked {
            "; perhaps it was ended before the first sample"
        } else if self.file().is_some() {
            ""
        } else if self.sampling.off_cpu {
            "; nothing waited, or perf lost where it did"
        } else {
            "; a short run needs more samples a second, as -F 20000"
        }
    }
}

impl What<'_> {
    /// The program that is run, whether or not others are recorded, too.
    fn program(&self) -> Option<&Program> {
        match self {
            What::Program(program) => Some(program),
            What::System(program) => program.as_ref(),
            What::Process(_) | What::File(_) => None,
        }
    }

    /// Which sources may be listed.
    fn reach(&self) -> Reach {
        match self {
            What::Program(_) => Reach::Everywhere,
            What::Process(_) | What::System(_) | What::File(_) => Reach::Named,
        }
    }

    fn title(&self) -> String {
        match self {
            What::Program(program) => program.command_line(),
            What::Process(pid) => format!("process {pid}"),
            What::System(None) => "all programs".to_owned(),
            What::System(Some(program)) => {
                format!("all programs during {}", program.command_line())
            }
            What::File(file) if *file == Path::new("-") => "standard input".to_owned(),
            What::File(file) => file.display().to_string(),
        }
    }

    /// Whose waits are drawn, where perf had to record all: those of a process or of the program that
    /// perf started; `None` for all.
    fn whose(&self) -> Option<String> {
        match self {
            What::Process(pid) => Some(pid.to_string()),
            What::Program(_) | What::File(_) => Some("program".to_owned()),
            What::System(_) => None,
        }
    }
}

impl Ended {
    /// Says how the program ended, where it is no success.
    fn tell(&self, what: &What) {
        if let (Some(program), Some(how)) = (what.program(), &self.how) {
            say(format_args!("{} {how}", program.name()));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn advice_fits_what_was_asked_for() {
        let args = |args: &[&str]| Args::parse_from([&["stack-flame"], args].concat());
        let advice = |words: &[&str]| args(words).advice(false);
        assert!(args(&["prog"]).advice(true).contains("before the first sample"));
        assert!(advice(&["prog"]).contains("-F 20000"));
        assert!(advice(&["--off-cpu", "prog"]).contains("waited"));
        assert!(advice(&["--off-cpu", "--grep", "f", "prog"]).contains("--grep"));
        assert_eq!(advice(&["-i", "file"]), "");
    }
}
