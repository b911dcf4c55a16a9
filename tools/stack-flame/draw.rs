//! From stacks to the picture, or to the table.

use std::fs::File;
use std::io::{self, Read, Seek};
use std::path::{Path, PathBuf};
use std::process::Stdio;

use clap::{ArgGroup, ValueEnum};

use crate::answer::{self, Answer, Of};
use crate::browser;
use crate::failure::Failure;
use crate::outputs::Output;
use crate::said::{Notes, say};
use crate::siblings::{self, Piped, Stage};

/// What is made of the stacks.
#[derive(Debug, clap::Args)]
#[command(group = ArgGroup::new("printed"))]
pub(crate) struct Picture {
    /// Where the picture goes; '-' is standard output
    #[arg(short, long, value_name = "FILE", default_value = "flame.svg")]
    output: PathBuf,

    /// The text over the picture; the default is what was recorded
    #[arg(long, value_name = "TEXT")]
    pub(crate) title: Option<String>,

    /// Print what is hot, as stack-top does, instead of drawing a picture; or write it to FILE
    #[arg(long, value_name = "FILE", require_equals = true, group = "printed")]
    #[arg(conflicts_with_all = ["output", "open"])]
    text: Option<Option<PathBuf>>,

    /// Print the source of the hottest functions, or of those that match, with what each line
    /// weighs, as stack-source does, instead of drawing a picture
    #[arg(long, value_name = "PATTERN", num_args = 0..=1, require_equals = true)]
    #[arg(group = "printed")]
    #[arg(default_missing_value = "", conflicts_with_all = ["output", "open", "text"])]
    source: Option<String>,

    /// Where the sources are, if not below this folder; may be given several times
    #[arg(long, value_name = "DIR")]
    source_path: Vec<PathBuf>,

    /// The order of the functions of --text and --source [default: own]
    #[arg(long, value_enum, value_name = "COLUMN", requires = "printed")]
    sort: Option<Sort>,

    /// Open the picture in a browser, also where this was not typed in a terminal
    #[arg(long, conflicts_with = "no_open")]
    open: bool,

    /// Do not open the picture in a browser
    #[arg(long)]
    no_open: bool,

    /// Whether a page is printed in place of it.
    #[arg(skip)]
    pub(crate) is_page: bool,

    /// Keep the stacks of the picture in this file, for stack-grep and others
    #[arg(long, value_name = "FILE")]
    folded: Option<PathBuf>,
}

/// What functions are sorted by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Sort {
    /// The weight of the stacks whose deepest function of own code it is
    Own,
    /// The weight of the stacks that end in the function
    #[value(name = "self")]
    SelfWeight,
    /// The weight of the stacks that hold the function
    Total,
}

impl Sort {
    fn word(self) -> &'static str {
        match self {
            Sort::Own => "own",
            Sort::SelfWeight => "self",
            Sort::Total => "total",
        }
    }
}

