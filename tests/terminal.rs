//! What a user at a terminal sees; `script` of util-linux makes the terminal.

use std::io::Write;
use std::process::{Command, Stdio};

use crate::needs::goes_without;
use crate::place::folder_of_tools;
use crate::stack_grep::in_brackets;
use crate::util::{TempFile, folded_tools, output, recording, scratch, with_minimal};

/// The output of `commands` on a terminal; `$tools` is the folder of the tools, and `typed` is
/// their standard input.
fn on_a_terminal(commands: &str, typed: &str) -> String {
    let mut script = Command::new("script")
        .args(["--quiet", "--return", "--command", commands, "/dev/null"])
        .env("TERM", "xterm-256color")
        .env_remove("NO_COLOR")
        .env("tools", folder_of_tools())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("script, of util-linux");
    let mut stdin = script.stdin.take().expect("piped");
    stdin.write_all(typed.as_bytes()).expect("it reads");
    let output = script.wait_with_output().expect("it ends");
    let terminal = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success(), "{terminal:?}");
    terminal
}

#[test]
fn progress_is_shown_on_a_terminal_for_files_and_by_stack_parse() {
    if goes_without(&[&["script"]]) {
        return;
    }
    let file = scratch("progress.folded", "main 3\n");
    // More than a pipe holds, so that the tool has begun to read before the pause.
    let slowly = "(yes 'main;a 1' | head -n 10000; sleep 1.3; echo 'main;a 2')";
    let terminal = on_a_terminal(&format!("{slowly} | $tools/stack-parse > /dev/null"), "");
    assert!(terminal.contains("stack-parse: 87.90 KiB read"), "{terminal:?}");
    // In a pipeline the tools would overwrite each other's output.
    let merge = "$tools/stack-merge";
    let terminal = on_a_terminal(&format!("{slowly} | {merge} > /dev/null"), "");
    assert_eq!(terminal, "");
    let file = file.display();
    let terminal = on_a_terminal(&format!("{slowly} | {merge} - '{file}' > /dev/null"), "");
    assert!(terminal.contains("stack-merge: 7 B read"), "{terminal:?}");
}

#[test]
fn a_user_who_waits_at_a_terminal_gets_a_message() {
    if goes_without(&[&["script"]]) {
        return;
    }
    for name in folded_tools() {
        let args = with_minimal(name, &[]).join(" ");
        // Ctrl-D ends the typed input.
        let command = format!("$tools/{name} {args} > /dev/null");
        let terminal = on_a_terminal(&command, "main;a 1\n\x04");
        let told = format!("{name}: <stdin>: reading what is typed here, until Ctrl-D");
        assert!(terminal.contains(&told), "{name}: {terminal:?}");
        let terminal = on_a_terminal(&format!("echo 'main;a 1' | {command}"), "");
        assert!(!terminal.contains("typed"), "{name}: {terminal:?}");
    }
}

#[test]
fn colour_is_for_a_terminal_that_can_show_it() {
    if goes_without(&[&["script"]]) {
        return;
    }
    let file = TempFile::new("main;parse 1\n");
    for (options, term, expected) in [
        ("--color", "xterm", "main;<parse> 1"),
        ("--color=auto", "xterm", "main;<parse> 1"),
        ("--color=auto", "dumb", "main;parse 1"),
        ("", "xterm", "main;parse 1"),
    ] {
        let grep = format!("TERM={term} $tools/stack-grep {options} parse '{}'", file.path());
        let shown = on_a_terminal(&grep, "");
        assert_eq!(in_brackets(shown.trim_end()), expected, "{options} {term}");
    }
}

/// The output on a terminal of 60 columns and 12 rows.
fn stack_top(args: &str, variable: &str) -> String {
    let folded = TempFile::new(recording("folded/treegc-4.13.1-dwarf.gc.folded.gz"));
    let top = format!("{variable} $tools/stack-top {args} {}", folded.path());
    on_a_terminal(&format!("stty cols 60 rows 12; {top}"), "")
}

#[test]
fn what_stack_top_shows_fits_into_the_terminal() {
    if goes_without(&[&["script"]]) {
        return;
    }
    // A deeper tree has wrapped lines.
    for args in [
        "",
        "--tree --min 20",
        "--tree --min 60 --under 'caml_.*'",
        "--callers 'caml_.*'",
        "--by module",
    ] {
        let text = stack_top(args, "");
        assert!(text.lines().count() > 3, "{text}");
        for line in text.lines() {
            assert!(line.trim_end().chars().count() <= 60, "{args}: {line}");
        }
        assert!(!text.contains('\x1b'), "{args}: {text}");
    }
    let tree = stack_top("--tree", "");
    assert!(tree.contains('\u{2514}') && !tree.contains("`-"), "{tree}");
    let drawn = stack_top("--draw", "");
    assert_eq!(drawn.lines().count(), 11, "{drawn}");
    assert!(drawn.contains("\x1b[38;5;16;48;5;") && drawn.contains("more levels"), "{drawn}");
    for variable in ["NO_COLOR=1", "TERM=dumb"] {
        let plain = stack_top("--draw", variable);
        assert!(!plain.contains('\x1b') && plain.contains("|main"), "{plain}");
    }
    let followed = stack_top("--follow", "");
    assert!(followed.starts_with("\x1b[2J\x1b[H") && followed.lines().count() <= 12, "{followed}");
}

