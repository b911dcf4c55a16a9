use std::collections::BTreeSet;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};
use std::thread;

use serde_json::{Value, json};

use super::driver::key::{DOWN, ENTER, ESCAPE, UP};
use super::numbers::{of_one, weights_of};
use super::oracle::{Stacks, Weights};
use super::{Browser, Stage, cases, drawn, frame, query, text_of};
use crate::util::{TOOLS, TempFile, filter, recording, scratch};

cases![
    steps_show_what_is_left_and_are_taken_back,
    a_search_is_of_what_is_left,
    steps_do_what_they_say_to_every_stack,
    steps_of_a_chart_keep_time,
    steps_of_two_profiles_keep_both_weights,
    commands_with_hostile_names_do_the_same,
    steps_go_by_functions,
    a_key_hides_inlined_functions_and_shows_them_again,
    a_module_is_hidden_by_a_command_that_fits_a_line,
    what_is_shown_is_saved,
    no_step_is_possible_where_a_cut_makes_it_wrong,
    profiles_are_chosen_from_a_list,
    files_are_profiles,
    values_of_a_label_are_profiles,
    the_menu_has_the_command_for_the_source_of_a_function,
    the_menu_works_without_a_mouse,
];

/// Runs the step at this place of the menu for the first frame of this name; returns the command
/// that does the same.
fn ask(browser: &Browser, name: &str, item: usize) -> String {
    browser.value(&format!(
        "(() => {{
            const names = document.querySelector('metadata[id=names]').textContent.split('\\n');
            const name = names.indexOf({});
            const frame = [...document.querySelectorAll('.frame[role]')].find((e) => e.box.branch.name === name);
            frame.dispatchEvent(new MouseEvent('contextmenu', {{ bubbles: true, cancelable: true }}));
            document.querySelectorAll('.item')[{item}].click();
        }})()",
        json!(name)
    ));
    browser.text("document.querySelector('.command').textContent")
}

const ONLY: usize = 0;
const WITHOUT: usize = 1;
const HIDE: usize = 2;
const HIDE_MODULE: usize = 3;
const FOLD: usize = 4;

/// The output of a shell command for folded stacks. A command that names a file of the whole
/// profile finds it.
pub(super) fn by_shell(command: &str, folded: &[u8]) -> Weights {
    let tools = Path::new(TOOLS[0].1).parent().expect("a folder");
    let path = std::env::var("PATH").unwrap_or_default();
    let whole = TempFile::new(folded);
    // By its path: see tests/recipes.rs.
    let mut shell = Command::new("/bin/sh")
        .args(["-c", &command.replace("profile.folded", whole.path())])
        .env("PATH", format!("{}:{path}", tools.display()))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("a shell");
    let mut input = shell.stdin.take().expect("its input");
    let folded = folded.to_vec();
    // The command may write before it has read everything.
    let writer = thread::spawn(move || input.write_all(&folded).expect("it reads"));
    let output = shell.wait_with_output().expect("it ends");
    writer.join().expect("all was written");
    assert!(output.status.success(), "{command}");
    Stacks::of(&output.stdout, 1).top_down()
}