/// What is drawn, and how.
pub(crate) struct Wanted<'a> {
    pub(crate) title: &'a str,
    /// What may help where there is no stack.
    pub(crate) advice: &'a str,
    pub(crate) reach: Reach,
    pub(crate) of: Of,
    /// Where the recording stays, if it does.
    pub(crate) kept: Option<&'a Path>,
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
            None if self.source.is_some() || self.is_page => return None,
            None => &self.output,
        };
        (file != Path::new("-")).then_some(file)
    }

    /// What lists the source, if that is wanted.
    pub(crate) fn source(&self, reach: Reach) -> Option<Stage> {
        let pattern = self.source.as_ref()?;
        let mut stage = Stage::new("stack-source").arg("--sort").arg(self.sort().word());
        if !pattern.is_empty() {
            stage = stage.arg(format!("--regexp={pattern}"));
        }
        let everywhere = (reach == Reach::Everywhere).then_some(Path::new("/"));
        for folder in self.source_path.iter().map(PathBuf::as_path).chain(everywhere) {
            stage = stage.arg("--source-path").arg(folder);
        }
        Some(stage)
    }

    fn sort(&self) -> Sort {
        self.sort.unwrap_or(Sort::Own)
    }

    /// Draws what `stages` write, after `fold`, if anything is folded.
    pub(crate) fn draw(
        &self,
        (stages, path): (&[Stage], &[Stage]),
        fold: Option<Stage>,
        wanted: &Wanted<'_>,
        notes: &Notes,
    ) -> Result<(), Failure> {
        let (mut ended, mut stacks) = written(stages, Stdio::inherit(), notes)?;
        let mut gains = None;
        if let Some(slices) = stacks.as_ref().filter(|_| wanted.of == Of::Path) {
            gains = self.gains(slices)?;
            let (later, found) = through(path, slices, notes)?;
            (ended, stacks) = (ended.and(later), found);
        }
        let Some(stacks) = stacks else {
            return self.shown(ended, wanted.advice, Answer::default(), notes);
        };
        if wanted.of == Of::Brief {
            self.folded.as_ref().map(|folded| write(&stacks, folded)).transpose()?;
            let later = [self.brief(wanted)];
            let later = siblings::run(&later, again(&stacks)?.into(), Stdio::inherit(), notes)?;
            return self.shown(ended.and(later), wanted.advice, Answer::default(), notes);
        }
        let mut answer = Answer::of(again(&stacks)?, wanted.of).map_err(of_temporary)?;
        if let Some(gains) = gains {
            answer = answer.with_gains(&gains);
        }
        if self.is_picture() && wanted.of != Of::Path {
            answer.lines.splice(..0, title(&stacks)?);
        }
        if let Some(folded) = &self.folded {
            let (later, kept) = through(&self.before_last("none", fold.clone()), &stacks, notes)?;
            kept.map(|kept| write(&kept, folded)).transpose()?;
            ended = ended.and(later);
        }
        let mut stages = self.before_last("own", fold);
        if self.text.is_some() && wanted.of == Of::Threads {
            stages.push(Stage::new("stack-collapse-frames").arg("--charge-own"));
        }
        stages.push(self.stage(wanted));
        let later = self.run(&stages, again(&stacks)?.into(), notes)?;
        self.shown(ended.and(later), wanted.advice, answer, notes)
    }

    /// What prints the page.
    fn brief(&self, wanted: &Wanted<'_>) -> Stage {
        let everywhere = (wanted.reach == Reach::Everywhere).then_some(Path::new("/"));
        let folders = self.source_path.iter().map(PathBuf::as_path).chain(everywhere);
        let brief = folders.fold(Stage::new("stack-brief"), |brief, folder| {
            brief.arg("--source-path").arg(folder)
        });
        wanted.kept.iter().fold(brief, |brief, file| brief.arg("--recording").arg(file))
    }

    /// The table of what would gain most, for programs, if it is shown and can be made.
    fn gains(&self, slices: &File) -> Result<Option<Vec<u8>>, Failure> {
        let stage = Stage::new("stack-critical").arg("--gains").arg("--tsv");
        let mut command = stage.command()?;
        let output = command.stdin(again(slices)?).stderr(Stdio::null()).output();
        let output = output.map_err(of_temporary)?;
        Ok(output.status.success().then_some(output.stdout))
    }

    fn is_picture(&self) -> bool {
        self.text.is_none() && self.source.is_none() && !self.is_page
    }

    /// What is done with the stacks of all lines. In a picture, a function is one box, whatever its
    /// lines are. What is folded would be missing from the lines that it was called on.
    fn before_last(&self, lines: &str, fold: Option<Stage>) -> Vec<Stage> {
        match self {
            Picture { source: Some(_), .. } => Vec::new(),
            Picture { text: Some(_), .. } => fold.into_iter().collect(),
            _ => {
                let merged = Stage::new("stack-merge").arg("--lines").arg(lines);
                let folded = fold.map(|fold| [fold, Stage::new("stack-merge")]);
                [merged].into_iter().chain(folded.into_iter().flatten()).collect()
            }
        }
    }

    /// Runs the stages that end with the answer.
    fn run(&self, stages: &[Stage], input: Stdio, notes: &Notes) -> Result<Piped, Failure> {
        match self.file() {
            Some(file) if self.text.is_some() => {
                let (ended, text) = written(stages, input, notes)?;
                text.map(|text| write(&text, file)).transpose()?;
                Ok(ended)
            }
            _ => siblings::run(stages, input, Stdio::inherit(), notes),
        }
    }

    fn stage(&self, wanted: &Wanted<'_>) -> Stage {
        let is_split = wanted.of == Of::Threads;
        if self.text.is_some() {
            let top = Stage::new("stack-top").arg("--sort");
            return match is_split {
                true => top.arg("self").arg("--split").arg("state"),
                false => top.arg(self.sort().word()),
            };
        }
        if let Some(source) = self.source(wanted.reach) {
            return source;
        }
        let svg = Stage::new("stack-svg").arg(format!("--title={}", wanted.title));
        let svg = if is_split { svg.arg("--split").arg("state") } else { svg };
        self.file().iter().fold(svg, |svg, file| svg.arg("-o").arg(file))
    }

    fn shown(
        &self,
        ended: Piped,
        advice: &str,
        answer: Answer,
        notes: &Notes,
    ) -> Result<(), Failure> {
        let what = match self {
            Picture { text: Some(_), .. } => "table",
            Picture { source: Some(_), .. } => "listing",
            Picture { is_page: true, .. } => "page",
            _ => "picture",
        };
        match ended {
            Piped::Nothing => {
                let why = match &self.source {
                    Some(pattern) if !pattern.is_empty() => "no function matches, or ",
                    _ => "",
                };
                Err(Failure::ours(format!("no {what}: {why}there is no stack to show{advice}")))
            }
            Piped::Trouble(tool) => {
                Err(Failure::ours(format!("no {what}, or not all of it: {tool} had trouble")))
            }
            Piped::Well => {
                answer.hints.iter().for_each(say);
                notes.tell(0);
                self.tell(answer.lines);
                Ok(())
            }
        }
    }

    /// Says where the answer is and what it is, and opens a picture.
    fn tell(&self, answer: Vec<String>) {
        let answer = if self.is_picture() { answer } else { Vec::new() };
        let Some(path) = self.file() else { return answer::print(&answer) };
        if self.text.is_some() {
            return say(format_args!("written: {}", path.display()));
        }
        let file = std::path::absolute(path).unwrap_or_else(|_| path.to_path_buf());
        let drawn = format!("drawn: {}, open {}", path.display(), browser::url(&file));
        answer::print(&[vec![drawn], answer].concat());
        if self.open || !self.no_open && browser::is_at_hand() {
            browser::open(&file, self.open);
        }
    }
}