/// Names of C++ and Rust as stack-demangle writes them, and the class and the function of each.
const NAMES: [(&str, &str, &str); 14] = [
    (
        "std::unordered_map<std::string, std::vector<std::shared_ptr<net::Session>>>::operator[](std::string const&)",
        "unordered_map",
        "operator[]",
    ),
    (
        "std::vector<std::pair<int, std::string>>::push_back(std::pair<int, std::string> const&)",
        "vector",
        "push_back",
    ),
    (
        "std::basic_string<char16_t, ns::case_insensitive_traits<char16_t>, ns::Arena<char16_t>>::compare(unsigned long, unsigned long, char16_t const*) const",
        "basic_string",
        "compare",
    ),
    ("std::string::compare(unsigned long, unsigned long, char const*) const", "string", "compare"),
    (
        "llvm::DenseMapBase<llvm::DenseMap<llvm::BasicBlock*, unsigned int>, llvm::BasicBlock*, unsigned int>::grow(unsigned int)",
        "DenseMapBase",
        "grow",
    ),
    (
        "llvm::DOTGraphTraits<llvm::SelectionDAG*>::getNodeLabel(llvm::SDNode const*, llvm::SelectionDAG const*)",
        "DOTGraphTraits",
        "getNodeLabel",
    ),
    (
        "llvm::MDNode::storeImpl<llvm::DISubprogram, llvm::DenseSet<llvm::DISubprogram*>>(llvm::DISubprogram*, llvm::Metadata::StorageType)",
        "MDNode",
        "storeImpl",
    ),
    (
        "std::_Rb_tree<Key, std::pair<Key const, Value>, std::_Select1st<std::pair<Key const, Value>>>::_M_erase(std::_Rb_tree_node<std::pair<Key const, Value>>*)",
        "_Rb_tree",
        "_M_erase",
    ),
    (
        "Server::Pool<Server::Worker<net::Request, net::Response>>::run(int)::{lambda(int)#1}::operator()(int) const",
        "Pool",
        "run",
    ),
    (
        "(anonymous namespace)::Parser<char, std::vector<Token>>::next_token_of_line(char const*, char const*)",
        "Parser",
        "next_token_of_line",
    ),
    ("ns::operator<<(std::ostream&, ns::Matrix<double, 4, 4> const&)", "ns", "operator<<"),
    (
        "<core::iter::adapters::map::Map<alloc::vec::into_iter::IntoIter<a::Event>, a::run::{{closure}}> as core::iter::traits::iterator::Iterator>::fold",
        "Map",
        "fold",
    ),
    ("<alloc::vec::Vec<a::b::Session> as core::ops::drop::Drop>::drop", "Vec", "drop"),
    (
        "hashbrown::raw::RawTable<(alloc::string::String, a::b::Session)>::reserve_rehash",
        "RawTable",
        "reserve_rehash",
    ),
];

/// The output on a terminal of 100 columns.
fn on_100_columns(command: &str) -> String {
    let terminal = on_a_terminal(&format!("stty cols 100 rows 40; $tools/{command}"), "");
    for line in terminal.lines() {
        assert!(line.trim_end().chars().count() <= 100, "{command}: {line}");
    }
    terminal
}

#[test]
fn class_and_function_are_seen_in_each_row() {
    if goes_without(&[&["script"]]) {
        return;
    }
    let folded = |weight: fn(u64) -> u64| {
        let lines = NAMES.iter().zip(1..);
        let lines = lines.map(|((name, ..), at)| format!("main;{name} {}\n", weight(at)));
        TempFile::new(lines.collect::<String>())
    };
    let [before, after] = [folded(|at| 1_000 * at), folded(|at| 1_000 * (15 - at))];
    let files = format!("{} {}", before.path(), after.path());
    for command in [
        format!("stack-top {}", before.path()),
        format!("stack-top --tree --min 0 {}", before.path()),
        format!("stack-top --callees main {}", before.path()),
        format!("stack-top --split file {files}"),
        format!("stack-diff --all {files}"),
    ] {
        let table = on_100_columns(&command);
        for (name, class, function) in NAMES {
            let function = format!("::{function}");
            let is_seen = |row: &str| {
                let class = row.split_once(class);
                class.is_some_and(|(_, rest)| rest.contains(&function))
            };
            assert!(table.lines().any(is_seen), "{command}: {name}: {table}");
        }
    }
    // A pipe gets whole names.
    for command in ["stack-top --tree --min 0", "stack-diff --all"] {
        let files = if command.starts_with("stack-diff") { &files } else { before.path() };
        let piped = on_a_terminal(&format!("stty cols 100; $tools/{command} {files} | cat"), "");
        assert!(piped.contains(NAMES[0].0) && !piped.contains('\u{2026}'), "{piped}");
    }
}