fn steps_show_what_is_left_and_are_taken_back(stage: &Stage) {
    let folded =
        "main;A.f;malloc 30\nmain;A.g;malloc 40\nmain 10\nmain;A.f;A.f;A.f 20\nx;A.h 5\nA.f 3\n";
    let browser = stage.show(&[], folded);
    let steps = || text_of(browser, "steps");
    ask(browser, "malloc", ONLY);
    assert_eq!(
        steps(),
        "Only stacks with malloc \u{2715} 64.8% of 108 counts left stack-grep '^malloc$' Copy command"
    );
    assert_eq!(drawn(browser), ["A.f", "A.g", "all", "main", "malloc", "malloc"]);
    ask(browser, "A.f", HIDE);
    assert_eq!(drawn(browser), ["A.g", "all", "main", "malloc", "malloc"]);
    assert!(steps().contains(r"stack-grep '^malloc$' | stack-collapse-frames --drop '^A\.f$'"));
    // The numbers in the table are those of the remaining stacks.
    browser.type_keys("4");
    assert_eq!(text_of(browser, "table-sum"), "70 100.0% all 3 functions");
    browser.reload();
    assert_eq!(text_of(browser, "table-sum"), "70 100.0% all 3 functions");
    browser.type_keys("1");
    // The first step is undone, the second one stays.
    browser.click("document.querySelector('.back')");
    assert!(steps().starts_with(r"Hide A.f ✕ 100.0% of 108 counts left"), "{}", steps());
    assert_eq!(drawn(browser), ["A.g", "A.h", "[hidden]", "all", "main", "malloc", "malloc", "x"]);
    browser.type_keys("u");
    assert_eq!(browser.value("document.querySelector('.steps').hidden"), json!(true));
    browser.back();
    browser.await_value("document.querySelectorAll('.step').length", &json!(1));
    // Nothing would be left without the stacks of `main`.
    let browser = stage.show(&[], "main;f 1\n");
    browser.click(&frame("main"));
    browser.type_keys("f");
    browser.value("void document.querySelectorAll('.item')[1].click()");
    assert_eq!(text_of(browser, "status"), "no stack would be left");
    assert_eq!(drawn(browser), ["all", "f", "main"]);
}

fn a_search_is_of_what_is_left(stage: &Stage) {
    let browser = stage.show(&[], "main;A.f;malloc 30\nmain;A.g;malloc 40\nmain 10\nx;A.h 20\n");
    let found = || [text_of(browser, "matched"), text_of(browser, "functions")];
    query(browser, "A.");
    assert_eq!(found(), ["90.0% found", "3 functions, 90 counts"]);
    ask(browser, "malloc", ONLY);
    assert_eq!(found(), ["100.0% found", "2 functions, 70 counts"]);
    ask(browser, "A.g", HIDE);
    assert_eq!(found(), ["42.9% found", "1 function, 30 counts"]);
    browser.click("document.querySelector('.back')");
    assert_eq!(found(), ["50.0% found", "2 functions, 50 counts"]);
}

/// The names that are drawn, except `all`.
fn names(browser: &Browser) -> Vec<String> {
    let names = browser.value(
        "(() => {
            const names = document.querySelector('metadata[id=names]').textContent.split('\\n');
            const drawn = [...document.querySelectorAll('.frame[role]')].map((e) => names[e.box.branch.name]);
            return [...new Set(drawn)].filter((name) => name !== undefined).sort();
        })()",
    );
    serde_json::from_value(names).expect("names")
}

fn module_of(name: &str) -> &str {
    std::str::from_utf8(common::names::module(name.as_bytes())).expect("text")
}

fn after(stacks: &Stacks, name: &str, item: usize) -> Stacks {
    match item {
        ONLY => stacks.with(name, true),
        WITHOUT => stacks.with(name, false),
        HIDE => stacks.without(|frame| frame == name),
        HIDE_MODULE => stacks.without(|frame| module_of(frame) == module_of(name)),
        _ => stacks.folded(),
    }
}

