//! The commands that do to folded stacks what the reader did here.

use common::{names::module, pattern::literal_pattern, shell, stacks::FrameId};

use crate::call_tree::CallTree;
use crate::profile::Profile;
use crate::steps::Step;

/// The longest pattern of one option, in bytes: a system may refuse a longer word.
const LONGEST_PATTERN: usize = 30_000;

/// The module of frames with the mark of the kernel.
const KERNEL: &[u8] = b"[kernel]";

/// The command that does the same as a step.
pub(crate) fn of_step(step: &Step, profile: &Profile) -> String {
    let exact = |name: &[u8]| shell::word(&format!("^{}$", literal_pattern(name)));
    match step {
        Step::Only(name) => format!("stack-grep {}", exact(name)),
        Step::Without(name) => format!("stack-grep -v {}", exact(name)),
        Step::Hide(name) => format!("stack-collapse-frames --drop {}", exact(name)),
        Step::HideModule(its) => {
            let drops = patterns_of_module(its, profile)
                .iter()
                .map(|it| shell::word(it))
                .collect::<Vec<_>>();
            format!("stack-collapse-frames --drop {}", drops.join(" --drop "))
        }
        Step::FoldRecursion => "stack-fold-towers --max-period 1".to_owned(),
        Step::NoRoots => "LC_ALL=C sed 's/^[^;]*;//'".to_owned(),
    }
}

/// The command that keeps the stacks that begin with these frames.
pub(crate) fn of_path(frames: &[FrameId], profile: &Profile) -> String {
    let names = frames.iter().map(|frame| literal_pattern(profile.name(*frame)));
    format!(
        "stack-grep --stack {}",
        shell::word(&format!("^{}(;|$)", names.collect::<Vec<_>>().join(";")))
    )
}

/// The command that keeps the stacks that end with these frames, which are in the order leaf first.
pub(crate) fn of_end(frames: &[FrameId], profile: &Profile) -> String {
    let names = frames.iter().rev().map(|frame| literal_pattern(profile.name(*frame)));
    format!(
        "stack-grep --stack {}",
        shell::word(&format!("(^|;){}$", names.collect::<Vec<_>>().join(";")))
    )
}

/// The command that keeps the stacks with a frame.
pub(crate) fn of_frame(frame: FrameId, profile: &Profile) -> String {
    let name = literal_pattern(profile.name(frame));
    format!("stack-grep --stack {}", shell::word(&format!("(^|;){name}(;|$)")))
}

/// Patterns that together match the functions of a module and no others: a short one, if it does
/// so in this profile, or else their names.
fn patterns_of_module(its: &[u8], profile: &Profile) -> Vec<String> {
    if its == KERNEL {
        // A pattern with a mark sees marks.
        return vec![r"_\[k\](_\[.\])*$".to_owned(), r"^\[kernel\]$".to_owned()];
    }
    let all = || (0..profile.frames.len() as FrameId).filter(|it| *it != CallTree::NO_FRAME);
    let is_in = |frame: FrameId| module(profile.name(frame)) == its;
    let text = literal_pattern(its);
    let short = [format!("^{text}$"), format!("^{text}[.:!`]"), format!(r"^{text}(\.|::)[^.:]*$")];
    let fits = |pattern: &String| {
        let regex = regex::bytes::Regex::new(pattern);
        regex.is_ok_and(|it| {
            all().all(|frame| it.is_match(profile.function_name(frame)) == is_in(frame))
        })
    };
    if let Some(found) = short.into_iter().find(fits) {
        return vec![found];
    }
    let mut lists = vec![String::new()];
    for frame in all().filter(|frame| is_in(*frame)) {
        let name = literal_pattern(profile.function_name(frame));
        let last = lists.last_mut().expect("there is one");
        if last.is_empty() {
            *last = name;
        } else if last.len() + name.len() < LONGEST_PATTERN {
            last.push('|');
            last.push_str(&name);
        } else {
            lists.push(name);
        }
    }
    lists.into_iter().map(|list| format!("^({list})$")).collect()
}