#[test]
fn a_deep_tree_fits_into_the_terminal() {
    if goes_without(&[&["script"]]) {
        return;
    }
    // Each level has a sibling, so that no two are one line.
    let levels = (1..60).map(|depth| {
        let stack: Vec<&str> = NAMES.iter().map(|it| it.0).cycle().take(depth).collect();
        let stack = stack.join(";");
        format!("{stack};leaf 1\n{stack};{} 1\n", NAMES[0].0)
    });
    let folded = TempFile::new(levels.collect::<String>());
    let tree = on_100_columns(&format!("stack-top --tree --min 0 {}", folded.path()));
    assert!(tree.lines().count() > 100, "{tree}");
    assert!(tree.lines().skip(1).filter(|line| line.contains("leaf")).count() == 59, "{tree}");
    let piped =
        on_a_terminal(&format!("$tools/stack-top --tree --min 0 {} | cat", folded.path()), "");
    assert!(
        piped.contains(&("   ".repeat(40) + "`- ")) || piped.contains("|  |  |  |- "),
        "{piped}"
    );
}

#[test]
fn profiles_that_are_unlike_fit_into_the_terminal() {
    if goes_without(&[&["script"]]) {
        return;
    }
    let folder =
        |at: u64| format!("{}/{at}-{}.folded", env!("CARGO_TARGET_TMPDIR"), "deep".repeat(30));
    let files: Vec<String> = (0..5).map(folder).collect();
    for (file, at) in files.iter().zip(1..) {
        let weight = |place: u64| if at == 5 && place < 3 { 9_000 } else { 1_000 };
        let lines = NAMES.iter().zip(0..);
        let lines = lines.map(|((name, ..), place)| format!("{name} {}\n", weight(place)));
        std::fs::write(file, lines.collect::<String>()).expect("it can be written");
    }
    let table = on_100_columns(&format!("stack-diff --outliers {}", files.join(" ")));
    let odd = table.lines().nth(1).expect("a row");
    assert!(odd.contains("unordered_map::operator[] +"), "{table}");
    let narrow = format!("stty cols 60; $tools/stack-diff --outliers {}", files.join(" "));
    assert!(on_a_terminal(&narrow, "").contains("% self, \u{2026}"));
    files.iter().for_each(|file| drop(std::fs::remove_file(file)));
}

#[test]
fn what_stack_source_shows_fits_into_the_terminal() {
    if goes_without(&[&["script"]]) {
        return;
    }
    let source = TempFile::new(format!("{{\n\tint {} = 関数;\n}}\n", "long_name".repeat(9)));
    let name = format!("ns::{}::f(int)", "deep::".repeat(12));
    let file = TempFile::new(format!(
        "main (/no/{}.c:3);{name} ({}:2) 7\n",
        "x".repeat(70),
        source.path()
    ));
    for args in ["", "-n 0", "--path ."] {
        let show = |variable: &str| {
            let command = format!("{variable} $tools/stack-source {args} {}", file.path());
            on_a_terminal(&format!("stty cols 60 rows 12; {command} 2> /dev/null"), "")
        };
        let colored = show("TERM=xterm");
        assert!(colored.contains("\x1b[1m") && colored.contains(";48;5;52m"), "{args}: {colored}");
        let plain = show("NO_COLOR=1");
        assert!(!plain.contains('\x1b') && plain.contains("\u{2026}"), "{args}: {plain}");
        for line in plain.lines() {
            assert!(line.trim_end().chars().count() <= 60, "{args}: {line}");
        }
    }
}

/// The output on a terminal of 60 columns and 16 rows.
fn stack_heat(args: &str, variable: &str) -> String {
    let script = recording("formats/perf-script/packbench-4.13.1-fp.gz");
    let table = TempFile::new(output("stack-parse", &["--table"], script).stdout);
    let heat = format!("{variable} $tools/stack-heat --text {args} {}", table.path());
    on_a_terminal(&format!("stty cols 60 rows 16; {heat}"), "")
}

#[test]
fn what_stack_heat_shows_fits_into_the_terminal() {
    if goes_without(&[&["script"]]) {
        return;
    }
    for args in ["", "--by tid", "--by comm"] {
        let plain = stack_heat(args, "NO_COLOR=1");
        assert!(!plain.contains('\x1b') && plain.contains('\u{2588}'), "{args}: {plain}");
        assert!((4..16).contains(&plain.lines().count()), "{args}: {plain}");
        assert!(plain.lines().all(|line| line.trim_end().chars().count() <= 60), "{args}: {plain}");
        let colored = stack_heat(args, "");
        assert!(
            colored.contains("\x1b[48;5;") && !colored.contains('\u{2588}'),
            "{args}: {colored}"
        );
        let dumb = stack_heat(args, "TERM=dumb");
        assert!(dumb.is_ascii() && dumb.contains('@'), "{args}: {dumb}");
    }
}