/// Every step for every name, and then a second step.
fn steps_do_what_they_say_to_every_stack(stage: &Stage) {
    let lwt = recording("folded/treegc-5.2.0fp-fp.folded.gz");
    let own = "a;b;a;b;b;c 5\na;a;a 3\n;;a;; 2\n; 1\nA.f;A.g;A.f 4\nA.f;A.f;A.g 2\na;A.f;b 9\na b;c 1\na;d 1\n";
    for folded in [&lwt[..], own.as_bytes()] {
        let stacks = Stacks::of(folded, 1);
        let browser = stage.show(&[], folded);
        for (at, name) in names(browser).iter().enumerate().take(8) {
            for item in [ONLY, WITHOUT, HIDE, HIDE_MODULE, FOLD] {
                if item == FOLD && at > 0 {
                    continue;
                }
                let left = after(&stacks, name, item);
                let is_nothing =
                    left.0.is_empty() || (item == HIDE_MODULE && module_of(name).is_empty());
                if is_nothing {
                    continue;
                }
                let command = ask(browser, name, item);
                assert_eq!(weights_of(browser, "TopDown"), of_one(left.top_down()), "{command}");
                assert_eq!(by_shell(&command, folded), left.top_down(), "{command}");
                let second = &names(browser)[at % names(browser).len()];
                let further = after(&left, second, HIDE);
                if item != HIDE_MODULE && second != "[hidden]" {
                    let command = ask(browser, second, HIDE);
                    assert_eq!(
                        weights_of(browser, "TopDown"),
                        of_one(further.top_down()),
                        "{command}"
                    );
                    assert_eq!(by_shell(&command, folded), further.top_down(), "{command}");
                    browser.type_keys("u");
                }
                browser.type_keys("u0");
            }
        }
    }
}

fn steps_of_a_chart_keep_time(stage: &Stage) {
    let lines = "a;b 1\na;c 2\na;b 4\na 8\na;b 16\nd;b 32\na;c;b 64\na;b 128\n";
    let starts = |browser: &Browser| {
        browser.value(
            "[...document.querySelectorAll('.frame[role]')].map((e) => [e.box.branch.depth, e.box.branch.start,
                e.ariaLabel.split(' counts')[0]]).sort((one, two) => one[1] - two[1] || one[0] - two[0])",
        )
    };
    for (name, item) in
        [("c", HIDE), ("c", WITHOUT), ("b", HIDE), ("d", WITHOUT), ("d", HIDE), ("c", ONLY)]
    {
        let browser = stage.show(&["--flamechart"], lines);
        let command = ask(browser, name, item);
        let asked = starts(browser);
        let folded = {
            let tools = Path::new(TOOLS[0].1).parent().expect("a folder");
            let command = format!("PATH={}:$PATH; printf '{lines}' | {command}", tools.display());
            Command::new("sh").args(["-c", &command]).output().expect("a shell").stdout
        };
        let browser = stage.show(&["--flamechart"], folded);
        assert_eq!(starts(browser), asked, "{command}");
    }
}

fn steps_of_two_profiles_keep_both_weights(stage: &Stage) {
    let folded = "main;old 40 0\nmain;new 0 20\nmain;same;f;f 30 31\nf;main;f 7 3\nmain;same 1 2\n";
    let stacks = Stacks::of(folded.as_bytes(), 2);
    for (name, item) in [("same", HIDE), ("f", ONLY), ("f", WITHOUT), ("f", FOLD)] {
        let browser = stage.show(&["--diff"], folded);
        ask(browser, name, item);
        assert_eq!(weights_of(browser, "TopDown"), after(&stacks, name, item).top_down());
    }
}

/// Names with a meaning in a shell, a regular expression, XML, or folded stacks.
const HOSTILE: [&str; 42] = [
    "it's",
    "''",
    "\"",
    "`id`",
    "$(id)",
    "$HOME",
    "\\",
    "\\\\",
    "a\\'b",
    "!!",
    "*",
    ".*",
    "^$",
    "a|b",
    "(a",
    "[a",
    "a{2}",
    "a+?",
    "(?i)A",
    "\\d\\x41",
    "-v",
    "--help",
    "#",
    "# c",
    "~",
    "&& id",
    "> f",
    "< f",
    "a; b",
    "%s",
    "<b>",
    "]]>",
    "&lt;",
    "</script>",
    "é ü",
    "関数",
    "\u{202e}tfel",
    "\u{feff}",
    "a\u{a0}b",
    "λ'$(id)'_[k]",
    "x::<y as z>::{{closure}}",
    "Stdlib.(^).(fun)",
];

