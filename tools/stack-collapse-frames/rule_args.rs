//! The options that give rules, in the order of the command line.

use std::ffi::OsString;
use std::path::Path;

use clap::{Arg, ArgAction, ArgMatches, Args, Command, FromArgMatches, value_parser};
use common::io::{STDIN, read_whole};
use common::{Error, Result, names::printable, stacks::FrameTable};

use crate::presets::NameParser;
use crate::rule::Rule;
use crate::rule_file;
use crate::rule_text::{RuleText, Verb};

/// The options that give rules: name, argument, help.
const OPTIONS: [(&str, &str, &str); 10] = [
    ("drop", "RE", "Drop the frames that match; their weight goes to their callers"),
    (
        "drop-kind",
        "KIND",
        "Drop the frames of a kind of code: own, library, runtime, kernel, no-symbol, unknown, \
         waiting or runnable; all stacks are read first",
    ),
    ("merge", "RE=NAME", "Replace neighbouring frames that match by one frame NAME"),
    ("below", "RE=NAME", "Replace the first frame that matches and all below it by one frame NAME"),
    ("reroot", "RE", "Drop the last frame that matches and all above it"),
    (
        "charge-own",
        "",
        "Drop all frames but own code, as stack-parse --annotate marks it; their weight goes to the \
         own frame that called them, or to [not own]",
    ),
    ("preset", "NAME", "Run the rules of a preset, see --list-presets"),
    ("rules", "FILE", "Run the rules in this file, one a line; '-' is standard input"),
    ("lwt", "MODE", "Start the stacks at Lwt's fibres: those resumed (reroot), or all (entries)"),
    ("keep", "RE", "With --lwt entries: functions that match do not start a fibre"),
];

/// Options with their arguments, in their order.
///
/// clap's derive does not keep the order between different options, so its traits
/// are implemented here.
#[derive(Debug)]
pub(crate) struct RuleArgs(Vec<(&'static str, OsString)>);

impl RuleArgs {
    /// Makes rules from the options, and reads files and presets.
    ///
    /// # Errors
    ///
    /// A usage error that names the option or the line.
    pub(crate) fn compile(self, table: &mut FrameTable) -> Result<Vec<Rule>> {
        let (mut texts, mut keep) = (Vec::new(), Vec::new());
        for (option, argument) in self.0 {
            let shown = printable(argument.as_encoded_bytes());
            match Verb::ALL.iter().find(|(name, _)| *name == option) {
                Some((_, verb)) => {
                    let origin = match *verb {
                        Verb::ChargeOwn => format!("--{option}"),
                        _ => format!("--{option} '{shown}'"),
                    };
                    texts.push(RuleText::parse(origin, *verb, argument.as_encoded_bytes())?);
                }
                None if option == "preset" => {
                    texts.extend(rule_file::preset(&argument.to_string_lossy())?);
                }
                None if option == "lwt" => texts.extend(lwt(&argument.to_string_lossy())?),
                None if option == "keep" => keep.push(argument.into_encoded_bytes()),
                None => {
                    let name = if argument == "-" { STDIN.to_owned() } else { shown.to_string() };
                    texts.extend(rule_file::parse(&name, &read_whole(Path::new(&argument))?)?);
                }
            }
        }
        if !keep.is_empty() && !texts.iter().any(RuleText::learns) {
            return Err(Error::Usage("--keep: expected --lwt entries".to_owned()));
        }
        for text in &mut texts {
            text.keep.clone_from(&keep);
        }
        texts.into_iter().map(|text| text.compile(table)).collect()
    }
}

/// The rules of `--lwt`.
fn lwt(mode: &str) -> Result<Vec<RuleText>> {
    match mode {
        "reroot" | "entries" => rule_file::preset(&format!("lwt-{mode}")),
        _ => Err(Error::Usage(format!("--lwt '{mode}': expected reroot or entries"))),
    }
}

impl FromArgMatches for RuleArgs {
    fn from_arg_matches(matches: &ArgMatches) -> Result<RuleArgs, clap::Error> {
        let mut given = Vec::new();
        for (option, _, _) in OPTIONS {
            let indices = matches.indices_of(option).into_iter().flatten();
            let arguments = matches.get_many::<OsString>(option).into_iter().flatten();
            given.extend(indices.zip(arguments).map(|(index, argument)| (index, option, argument)));
        }
        given.sort_unstable_by_key(|(index, _, _)| *index);
        let in_order = given.into_iter().map(|(_, option, argument)| (option, argument.clone()));
        Ok(RuleArgs(in_order.collect()))
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = RuleArgs::from_arg_matches(matches)?;
        Ok(())
    }
}

impl Args for RuleArgs {
    fn augment_args(command: Command) -> Command {
        command.args(OPTIONS.map(|(name, argument, help)| {
            let arg = Arg::new(name).long(name).help(help).action(ArgAction::Append);
            if argument.is_empty() {
                return arg
                    .num_args(0)
                    .default_missing_value("")
                    .value_parser(value_parser!(OsString));
            }
            let arg = arg.value_name(argument).allow_hyphen_values(true);
            match name {
                "preset" => arg.value_parser(NameParser).hide_possible_values(true),
                _ => arg.value_parser(value_parser!(OsString)),
            }
        }))
    }

    fn augment_args_for_update(command: Command) -> Command {
        RuleArgs::augment_args(command)
    }
}