/// How the time is spent: the first line of the page of stack-brief, if it says so.
fn title(stacks: &File) -> Result<Option<String>, Failure> {
    let mut command = Stage::new("stack-brief").arg("--chars").arg("500").command()?;
    let output = command.stdin(again(stacks)?).stderr(Stdio::null()).output();
    let page = output.map_err(of_temporary)?.stdout;
    let first = String::from_utf8_lossy(&page).lines().next().map(str::to_owned);
    let title = first.and_then(|line| line.strip_prefix("# ").map(str::to_owned));
    let says_how = |title: &String| title.contains(" of CPU") || title.contains('%');
    Ok(title.filter(says_how))
}

/// Runs stages, and returns what they print as a temporary file; `None` if they print nothing.
fn written(
    stages: &[Stage],
    input: Stdio,
    notes: &Notes,
) -> Result<(Piped, Option<File>), Failure> {
    let printed = tempfile::tempfile().map_err(of_temporary)?;
    let output = printed.try_clone().map_err(of_temporary)?;
    let ended = siblings::run(stages, input, output.into(), notes)?;
    let is_empty = printed.metadata().map_err(of_temporary)?.len() == 0;
    Ok((ended, (!is_empty).then_some(printed)))
}

/// A temporary file from its start.
fn again(mut file: &File) -> Result<File, Failure> {
    file.rewind().and_then(|()| file.try_clone()).map_err(of_temporary)
}

/// The stacks after these stages, if there are any stages.
fn through(
    stages: &[Stage],
    stacks: &File,
    notes: &Notes,
) -> Result<(Piped, Option<File>), Failure> {
    let input = again(stacks)?;
    match stages {
        [] => Ok((Piped::Well, Some(input))),
        stages => written(stages, input.into(), notes),
    }
}

/// Copies a temporary file to one of the user; if that fails, the latter is left as it is.
fn write(file: &File, to: &Path) -> Result<(), Failure> {
    let mut text = Vec::new();
    again(file)?.read_to_end(&mut text).map_err(of_temporary)?;
    common::io::write_whole_file(to, &text).map_err(|error| Failure::ours(error.to_string()))
}

fn of_temporary(error: io::Error) -> Failure {
    Failure::of_file(std::env::temp_dir().display(), error)
}