fn commands_with_hostile_names_do_the_same(stage: &Stage) {
    let mut folded = Vec::new();
    for (at, name) in HOSTILE.iter().enumerate() {
        let name = name.replace(';', ":");
        writeln!(folded, "main;{name};leaf {}\nmain;{name};{name};b;{name} 9", 10 + at)
            .expect("memory");
    }
    folded.extend_from_slice(b"main;caml\xad\xffTree;leaf 50\nleaf 7\n");
    let browser = stage.show(&[], &folded);
    let all = names(browser);
    assert_eq!(all.len(), HOSTILE.len() + 4);
    for name in &all {
        for item in [ONLY, WITHOUT, HIDE] {
            let command = ask(browser, name, item);
            assert!(command.chars().all(|letter| !letter.is_control()), "{command}");
            let shown: u64 =
                weights_of(browser, "TopDown").values().map(|[_, weight]| weight).sum();
            let done: u64 = by_shell(&command, &folded).values().map(|[weight, _]| weight).sum();
            assert_eq!(shown, done, "{command}");
            browser.type_keys("u");
        }
    }
    // All of them at once: hidden, and without recursion.
    for name in &all[..all.len() - 1] {
        ask(browser, name, HIDE);
        browser.type_keys("0");
    }
    let command = ask(browser, &all[all.len() - 1], FOLD);
    assert_eq!(weights_of(browser, "TopDown"), of_one(by_shell(&command, &folded)));
}

/// As in the tools, source lines and marks do not belong to a name.
fn steps_go_by_functions(stage: &Stage) {
    let folded = "main;f (a.c:1);g 10\nmain;f (a.c:2)_[i] 20\nmain;f_[k];h_[k] 5\n\
        x (y (b).c:3);f (a.c:1);f (a.c:4)_[i] 7\nx (y (b).c:4);f (a.c:1);f (a.c:4);h 2\n\
        main;Main.(fun a.ml:6);h (z).c:3) 1\n";
    let browser = stage.show(&[], folded);
    for (name, item, command) in [
        ("f (a.c:1)", ONLY, "stack-grep '^f$'"),
        ("f_[k]", WITHOUT, "stack-grep -v '^f$'"),
        ("f (a.c:2)_[i]", HIDE, "stack-collapse-frames --drop '^f$'"),
        ("x (y (b).c:3)", HIDE, "stack-collapse-frames --drop '^x$'"),
        ("Main.(fun a.ml:6)", ONLY, r"stack-grep '^Main\.\(fun a\.ml:6\)$'"),
        ("h_[k]", HIDE_MODULE, r"stack-collapse-frames --drop '_\[k\]$'"),
        ("f_[k]", FOLD, "stack-fold-towers --max-period 1"),
    ] {
        assert_eq!(ask(browser, name, item), command, "{name}");
        let done = of_one(by_shell(command, folded.as_bytes()));
        assert_eq!(weights_of(browser, "TopDown"), done, "{name}: {command}");
        browser.type_keys("u");
    }
    // A search looks in the text that is shown, and in the name alone.
    for (pattern, found) in [("/^f$/", 44), ("/a\\.c:2/", 20), ("/^x$/", 9)] {
        query(browser, pattern);
        let share = format!("{:.1}% found", f64::from(found) * 100.0 / 45.0);
        browser.await_value("document.querySelector('.matched').textContent", &json!(share));
    }
}

