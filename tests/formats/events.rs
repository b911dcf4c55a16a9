//! The list of events and the choice of one agree.

use std::sync::Mutex;

use super::{Case, for_every_case};
use crate::util::{golden_path, tool, weight};

/// What a list has where samples belong to no event: there is nothing to choose.
const NO_EVENT: &str = "[no event]";

/// Each total of the list is the sum of the stacks of its event.
#[test]
fn each_total_of_the_list_is_what_its_event_weighs() {
    let wrong = Mutex::new(Vec::new());
    let several = Mutex::new(0);
    for_every_case(|case| {
        let list = printed(case, &["--list-events", "--tsv"]);
        let list = String::from_utf8_lossy(&list).into_owned();
        let rows: Vec<Vec<&str>> =
            list.lines().skip(1).map(|row| row.split('\t').collect()).collect();
        *several.lock().expect("no panic") += usize::from(rows.len() > 1);
        for row in rows.iter().filter(|row| row[0] != NO_EVENT) {
            let sum = |weight_by: &[&str]| {
                let args = [&["--event", row[0]], weight_by].concat();
                weight(&printed(case, &args)).to_string()
            };
            let (by_default, [samples, total]) = (sum(&[]), [row[2], row[3]]);
            // Where all periods are equal, samples are counted if nothing else is asked for.
            let is_right = by_default == total
                || by_default == samples && sum(&["--weight", "period"]) == total;
            if !is_right {
                wrong
                    .lock()
                    .expect("no panic")
                    .push(format!("{}: {row:?}: {by_default}", case.input));
            }
        }
    });
    let wrong = wrong.into_inner().expect("no panic");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(several.into_inner().expect("no panic") > 50);
}

fn printed(case: &Case, args: &[&str]) -> Vec<u8> {
    tool("stack-parse").args(args).arg(golden_path(&case.input)).output().expect("it starts").stdout
}
