//! From a recording to the stacks that are drawn.

use std::path::{Path, PathBuf};
use std::process::Stdio;

use crate::brief;
use crate::failure::Failure;
use crate::sampling::Sampling;
use crate::siblings::Stage;

/// What is hidden unless the user wants it raw. It is nothing in programs that are not
/// written in OCaml.
const ALWAYS: &str = "ocaml-gc";

/// Where every thread waits or wakes another one, so that the table would name nothing else: their
/// time is that of their callers, which say what is waited for.
const SCHEDULER: &str = "^(__traceiter_sched_(switch|waking)|__schedule(_loop)?|schedule|\
                         try_to_wake_up)$";

/// What is shown of a recording.
#[derive(Debug, clap::Args)]
pub(crate) struct Filters {
    /// Hide a runtime: 'stack-collapse-frames --list-presets' has the names; may be
    /// given several times
    #[arg(long = "preset", value_name = "NAME")]
    presets: Vec<String>,

    /// Keep only the stacks with a frame that matches; may be given several times
    #[arg(long = "grep", value_name = "PATTERN")]
    patterns: Vec<String>,

    /// Keep all frames: do not hide OCaml's collector and the scheduler, do not fold recursion
    #[arg(long)]
    raw: bool,

    /// Keep the frames of inlined functions, only those of own code, or leave out all
    #[arg(long, value_name = "WHICH", default_value = "own", value_parser = ["keep", "own", "drop"])]
    inlined: String,

    /// Take as own code what matches in the path of its source, of its file, or in its name; may be
    /// given several times
    #[arg(long, value_name = "PATTERN")]
    own: Vec<String>,

    /// Look for separate debug files below DIR, too; may be given several times
    #[arg(long, value_name = "DIR")]
    debug_dir: Vec<PathBuf>,

    /// Read every file of the recorded machine below DIR
    #[arg(long, value_name = "DIR")]
    symfs: Option<PathBuf>,

    /// The symbols of the recorded kernel: a copy of its /proc/kallsyms
    #[arg(long, value_name = "FILE")]
    kallsyms: Option<PathBuf>,

    /// Download missing files from the servers of DEBUGINFOD_URLS; wait SECONDS for each, or 90
    #[arg(long, value_name = "SECONDS", num_args = 0..=1, require_equals = true,
        value_parser = clap::value_parser!(u64).range(1..))]
    debuginfod: Option<Option<u64>>,

    /// Draw what ran when above the picture: a strip of time with a lane for each thread
    #[arg(long, conflicts_with_all = ["text", "source"])]
    time: bool,
}

impl Filters {
    /// Runs the filters that the user chose on nothing: they name a preset or a
    /// pattern that is wrong. So may `last`, which follows them.
    pub(crate) fn check(&self, sampling: &Sampling, last: Option<Stage>) -> Result<(), Failure> {
        for stage in self.hide(sampling.has_waits()).into_iter().chain(self.keep()).chain(last) {
            let mut command = stage.command()?;
            let output = command.stdin(Stdio::null()).output();
            let output = output.map_err(|error| Failure::of_file("a filter", error))?;
            if output.status.code().is_none_or(|status| status > 1) {
                let said = String::from_utf8_lossy(&output.stderr);
                return Err(Failure::ours(said.lines().next().unwrap_or("a filter failed")));
            }
        }
        Ok(())
    }

    /// Whether they may leave nothing of a recording that has stacks.
    pub(crate) fn have_patterns(&self) -> bool {
        !self.patterns.is_empty()
    }

    /// The pipeline that makes folded stacks of a recording; `whose` says whose waits are wanted,
    /// if not everybody's.
    pub(crate) fn stages(
        &self,
        sampling: &Sampling,
        whose: Option<String>,
        file: &Path,
    ) -> Vec<Stage> {
        let mut parse = Stage::new("stack-parse");
        for option in ["--header", "--exact-names", "--annotate", "--srcline"] {
            parse = parse.arg(option);
        }
        parse = parse.arg("--inlined").arg(&self.inlined);
        for pattern in &self.own {
            parse = parse.arg("--own").arg(pattern);
        }
        parse = self.measured(sampling, whose, file, parse);
        for folder in &self.debug_dir {
            parse = parse.arg("--debug-dir").arg(folder);
        }
        for (option, path) in [("--symfs", &self.symfs), ("--kallsyms", &self.kallsyms)] {
            parse = path.iter().fold(parse, |parse, path| parse.arg(option).arg(path));
        }
        if let Some(limit) = self.debuginfod {
            let value = limit.map_or_else(String::new, |seconds| format!("={seconds}"));
            parse = parse.arg(format!("--debuginfod{value}"));
        }
        let mut stages = vec![parse.arg("--").arg(file)];
        stages.push(Stage::new("stack-demangle"));
        stages.extend(self.hide(sampling.has_waits()));
        if !sampling.critical {
            stages.extend(self.keep());
            stages.push(Stage::new("stack-merge"));
        }
        stages
    }

    /// What is measured, and when.
    fn measured(
        &self,
        sampling: &Sampling,
        whose: Option<String>,
        file: &Path,
        mut parse: Stage,
    ) -> Stage {
        if sampling.off_cpu {
            let value = whose.map_or_else(String::new, |whose| format!("={whose}"));
            parse = parse.arg(format!("--off-cpu{value}"));
        }
        if sampling.of_threads() {
            parse = parse.arg("--wall");
        }
        if sampling.wakers {
            parse = parse.arg("--wakers");
        }
        if sampling.latency {
            parse = parse.arg("--weight=latency");
        }
        match sampling {
            Sampling { critical: true, .. } => {
                parse = parse.arg("--labels=since,time,comm,pid,tid,state,waker");
            }
            Sampling { brief: true, .. } => {
                parse = brief::events(file).into_iter().fold(parse, Stage::arg);
            }
            Sampling { wall: true, .. } => parse = parse.arg("--labels=since,comm,tid,state"),
            _ if self.time => parse = parse.arg("--labels=since,comm,tid"),
            _ => {}
        }
        parse
    }

    /// What folds recursion, and puts stacks that were cut in it below its callers, unless the user
    /// wants it raw.
    pub(crate) fn fold(&self) -> Option<Stage> {
        (!self.raw).then(|| Stage::new("stack-fold-towers").arg("--reattach"))
    }

    fn hide(&self, has_waits: bool) -> Option<Stage> {
        let always = (!self.raw).then_some(ALWAYS);
        let presets = always.into_iter().chain(self.presets.iter().map(String::as_str));
        let dropped = (has_waits && !self.raw).then_some(("--drop", SCHEDULER));
        let mut rules = presets.map(|name| ("--preset", name)).chain(dropped).peekable();
        rules.peek()?;
        let stage = Stage::new("stack-collapse-frames");
        Some(rules.fold(stage, |stage, (option, value)| stage.arg(option).arg(value)))
    }

    /// What finds the critical path in slices. What is kept is kept of the path: without some slices
    /// it would be another one.
    pub(crate) fn path(&self) -> Vec<Stage> {
        let path = Stage::new("stack-critical");
        let path = if self.time { path.arg("--per-sample") } else { path };
        [path].into_iter().chain(self.keep()).chain([Stage::new("stack-merge")]).collect()
    }

    fn keep(&self) -> Vec<Stage> {
        let grep = |pattern: &String| Stage::new("stack-grep").arg(format!("--regexp={pattern}"));
        self.patterns.iter().map(grep).collect()
    }
}