fn a_key_hides_inlined_functions_and_shows_them_again(stage: &Stage) {
    let folded = "main_[o];add (a.c:1)_[o]_[i];find_[l]_[i];cmp_[l] 5\nmain_[o];add (a.c:1)_[o]_[i] 7\n\
        main_[o];odd_[i]_name 2\nlone_[i] 1\n";
    let browser = stage.show(&[], folded);
    let all = weights_of(browser, "TopDown");
    browser.type_keys("I");
    let command = r"stack-collapse-frames --drop '_\[i\](_\[.\])*$'";
    assert_eq!(browser.text("document.querySelector('.command').textContent"), command);
    assert_eq!(weights_of(browser, "TopDown"), of_one(by_shell(command, folded.as_bytes())));
    assert_eq!(drawn(browser), ["[hidden]", "all", "cmp", "main", "odd_[i]_name"]);
    browser.type_keys("I");
    assert_eq!(weights_of(browser, "TopDown"), all);
    // Without such functions nothing changes, and the key is not listed.
    let browser = stage.show(&[], "main;f 1\n");
    let is_listed =
        "document.querySelector('.keys').textContent.includes('hide inlined functions')";
    assert_eq!(browser.value(is_listed), json!(false));
}

fn a_module_is_hidden_by_a_command_that_fits_a_line(stage: &Stage) {
    let one = |module: &str, count: usize| -> String {
        (0..count).map(|at| format!("main;{module}.f{at};{module}.Sub.g 1\n")).collect()
    };
    let browser = stage.show(&[], one("A", 30) + "main;read_[k] 3\nmain;[libc.so.6] 4\n");
    assert_eq!(ask(browser, "read_[k]", HIDE_MODULE), r"stack-collapse-frames --drop '_\[k\]$'");
    browser.type_keys("u");
    let command = ask(browser, "[libc.so.6]", HIDE_MODULE);
    assert_eq!(command, r"stack-collapse-frames --drop '^\[libc\.so\.6\]$'");
    browser.type_keys("u");
    let command = ask(browser, "A.f1", HIDE_MODULE);
    assert_eq!(command, r"stack-collapse-frames --drop '^A\.[^A-Z]'");
    // Where no short pattern selects the module, all of its names are listed.
    let folded: String =
        (0..3000).map(|at| format!("M.f{at}.g;M.X{at} 1\nM.X.Y{at}.z 1\n")).collect();
    let browser = stage.show_at("", &[], &folded);
    browser.type_keys("4");
    query(browser, "M.X1");
    browser.value(
        "(() => {
            const row = [...document.querySelectorAll('.row')].find((row) => row.innerText.endsWith('M.X1'));
            row.dispatchEvent(new MouseEvent('contextmenu', { bubbles: true, cancelable: true }));
            document.querySelectorAll('.item')[3].click();
        })()",
    );
    let command = browser.text("document.querySelector('.command').textContent");
    browser.value("void document.querySelector('.tab').click()");
    let modules: BTreeSet<&str> = [module_of("M.X1")].into();
    let left = Stacks::of(folded.as_bytes(), 1).without(|name| modules.contains(module_of(name)));
    assert_eq!(by_shell(&command, folded.as_bytes()), left.top_down());
    assert_eq!(weights_of(browser, "TopDown"), of_one(left.top_down()));
}

/// The text of the file that the page would save.
pub(super) fn saved(browser: &Browser) -> Vec<u8> {
    let bytes = browser.value(
        "(async () => {
            let saved = null;
            const make = URL.createObjectURL;
            URL.createObjectURL = (blob) => { saved = blob; return make.call(URL, blob); };
            document.querySelector('.save').click();
            URL.createObjectURL = make;
            return [...new Uint8Array(await saved.arrayBuffer())];
        })()",
    );
    serde_json::from_value(bytes).expect("bytes")
}

fn what_is_shown_is_saved(stage: &Stage) {
    let merged = |folded: &[u8]| filter("stack-merge", &[], folded);
    let lwt = recording("folded/lwtsim-4.13.1-dwarf.folded.gz");
    let browser = stage.show(&[], &lwt);
    assert_eq!(merged(&saved(browser)), merged(&lwt));
    let some = names(browser)[1].clone();
    let command = ask(browser, &some, ONLY);
    assert_eq!(Stacks::of(&saved(browser), 1).top_down(), by_shell(&command, &lwt));
    let bytes = b"b\xff;c 3\n\xe2\x80\xae;;d 5\n";
    assert_eq!(saved(stage.show(&[], bytes)), bytes);
    let chart = "b;x 10\nb 20\nb;x 30\na 40\nb 100\n";
    assert_eq!(saved(stage.show(&["--flamechart"], chart)), chart.as_bytes());
    let two = "a;b 1 0\na;c 2 3\n";
    assert_eq!(saved(stage.show(&["--diff"], two)), two.as_bytes());
    let deep = format!("{} 3\n", ["f"; 100_000].join(";"));
    assert!(saved(stage.show(&[], &deep)) == deep.as_bytes());
}

