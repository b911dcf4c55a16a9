//! From stacks to the picture, or to the table.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::failure::{Failure, say};
use crate::siblings::{self, Piped, Stage};
use crate::writable;

/// What is made of the stacks.
#[derive(Debug, clap::Args)]
pub(crate) struct Picture {
    /// Where the picture goes; '-' is standard output
    #[arg(short, long, value_name = "FILE", default_value = "flame.svg")]
    output: PathBuf,

    /// The text over the picture; the default is what was recorded
    #[arg(long, value_name = "TEXT")]
    pub(crate) title: Option<String>,

    /// Print what is hot, as stack-top does, instead of drawing a picture
    #[arg(long, conflicts_with_all = ["output", "open"])]
    text: bool,

    /// Print the source of the hottest functions, or of those that match, with what each line
    /// weighs, as stack-source does, instead of drawing a picture
    #[arg(long, value_name = "PATTERN", num_args = 0..=1, require_equals = true)]
    #[arg(default_missing_value = "", conflicts_with_all = ["output", "open", "text"])]
    source: Option<String>,

    /// Open the picture in a browser
    #[arg(long)]
    open: bool,

    /// Keep the stacks of the picture in this file, for stack-grep and others
    #[arg(long, value_name = "FILE")]
    folded: Option<PathBuf>,
}

impl Picture {
    /// Finds out whether the files can be written.
    pub(crate) fn check(&self) -> Result<(), Failure> {
        if let Some(folded) = &self.folded {
            writable::check(folded)?;
        }
        if self.is_printed() { Ok(()) } else { writable::check(&self.output) }
    }

    /// Whether the answer is printed, and in no file.
    fn is_printed(&self) -> bool {
        self.text || self.source.is_some() || self.goes_to_stdout()
    }

    fn goes_to_stdout(&self) -> bool {
        self.output == Path::new("-")
    }

    /// What lists the source, if that is wanted.
    pub(crate) fn source(&self) -> Option<Stage> {
        let pattern = self.source.as_ref()?;
        let stage = Stage::new("stack-source");
        Some(match &pattern[..] {
            "" => stage,
            pattern => stage.arg(format!("--regexp={pattern}")),
        })
    }

    /// Draws what `stages` write; `advice` is given where they write no stack.
    pub(crate) fn draw(
        &self,
        title: &str,
        mut stages: Vec<Stage>,
        advice: &str,
    ) -> Result<(), Failure> {
        let Some(folded) = &self.folded else {
            stages.push(self.stage(title));
            return self.shown(siblings::run(&stages, Stdio::inherit())?, advice);
        };
        let file = File::create(folded).map_err(|it| Failure::of_file(folded.display(), it))?;
        match siblings::run(&stages, file.into())? {
            Piped::Well => {
                let last = self.stage(title).arg("--").arg(folded);
                self.shown(siblings::run(&[last], Stdio::inherit())?, advice)
            }
            ended => self.shown(ended, advice),
        }
    }

    fn stage(&self, title: &str) -> Stage {
        if self.text {
            return Stage::new("stack-top");
        }
        if let Some(source) = self.source() {
            return source;
        }
        let svg = Stage::new("stack-svg").arg(format!("--title={title}"));
        if self.goes_to_stdout() { svg } else { svg.arg("-o").arg(&self.output) }
    }

    fn shown(&self, ended: Piped, advice: &str) -> Result<(), Failure> {
        let what = match self {
            Picture { text: true, .. } => "table",
            Picture { source: Some(_), .. } => "listing",
            _ => "picture",
        };
        match ended {
            Piped::Nothing => {
                Err(Failure::ours(format!("no {what}: there is no stack to show{advice}")))
            }
            Piped::Trouble(tool) => {
                Err(Failure::ours(format!("no {what}, or not all of it: {tool} had trouble")))
            }
            Piped::Well if self.is_printed() => Ok(()),
            Piped::Well => {
                self.tell();
                Ok(())
            }
        }
    }

    /// Says where the picture is, and opens it if that is wanted.
    fn tell(&self) {
        let file = std::path::absolute(&self.output).unwrap_or_else(|_| self.output.clone());
        say(format_args!("drawn: {}", self.output.display()));
        say(format_args!("open it in a browser: file://{}", file.display()));
        if self.open
            && let Err(error) = Command::new(OPENER).arg(&file).stdin(Stdio::null()).status()
        {
            say(format_args!("{OPENER}: {error}"));
        }
    }
}

/// What opens a file in the program that the user chose for its kind.
const OPENER: &str = match () {
    () if cfg!(target_os = "macos") => "open",
    () if cfg!(windows) => "explorer",
    () => "xdg-open",
};
