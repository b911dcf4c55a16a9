//! What is said of arguments that a tool does not know.

use std::ffi::OsString;

use clap::builder::StyledStr;
use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{Arg, ArgMatches, Command};

use crate::peers;

/// Adds a tip to an error where a peer has such an option or value.
pub(super) fn say_what_does_it_here(error: &mut clap::Error, command: &mut Command) {
    let words = std::env::args_os().skip(1);
    match answer(error, command.get_name(), words) {
        Some(answer) => {
            let tip = ContextValue::StyledStrs(vec![StyledStr::from(answer)]);
            error.insert(ContextKind::Suggested, tip);
            // What clap finds similar is not what the user wants.
            error.remove(ContextKind::SuggestedArg);
            error.remove(ContextKind::SuggestedValue);
            let usage = ContextValue::StyledStr(command.render_usage());
            error.insert(ContextKind::Usage, usage);
        }
        // It says how to pass the option as a file, which nobody wants to.
        None if is_option(error) => drop(error.remove(ContextKind::Suggested)),
        None => {}
    }
}

/// What the table answers to the word that is wrong.
fn answer(
    error: &clap::Error,
    tool: &str,
    words: impl Iterator<Item = OsString>,
) -> Option<&'static str> {
    let given = context(error, ContextKind::InvalidArg)?;
    // Of `-top`, clap names the first letter that is no option, or takes the rest for a value.
    let mut longer = words_of_one_dash(words)
        .filter(|word| given.starts_with("--") || word.contains(given.trim_start_matches('-')));
    let mut by_longer = || longer.find_map(|word| peers::answer(tool, &word));
    match error.kind() {
        ErrorKind::UnknownArgument if given.starts_with("--") => peers::answer(tool, given),
        ErrorKind::UnknownArgument => by_longer().or_else(|| peers::answer(tool, given)),
        ErrorKind::InvalidValue | ErrorKind::ValueValidation => {
            // `--to <FORMAT>`
            let option = given.split(' ').next()?;
            let value = context(error, ContextKind::InvalidValue)?;
            peers::answer(tool, &format!("{option}={value}")).or_else(by_longer)
        }
        _ => None,
    }
}

fn context(error: &clap::Error, kind: ContextKind) -> Option<&str> {
    match error.get(kind) {
        Some(ContextValue::String(text)) => Some(text),
        _ => None,
    }
}

/// Whether the unknown argument is an option, and not a pattern such as `->next`.
fn is_option(error: &clap::Error) -> bool {
    let name = context(error, ContextKind::InvalidArg).unwrap_or_default().trim_start_matches('-');
    name.starts_with(|first: char| first.is_ascii_alphabetic())
}

/// The words such as `-top` or `-focus=main`, without what follows the `=`.
fn words_of_one_dash(words: impl Iterator<Item = OsString>) -> impl Iterator<Item = String> {
    let words = words.filter_map(|word| word.into_string().ok()).take_while(|word| word != "--");
    let is_one = |word: &String| {
        let name = word.strip_prefix('-').unwrap_or_default();
        name.len() > 1 && name.starts_with(|first: char| first.is_ascii_alphabetic())
    };
    words.filter(is_one).map(|word| word.split('=').next().unwrap_or_default().to_owned())
}

/// Refuses what clap understands in another way than it was meant: `-focus=main` as
/// `-f ocus=main`, and `-http` as `-h`. A wrapper's words end at the program, whose own follow.
pub(super) fn without_options_of_go(
    parsed: Result<ArgMatches, clap::Error>,
    command: &Command,
    is_wrapper: bool,
) -> Result<ArgMatches, clap::Error> {
    if parsed.as_ref().is_err_and(clap::Error::use_stderr) {
        return parsed;
    }
    let mut previous = OsString::new();
    let is_own = |word: &OsString| {
        let is_value = takes_value(&std::mem::replace(&mut previous, word.clone()), command);
        !is_value
    };
    let words = std::env::args_os().skip(1).filter(is_own);
    let words = words.take_while(|word| !is_wrapper || word.as_encoded_bytes().starts_with(b"-"));
    let mut words = words_of_one_dash(words);
    let Some(word) = words.find(|word| peers::is_of_go(word)) else { return parsed };
    let mut error = clap::Error::new(ErrorKind::UnknownArgument).with_cmd(command);
    error.insert(ContextKind::InvalidArg, ContextValue::String(word));
    Err(error)
}

/// Whether the word after this one is its value: `-e`, `-ve` or `--regexp`.
fn takes_value(word: &OsString, command: &Command) -> bool {
    let Some(word) = word.to_str().filter(|word| word.starts_with('-')) else { return false };
    let is_named = |arg: &&Arg| match word.strip_prefix("--") {
        Some(long) => arg.get_long() == Some(long),
        None => arg.get_short().is_some_and(|short| word.ends_with(short)),
    };
    command.get_arguments().filter(is_named).any(|arg| arg.get_action().takes_values())
}