fn no_step_is_possible_where_a_cut_makes_it_wrong(stage: &Stage) {
    let folded = "a;x 50\nb 40\nc;x 7\nd 3\n";
    let browser = stage.show(&["--max-frames", "3"], folded);
    browser.click(&frame("x"));
    browser.type_keys("f");
    assert_eq!(browser.number("document.querySelectorAll('.item:enabled').length"), 0.0);
    assert!(text_of(browser, "menu").ends_with("--max-frames has cut the picture."));
    // All frames that were cut off are on top of `a`, so their stacks are known.
    let browser = stage.show(&["--max-frames", "3"], "a;b 50\na;c 2\nd 40\n");
    browser.click(&frame("a"));
    browser.type_keys("f");
    assert_eq!(
        browser.value("[...document.querySelectorAll('.item:enabled')].map((e) => e.textContent)"),
        json!(["Only stacks with it", "Without these stacks"])
    );
    browser.value("void document.querySelector('.item').click()");
    assert_eq!(drawn(browser), ["[cut]", "a", "all", "b"]);
    // Nor can an address hide them.
    let fragment = {
        let browser = stage.show(&[], folded);
        ask(browser, "a", HIDE);
        browser.text("location.hash")
    };
    let browser = stage.show_at(&fragment, &["--max-frames", "3"], folded);
    assert!(drawn(browser).contains(&"a".to_owned()));
}

/// The texts of the list of profiles.
fn profiles(browser: &Browser) -> Value {
    browser.value("[...document.querySelectorAll('option')].map((e) => e.textContent)")
}

fn choose(browser: &Browser, at: usize) {
    browser.value(&format!(
        "(() => {{
            const list = document.querySelector('.profiles');
            list.selectedIndex = {at};
            list.dispatchEvent(new Event('change'));
        }})()"
    ));
}

fn profiles_are_chosen_from_a_list(stage: &Stage) {
    let folded = "worker 2;main;f 60\nworker 1;main;f 10\nworker 1;main;g 20\nit's;f 10\n";
    let browser = stage.show(&["--split", "root"], folded);
    let all = ["All 3 profiles", "worker 2 (60.0%)", "worker 1 (30.0%)", "it's (10.0%)"];
    assert_eq!(profiles(browser), json!(all));
    assert_eq!(drawn(browser).len(), 10);
    choose(browser, 2);
    assert_eq!(drawn(browser), ["all", "f", "g", "main", "worker 1"]);
    browser.type_keys("4");
    assert_eq!(text_of(browser, "table-sum"), "30 100.0% all 4 functions");
    browser.type_keys("1");
    browser.reload();
    assert_eq!(browser.number("document.querySelector('.profiles').selectedIndex"), 2.0);
    let command = ask(browser, "g", HIDE);
    assert_eq!(command, "stack-grep --root '^worker 1$' | stack-collapse-frames --drop '^g$'");
    assert_eq!(by_shell(&command, folded.as_bytes()), Stacks::of(&saved(browser), 1).top_down());
    // Other steps stay when the user chooses another profile.
    choose(browser, 3);
    let command = browser.text("document.querySelector('.command').textContent");
    assert_eq!(command, r"stack-grep --root '^it'\''s$' | stack-collapse-frames --drop '^g$'");
    assert_eq!(drawn(browser), ["all", "f", "it's"]);
    choose(browser, 0);
    assert_eq!(drawn(browser).len(), 9);
    // Letters that are typed in the list do nothing else.
    browser.type_keys("p4");
    assert_eq!(browser.text("document.querySelector('.app').dataset.view"), "flame");
    let browser = stage.show(&[], folded);
    assert_eq!(profiles(browser), json!([]));
}

