//! From stacks to the picture, or to the table.

use std::io::{self, Read, Seek};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::failure::{Failure, say};
use crate::outputs::Output;
use crate::siblings::{self, Piped, Stage};

/// What is made of the stacks.
#[derive(Debug, clap::Args)]
pub(crate) struct Picture {
    /// Where the picture goes; '-' is standard output
    #[arg(short, long, value_name = "FILE", default_value = "flame.svg")]
    output: PathBuf,

    /// The text over the picture; the default is what was recorded
    #[arg(long, value_name = "TEXT")]
    pub(crate) title: Option<String>,

    /// Print what is hot, as stack-top does, instead of drawing a picture; or write it to FILE
    #[arg(long, value_name = "FILE", require_equals = true)]
    #[arg(conflicts_with_all = ["output", "open"])]
    text: Option<Option<PathBuf>>,

    /// Print the source of the hottest functions, or of those that match, with what each line
    /// weighs, as stack-source does, instead of drawing a picture
    #[arg(long, value_name = "PATTERN", num_args = 0..=1, require_equals = true)]
    #[arg(default_missing_value = "", conflicts_with_all = ["output", "open", "text"])]
    source: Option<String>,

    /// Where the sources are, if not below this folder; may be given several times
    #[arg(long, value_name = "DIR", requires = "source")]
    source_path: Vec<PathBuf>,

    /// Open the picture in a browser
    #[arg(long)]
    open: bool,

    /// Keep the stacks of the picture in this file, for stack-grep and others
    #[arg(long, value_name = "FILE")]
    folded: Option<PathBuf>,
}

/// Where sources may be that are listed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reach {
    /// Below this folder and those of `--source-path`: a recording may be somebody else's, and name
    /// any file of the reader.
    Named,
    /// Everywhere: the user runs the program, which may read all files anyway.
    Everywhere,
}

impl Picture {
    /// The files that are written.
    pub(crate) fn outputs(&self) -> impl Iterator<Item = Output<'_>> {
        let option = if self.text.is_some() { "--text" } else { "-o" };
        let folded = self.folded.as_deref().map(|file| ("--folded", file));
        folded.into_iter().chain(self.file().map(|file| (option, file)))
    }

    /// The file of the answer, unless that is printed.
    fn file(&self) -> Option<&Path> {
        let file = match &self.text {
            Some(file) => file.as_deref()?,
            None if self.source.is_some() => return None,
            None => &self.output,
        };
        (file != Path::new("-")).then_some(file)
    }

    /// What lists the source, if that is wanted.
    pub(crate) fn source(&self, reach: Reach) -> Option<Stage> {
        let pattern = self.source.as_ref()?;
        let mut stage = Stage::new("stack-source");
        if !pattern.is_empty() {
            stage = stage.arg(format!("--regexp={pattern}"));
        }
        let everywhere = (reach == Reach::Everywhere).then_some(Path::new("/"));
        for folder in self.source_path.iter().map(PathBuf::as_path).chain(everywhere) {
            stage = stage.arg("--source-path").arg(folder);
        }
        Some(stage)
    }

    /// Draws what `stages` write; `advice` is given where they write no stack.
    pub(crate) fn draw(
        &self,
        title: &str,
        mut stages: Vec<Stage>,
        advice: &str,
        reach: Reach,
    ) -> Result<(), Failure> {
        let last = self.stage(title, reach);
        let Some(folded) = &self.folded else {
            stages.push(last);
            return self.shown(self.run(&stages)?, advice);
        };
        let (ended, is_written) = write(&stages, folded)?;
        if !is_written {
            return self.shown(ended, advice);
        }
        let last = last.arg("--").arg(folded);
        self.shown(ended.and(self.run(&[last])?), advice)
    }

    /// Runs the stages that end with the answer.
    fn run(&self, stages: &[Stage]) -> Result<Piped, Failure> {
        match self.file() {
            Some(file) if self.text.is_some() => Ok(write(stages, file)?.0),
            _ => siblings::run(stages, Stdio::inherit()),
        }
    }

    fn stage(&self, title: &str, reach: Reach) -> Stage {
        if self.text.is_some() {
            return Stage::new("stack-top");
        }
        if let Some(source) = self.source(reach) {
            return source;
        }
        let svg = Stage::new("stack-svg").arg(format!("--title={title}"));
        self.file().iter().fold(svg, |svg, file| svg.arg("-o").arg(file))
    }

    fn shown(&self, ended: Piped, advice: &str) -> Result<(), Failure> {
        let what = match self {
            Picture { text: Some(_), .. } => "table",
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
            Piped::Well => {
                self.tell();
                Ok(())
            }
        }
    }

    /// Says where the answer is, and opens a picture if that is wanted.
    fn tell(&self) {
        let Some(path) = self.file() else { return };
        if self.text.is_some() {
            return say(format_args!("written: {}", path.display()));
        }
        let file = std::path::absolute(path).unwrap_or_else(|_| path.to_path_buf());
        say(format_args!("drawn: {}", path.display()));
        say(format_args!("open it in a browser: {}", url(&file)));
        if self.open
            && let Err(error) = Command::new(OPENER).arg(&file).stdin(Stdio::null()).status()
        {
            say(format_args!("{OPENER}: {}", common::reason(&error)));
        }
    }
}

/// Writes what the stages print to a file, and says whether that was anything; if not, the file is
/// left as it is.
fn write(stages: &[Stage], file: &Path) -> Result<(Piped, bool), Failure> {
    let failed = |error: io::Error| Failure::of_file(std::env::temp_dir().display(), error);
    let mut printed = tempfile::tempfile().map_err(failed)?;
    let ended = siblings::run(stages, printed.try_clone().map_err(failed)?.into())?;
    let mut text = Vec::new();
    printed.rewind().map_err(failed)?;
    printed.read_to_end(&mut text).map_err(failed)?;
    if !text.is_empty() {
        common::io::write_whole_file(file, &text).map_err(|it| Failure::ours(it.to_string()))?;
    }
    Ok((ended, !text.is_empty()))
}

/// The address of a file in a browser: `file:///C:/flame.svg` on Windows.
fn url(file: &Path) -> String {
    let path = file.display().to_string();
    if cfg!(windows) {
        return format!("file:///{}", path.replace('\\', "/"));
    }
    format!("file://{path}")
}

/// What opens a file in the program that the user chose for its kind.
const OPENER: &str = match () {
    () if cfg!(target_os = "macos") => "open",
    () if cfg!(windows) => "explorer",
    () => "xdg-open",
};
