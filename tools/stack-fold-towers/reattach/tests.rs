use std::collections::BTreeSet;

use proptest::collection::vec;
use proptest::prelude::*;

use super::*;
use crate::towers::Folder;

/// Attaches a cut stack, given the whole ones, as text.
fn attached(whole: &[String], cut: &str) -> String {
    let (mut stacks, mut callers) = (NumberedStack::default(), Callers::default());
    let mut folder = Folder::new(LONGEST_PERIOD, 2);
    for stack in whole {
        stacks.read(stack.as_bytes());
        folder.fold(&stacks.numbers);
        callers.learn(&folder.levels);
    }
    callers.search([cut.as_bytes()].into_iter(), &mut stacks);
    stacks.read(cut.as_bytes());
    String::from_utf8(callers.attach(&stacks)).expect("ASCII")
}

/// The callers of `f` in the thread `p`, by the rule and nothing else: the one path with which
/// all others agree.
fn by_hand(whole: &[String]) -> Option<String> {
    let path = |stack: &String| {
        let frames: Vec<&str> = stack.split(';').collect();
        let at = frames.iter().position(|&frame| frame == "f")?;
        let is_known = at > 0 && !["[unknown]", "[truncated]"].contains(&frames[at - 1]);
        (is_known && frames[0] == "p").then(|| frames[..at].join(";"))
    };
    let paths: BTreeSet<String> = whole.iter().filter_map(path).collect();
    let agrees = |path: &str, one: &str| match path.strip_prefix("p;[truncated];") {
        None => path == one,
        Some(rest) => {
            let rest = rest.trim_start_matches("[truncated];");
            one == path || one.ends_with(&format!(";{rest}"))
        }
    };
    let is_the_one = |one: &&String| paths.iter().all(|path| agrees(path, one));
    paths.iter().filter(is_the_one).max_by_key(|path| path.len()).cloned()
}

fn whole_stacks() -> impl Strategy<Value = Vec<String>> {
    let start = prop_oneof![
        3 => Just("p;[truncated]"),
        3 => Just("p;_start;main"),
        1 => Just("p;[truncated];[truncated]"),
        1 => Just("p;[unknown]"),
        1 => Just("p"),
        1 => Just("q;main"),
    ];
    let frame = prop_oneof![
        8 => Just("f"), 4 => Just("main"), 4 => Just("run"), 2 => Just("g"), 1 => Just("[unknown]"),
    ];
    let stack = (start, vec(frame, 0..4))
        .prop_map(|(start, frames)| [&[start], &frames[..], &["leaf"]].concat().join(";"));
    vec(stack, 0..5)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4000))]
    #[test]
    fn callers_are_those_with_which_all_stacks_agree(whole in whole_stacks()) {
        // Towers are folded before callers are looked for.
        let mut folded = whole.clone();
        for stack in &mut folded {
            let mut frames: Vec<&str> = stack.split(';').collect();
            frames.dedup();
            *stack = frames.join(";");
        }
        let is_cycle = |stack: &String| {
            let frames: Vec<&str> = stack.split(';').collect();
            frames.windows(4).any(|it| it[..2] == it[2..])
        };
        prop_assume!(!folded.iter().any(is_cycle));
        let callers = by_hand(&folded).unwrap_or_else(|| "p;[truncated]".to_owned());
        prop_assert_eq!(attached(&whole, "p;f;f;f;x"), format!("{callers};f;f;f;x"));
    }

    #[test]
    fn the_order_of_the_stacks_does_not_matter(
        (whole, other) in whole_stacks().prop_flat_map(|it| (Just(it.clone()), Just(it).prop_shuffle()))
    ) {
        prop_assert_eq!(attached(&whole, "p;f;f;x"), attached(&other, "p;f;f;x"));
        prop_assert_eq!(attached(&whole, "f;f;x"), attached(&other, "f;f;x"));
    }
}

#[test]
fn a_truncated_path_is_no_contradiction() {
    let whole =
        |paths: &[&str]| paths.iter().map(|path| format!("{path};map;leaf")).collect::<Vec<_>>();
    for (paths, callers) in [
        (&["p;_start;main;run", "p;[truncated];main;run"][..], "p;_start;main;run"),
        (&["p;[truncated];run", "p;[truncated];main;run"], "p;[truncated];main;run"),
        (&["p;[truncated];run", "p;_start;main;stop"], "p;[truncated]"),
        (&["p;[truncated];run", "p;_start;run", "p;_start;main;run"], "p;[truncated]"),
        (&["p;_start;main;run", "q;[truncated];stop"], "p;_start;main;run"),
        (&["p;_start;main;run", "p;[truncated]"], "p;_start;main;run"),
    ] {
        assert_eq!(attached(&whole(paths), "p;map;map;x"), format!("{callers};map;map;x"));
    }
}