fn files_are_profiles(stage: &Stage) {
    let [one, two] = [("host-a.folded", "main;f 3\n"), ("host-b.folded", "main;g 1\n")]
        .map(|(name, text)| scratch(name, text));
    let [one, two] = [&one, &two].map(|path| path.to_str().expect("text"));
    let browser = stage.show(&["--split", "file", one, two], "");
    assert_eq!(
        profiles(browser),
        json!(["All 2 profiles", format!("{one} (75.0%)"), format!("{two} (25.0%)")])
    );
    choose(browser, 2);
    assert_eq!(saved(browser), format!("{two};main;g 1\n").as_bytes());
    let browser = stage.show(&["--split", "file", "--flamechart", two, one], "");
    choose(browser, 1);
    assert_eq!(saved(browser), format!("{one};main;f 3\n").as_bytes());
}

fn values_of_a_label_are_profiles(stage: &Stage) {
    let folded = "tid=2\tmain;f 60\ntid=1\tmain;f 10\nmain;g 20\ntid=1\tmain;g 10\n";
    let browser = stage.show(&["--split", "tid"], folded);
    let all = ["All 3 values of tid", "2 (60.0%)", "1 (20.0%)", "[no tid] (20.0%)"];
    assert_eq!(profiles(browser), json!(all));
    choose(browser, 2);
    assert_eq!(drawn(browser), ["1", "all", "f", "g", "main"]);
    let command = ask(browser, "g", HIDE);
    assert_eq!(
        command,
        "stack-merge --by-label tid | stack-grep --root '^1$' | stack-collapse-frames --drop '^g$'"
    );
    assert_eq!(by_shell(&command, folded.as_bytes()), Stacks::of(&saved(browser), 1).top_down());
}

fn the_menu_has_the_command_for_the_source_of_a_function(stage: &Stage) {
    let folded = "main (t.c:9);A.g (src/t.c:5)_[l] 5\nmain (t.c:9);f 3\n";
    let browser = stage.show(&[], folded);
    let item = "document.querySelector('.item[title^=\"stack-\"]')";
    browser.type_keys(&[UP, UP, "f"].concat());
    assert!(text_of(browser, "menu").ends_with(" Its source lines: copy the command"));
    assert_eq!(browser.value(&format!("{item}.title")), json!("stack-source -e '^A\\.g$'"));
    browser.type_keys(ESCAPE);
    let command = ask(browser, "f", HIDE);
    browser.type_keys(&[UP, "f"].concat());
    let listing = browser.value(&format!("{item}.title"));
    assert_eq!(listing, json!(format!("{command} | stack-source -e '^main$'")));
}

fn the_menu_works_without_a_mouse(stage: &Stage) {
    let browser = stage.show(&[], "main;f 3\nmain;A.g 5\n");
    browser.type_keys(&[UP, UP, "f"].concat());
    assert_eq!(
        text_of(browser, "menu"),
        "A.g Only stacks with it Without these stacks Hide it Hide its module, A Fold recursion"
    );
    browser.type_keys(ESCAPE);
    assert_eq!(browser.value("document.querySelector('.menu').hidden"), json!(true));
    assert_eq!(super::focused(browser), json!("A.g"));
    browser.type_keys(&["f", DOWN, ENTER].concat());
    assert_eq!(drawn(browser), ["all", "f", "main"]);
    let refuse = json!({ "permission": { "name": "clipboard-write" }, "setting": "denied" });
    browser.chromium("Browser.setPermission", &refuse);
    browser.click("document.querySelector('.copy')");
    let status = "document.querySelector('.status').textContent";
    browser.await_value(status, &json!("the browser does not let this page copy"));
}
