//! The section of man/stack-tools.7 for programs: its commands work, and their tables and objects
//! have the fields that it lists.

use std::collections::BTreeSet;

use serde_json::Value;

use super::{Place, displays};
use crate::needs::{SHELL, goes_without};
use crate::util::{binary, recording};

const STACKS: &str = "# unit: samples\n# samples: 8 samples\n# lost: 0 of 8 samples\n\
    # truncated: 0 of 8 samples\n# broken: 0 of 8 samples\n# nameless: 0 of 30 frames\n\
    # estimated: 0 of 8 samples\n\
    since=0.1\ttid=1\tmain (src/demo.c:3);work (src/demo.c:12);\
    work (src/demo.c:12);step (src/demo.c:20) 6\n\
    since=0.6\ttid=2\tmain (src/demo.c:3);wait (src/demo.c:30) 2\n";

fn section() -> &'static str {
    let page = include_str!("../../man/stack-tools.7");
    let (_, section) = page.split_once("\n.Sh SCRIPTS AND AGENTS\n").expect("the section");
    section.split("\n.Sh ").next().expect("text")
}

/// A folder with the files that the commands name.
fn stocked(name: &str) -> Place {
    let place = Place::empty(name);
    place.write("perf.data", recording("formats/perf-data/dwarf-deep-8k.perf.data.gz"));
    place.write("app", std::fs::read(binary("stack-reverse")).expect("an executable"));
    for (file, stacks) in
        [("app", STACKS), ("before", "main;work 500\nmain 20\n"), ("after", "main;work 900\n")]
    {
        place.write(&format!("{file}.folded"), stacks);
    }
    place
}

/// The names of the columns, or the paths of the keys: `unit rows.function rows.self`.
fn fields(printed: &str) -> BTreeSet<String> {
    let mut fields = BTreeSet::new();
    match serde_json::from_str::<Value>(printed) {
        Ok(object @ Value::Object(_)) => add_keys(&object, "", &mut fields),
        _ => {
            fields
                .extend(printed.lines().next().unwrap_or_default().split('\t').map(str::to_owned));
        }
    }
    fields
}

fn add_keys(value: &Value, path: &str, fields: &mut BTreeSet<String>) {
    match value {
        Value::Object(keys) => {
            for (key, value) in keys {
                let inner = if path.is_empty() { key.clone() } else { format!("{path}.{key}") };
                let has_keys = value.is_object()
                    || value.as_array().is_some_and(|list| list.iter().any(Value::is_object));
                // Children have children.
                if has_keys && !path.ends_with(key.as_str()) {
                    add_keys(value, &inner, fields);
                } else {
                    fields.insert(inner);
                }
            }
        }
        Value::Array(list) => list.iter().for_each(|value| add_keys(value, path, fields)),
        _ => {}
    }
}

#[test]
fn tables_and_objects_have_the_fields_that_the_page_lists() {
    if goes_without(&[SHELL]) {
        return;
    }
    let place = stocked("agents-fields");
    let items: Vec<&str> = section().split("\n.It Ql stack-").skip(1).collect();
    assert!(items.len() >= 20, "{}", items.len());
    for item in items {
        let (command, text) = item.split_once('\n').expect("fields");
        let listed = text.lines().map_while(|line| line.strip_prefix(".Dl "));
        let listed: BTreeSet<String> =
            listed.flat_map(|line| line.split(' ')).map(str::to_owned).collect();
        let (_, printed) = place.run(&format!("stack-{command}"));
        assert_eq!(fields(&printed), listed, "stack-{command}: {printed}");
        let columns = |line: &str| line.split('\t').count();
        let first = columns(printed.lines().next().unwrap_or_default());
        assert!(printed.lines().all(|line| columns(line) == first), "stack-{command}: {printed}");
        assert!(printed.lines().count() > 1 || printed.starts_with('{'), "stack-{command}");
    }
}

#[test]
fn the_ten_commands_answer() {
    if goes_without(&[SHELL]) {
        return;
    }
    let place = stocked("agents-commands");
    let (_, ten) = section().split_once(".Ss Ten commands\n").expect("the commands");
    let commands: Vec<String> = displays(&ten.replace("|\n    ", "| "))
        .iter()
        .flat_map(|text| text.lines())
        .map(str::to_owned)
        .collect();
    assert_eq!(commands.len(), 10);
    for command in commands {
        place.write("app.folded", STACKS);
        let (is_well, printed) = place.run(&command);
        assert!(is_well, "{command}");
        if command.contains("--json") {
            let object: Value = serde_json::from_str(&printed).expect(&command);
            assert!(object.is_object(), "{command}");
        } else if !command.contains(" > ") {
            assert!(printed.lines().count() > 1, "{command}: {printed}");
        }
    }
}

#[test]
fn tables_have_the_numbers_that_people_see() {
    if goes_without(&[SHELL]) {
        return;
    }
    let place = stocked("agents-numbers");
    for (command, expected) in [
        (
            "stack-grep -c --tsv wait app.folded - < app.folded",
            "file\tweight\tshare\napp.folded\t2\t25.0000\n<stdin>\t2\t25.0000\n",
        ),
        (
            "stack-heat --column 0.5 --tsv app.folded",
            "since\tuntil\tweight\n0.1\t0.2\t6\n0.6\t0.7\t2\n",
        ),
        (
            "stack-heat --by tid --column 0.5 --tsv app.folded",
            "since\tuntil\ttid\tweight\n0\t0.5\t1\t6\n0.5\t1\t2\t2\n",
        ),
        (
            "stack-heat --by tid --column 0.5 --rows 1 --tsv app.folded",
            "since\tuntil\ttid\tweight\n0\t0.5\t[others]\t6\n0.5\t1\t[others]\t2\n",
        ),
        (
            "stack-fold-towers --report --tsv app.folded",
            "cycle\tweight\tshare\thighest\tmean\nwork\t6\t75.0000\t2\t2.0000\n",
        ),
        (
            "stack-collapse-frames --list-presets --tsv | grep ^libc",
            "libc-start\tStart of processes and threads in the C library: dropped\n",
        ),
        (
            "stack-parse --list-events --tsv perf.data",
            "event\tunit\tsamples\ttotal\tpeak\tpeak_time\n\
             cpu-clock\tns\t210\t350584290\t\t\n",
        ),
    ] {
        assert_eq!(place.run(command), (true, expected.to_owned()), "{command}");
    }
}
