//! stack-view, in a real terminal.

use std::process::{Command, Stdio};
use std::time::Duration;

use crate::keyboard::{TMUX, Terminal};
use crate::needs::goes_without;
use crate::random::Random;
use crate::util::{binary, filter, recording, scratch};

/// Some stacks with a recursion, threads as roots, a module, a kernel and wide names.
const STACKS: &str = "\
main;Db.insert;Map.add 100
main;Db.insert;Map.add;Map.add;compare 150
main;Db.insert;caml_alloc 30
main;Parser.run;Lexer.next;read (io.c:7)_[k] 300
main;Parser.run;Parser.run;caml_alloc 420
worker;Parser.run;名前;e\u{301}tude 80
";

/// A terminal that shows these stacks, and has this size.
fn shown(name: &str, size: (u32, u32), stacks: &str, settings: &[(&str, &str)]) -> Terminal {
    let path = scratch(name, stacks);
    let terminal = Terminal::new(size.0, size.1, settings);
    terminal.run(&format!(
        "clear; $tools/stack-view '{}' > '{}.out'; echo status $?",
        path.display(),
        path.display()
    ));
    terminal.wait_until("the view", |screen| screen.contains("1 Flame") || size.1 < 5);
    terminal
}

#[test]
fn walks_show_what_they_should() {
    if goes_without(&[TMUX]) {
        return;
    }
    let terminal = shown("view-walks.folded", (80, 24), STACKS, &[]);
    // Keys, and the texts that the screen must show after them. Each walk continues where the last
    // one ended.
    let walks: [(&[&str], &[&str]); 32] = [
        (&[], &["all: 1,080", "main", "? keys", "self 0 (0%)  total 1,080 (100.0% of all)"]),
        (&["Up"], &["main", "self 0 (0%)  total 1,000 (92.6% of all, 92.6% of parent)"]),
        (&["Up"], &["Parser.run", "total 720 (66.7% of all, 72.0% of parent)"]),
        (&["Left"], &["Db.insert", "total 280 (25.9% of all, 28.0% of parent)"]),
        (
            &["Enter"],
            &[
                "all \u{203a} main \u{203a} Db.insert",
                "100.0% of zoom",
                "stack-grep --stack '^main;Db\\.insert(;|$)'",
            ],
        ),
        (&["Up"], &["Map.add", "self 100 (9.3%)  total 250 (23.1% of all, 89.3% of zoom"]),
        (&["2"], &["Bottom up", "total 100 (9.3% of all, 35.7% of zoom"]),
        (&["Escape"], &["total 1,000 (92.6% of all"]),
        (&["1"], &["all \u{203a} main", "stack-grep --stack '^main(;|$)'"]),
        (&["0"], &["all: 1,080", "? keys"]),
        (&["4"], &["SELF\u{2193}", "450  41.7%    450   41.7%    caml_alloc"]),
        (&["Down"], &["read  io.c:7  kernel", "self 300 (27.8%)"]),
        (&["o"], &["TOTAL\u{2193}", "1,000   92.6%    main"]),
        (&["o"], &["FUNCTION\u{2193}"]),
        (&["o", "Home"], &["SELF\u{2193}", "caml_alloc  runtime"]),
        (&["Enter"], &["all \u{203a} caml_alloc", "self 450 (41.7%)  total 450"]),
        (&["Up"], &["Parser.run", "total 420 (38.9% of all, 93.3% of zoom, 93.3% of parent)"]),
        (&["i"], &["Parser.run"]),
        (&["i", "1"], &["all: 1,080"]),
        (&["/", "a", "d", "d", "Enter"], &["add: 23.1% found, 250", "Map.add"]),
        (&["n"], &["Map.add", "total 150"]),
        (&["N"], &["Map.add", "total 250"]),
        (&["/", "/", "^", "P", "/", "Enter"], &["/^P/: 74.1% found, 800", "Parser.run"]),
        (&["Escape", "Escape"], &["? keys"]),
        (&["f"], &["Only stacks with it", "Fold recursion"]),
        (
            &["Down", "Enter"],
            &[
                "without stacks with Parser.run  (u: take back)",
                "all: 280",
                "stack-grep -v '^Parser\\.run$'",
            ],
        ),
        (&["u"], &["all: 1,080"]),
        (&["r"], &["roots taken away", "LC_ALL=C sed 's/^[^;]*;//'", "Parser.run"]),
        (&["r"], &["all: 1,080", "main"]),
        (&["+"], &["\u{2013}"]),
        (&["-", "?"], &["zoom out to the whole", "copy the name, the stack"]),
        (&["?", "s", "x"], &["copied: stack-grep --stack"]),
    ];
    for (keys, expected) in walks {
        if !keys.is_empty() {
            terminal.press(keys);
        }
        for text in expected {
            terminal
                .wait_until(&format!("{text:?} after {keys:?}"), |screen| screen.contains(text));
        }
    }
    terminal.press(&["q"]);
    terminal.wait_for("status 1");
}

#[test]
fn what_is_written_is_what_the_command_leaves() {
    if goes_without(&[TMUX, &["sed"]]) {
        return;
    }
    let walks: [&[&str]; 7] = [
        &["w"],
        &["Up", "Up", "Enter", "w"],
        &["4", "Enter", "w"],
        &["2", "Up", "Up", "Enter", "w"],
        &["r", "w"],
        &["Up", "Up", "Left", "f", "Down", "Down", "Down", "Enter", "w"],
        &["Up", "Up", "f", "Down", "Down", "Down", "Down", "Enter", "Up", "Enter", "w"],
    ];
    for (keys, number) in walks.iter().zip(0..) {
        let name = format!("view-written-{number}.folded");
        let terminal = shown(&name, (100, 30), STACKS, &[]);
        terminal.press(&keys[..keys.len() - 1]);
        // The command may be longer than the line: the clipboard has the whole command.
        terminal.press(&["x"]);
        let said = terminal.wait_until("a command", |screen| {
            screen.contains("copied: ") || screen.contains("all stacks are shown")
        });
        let command = match said.contains("all stacks are shown") {
            true => "cat".to_owned(),
            false => {
                let shown = terminal.state("#{buffer_sample}");
                let line = said
                    .lines()
                    .find_map(|line| line.strip_prefix("copied: "))
                    .expect("it is there");
                assert!(!line.contains('\u{2026}'), "{shown}: {line}");
                line.trim_end().to_owned()
            }
        };
        terminal.press(&["w"]);
        terminal.wait_for("status 0");
        let path = scratch(&format!("view-input-{number}.folded"), STACKS);
        let folder = crate::place::folder_of_tools();
        let script = format!("stack-merge '{}' | {command} | stack-merge", path.display());
        let path_with_tools = format!("{}:{}", folder, std::env::var("PATH").expect("one"));
        let expected =
            Command::new("bash").args(["-c", &script]).env("PATH", path_with_tools).output();
        let expected = String::from_utf8(expected.expect("it starts").stdout).expect("UTF-8");
        let written = std::fs::read_to_string(path.with_file_name(format!("{name}.out")))
            .expect("it was written");
        let mut written: Vec<&str> = written.lines().collect();
        written.sort_unstable();
        let mut expected: Vec<&str> = expected.lines().collect();
        expected.sort_unstable();
        assert_eq!(written, expected, "{keys:?}: {command}");
    }
}

#[test]
fn the_terminal_comes_back_whole() {
    if goes_without(&[TMUX]) {
        return;
    }
    let is_back = |terminal: &Terminal| {
        terminal.run("clear; stty -a | tr -s ' ;' '\\n' | grep -x '.*icanon\\|.*echo\\|.*isig'; echo is back");
        let screen = terminal.wait_for("is back\n");
        for setting in ["icanon", "echo", "isig"] {
            assert!(screen.lines().any(|line| line.trim_end() == setting), "{screen}");
        }
        let state = terminal.state("#{alternate_on} #{cursor_flag} #{mouse_any_flag}");
        assert_eq!(state, "0 1 0");
    };
    for (keys, status) in [(&["q"][..], "status 1"), (&["C-c"], "status 130"), (&["w"], "status 0")]
    {
        let terminal = shown("view-back.folded", (80, 24), STACKS, &[]);
        assert_eq!(terminal.state("#{alternate_on} #{cursor_flag} #{mouse_any_flag}"), "1 0 1");
        terminal.press(keys);
        if status == "status 130" {
            // The shell ends the rest of its line, too.
            terminal.wait_until("the prompt", |screen| !screen.contains("Flame"));
        } else {
            terminal.wait_for(status);
        }
        is_back(&terminal);
    }
    let terminal = shown("view-term.folded", (80, 24), STACKS, &[]);
    let shell = terminal.state("#{pane_pid}");
    let sent = Command::new("pkill").args(["-TERM", "-P", &shell, "stack-view"]).status();
    assert!(sent.expect("it starts").success());
    terminal.wait_for("Terminated");
    is_back(&terminal);
    let terminal = shown("view-stop.folded", (80, 24), STACKS, &[]);
    terminal.press(&["C-z"]);
    terminal.wait_for("Stopped");
    is_back(&terminal);
    terminal.run("fg");
    terminal.wait_for("1 Flame");
    terminal.press(&["Up"]);
    terminal.wait_for("total 1,000");
    terminal.press(&["q"]);
    terminal.wait_until("the end", |screen| !screen.contains("Flame"));
    is_back(&terminal);
}

#[test]
fn keys_at_random_leave_the_terminal_whole() {
    if goes_without(&[TMUX]) {
        return;
    }
    let keys =
        ["1", "2", "3", "4", "s", "f", "r", "u", "n", "i", "o", "+", "-", "0", "/", "a", "c"];
    let others =
        ["Up", "Down", "Left", "Right", "Enter", "Escape", "PageUp", "S-Left", "Space", "?"];
    let all = [&keys[..], &others].concat();
    let mut random = Random(39);
    for _ in 0..8 {
        let terminal = shown("view-random.folded", (80, 24), STACKS, &[]);
        let pressed: Vec<&str> = (0..60).map(|_| all[random.below(all.len())]).collect();
        terminal.press(&pressed);
        // Escape first leaves the input, then the selection. It is read as one with the next key
        // where that comes too soon: then all are pressed again.
        let mut keys = ["Escape", "Escape", "q", "q"].iter().cycle();
        terminal.wait_until("status 1", |screen| {
            let has_ended = screen.contains("status 1");
            if !has_ended {
                std::thread::sleep(Duration::from_millis(100));
                terminal.press(&[keys.next().expect("there is always one")]);
            }
            has_ended
        });
        terminal.press(&["C-u"]);
        let state = terminal.state("#{alternate_on} #{cursor_flag} #{mouse_any_flag}");
        assert_eq!(state, "0 1 0", "{pressed:?}");
    }
}

#[test]
fn a_closed_pipe_is_not_an_error() {
    if goes_without(&[TMUX]) {
        return;
    }
    let path = scratch("view-closed.folded", STACKS);
    let terminal = Terminal::new(80, 24, &[]);
    terminal.run(&format!(
        "clear; $tools/stack-view '{}' | true; echo ended ${{PIPESTATUS[0]}}",
        path.display()
    ));
    terminal.wait_for("1 Flame");
    terminal.press(&["w"]);
    let screen = terminal.wait_for("ended 0");
    assert!(!screen.contains("stack-view:"), "{screen}");
}

#[test]
fn any_size_is_drawn() {
    if goes_without(&[TMUX]) {
        return;
    }
    let terminal = shown("view-size.folded", (80, 24), STACKS, &[]);
    for (columns, rows) in [(1, 1), (2, 3), (20, 5), (200, 60), (80, 24)] {
        terminal.resize(columns, rows);
        terminal.press(&["Up", "2", "4", "3", "?", "?", "1", "0"]);
    }
    terminal.wait_for("all: 1,080");
    terminal.press(&["q"]);
    terminal.wait_for("status 1");
}

#[test]
fn colours_are_those_of_the_terminal() {
    if goes_without(&[TMUX]) {
        return;
    }
    for (settings, expected) in [
        ("NO_COLOR=1 TERM=screen-256color", "none"),
        ("TERM=screen", "16"),
        ("TERM=screen-256color", "256"),
        ("TERM=screen-256color COLORTERM=truecolor", "all"),
    ] {
        let path = scratch("view-colors.folded", STACKS);
        let terminal = Terminal::new(80, 24, &[]);
        terminal.run(&format!("clear; {settings} $tools/stack-view '{}'", path.display()));
        // The last line, which is drawn after all boxes.
        terminal.wait_for("? keys");
        assert_eq!(fills(&terminal.colored_screen()), expected, "{settings}");
    }
}

/// The palette of a screen's fills: 16, 256 or all colours.
fn fills(screen: &str) -> &'static str {
    let numbers = screen.split("48;5;").skip(1).map(|rest| {
        let end = rest.find(|it: char| !it.is_ascii_digit()).expect("an m");
        rest[..end].parse::<u32>().expect("a number")
    });
    match numbers.max() {
        _ if screen.contains("48;2;") => "all",
        Some(16..) => "256",
        Some(_) => "16",
        None => "none",
    }
}

#[test]
fn names_cannot_send_escapes() {
    if goes_without(&[TMUX]) {
        return;
    }
    let hostile = "main;\x1b[31mred\x1b]0;title\x07;\u{202e}evil\u{200b};\u{9b}5m 3\n";
    let terminal = shown("view-hostile.folded", (80, 24), hostile, &[]);
    terminal.press(&["Up", "Up", "Up", "c"]);
    let screen = terminal.wait_for("copied");
    assert!(!screen.contains('\u{202e}') && !screen.contains('\u{9b}'), "{screen:?}");
    assert!(!terminal.state("#{pane_title}").contains("title"));
}

#[test]
fn without_a_terminal_it_says_what_does_without() {
    if goes_without(&[&["setsid"]]) {
        return;
    }
    let path = scratch("view-none.folded", STACKS);
    let output = Command::new("setsid")
        .args(["--wait", binary("stack-view")])
        .arg(path)
        .stdin(Stdio::null())
        .output()
        .expect("it starts");
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(2), "{said}");
    assert!(said.starts_with("stack-view: no terminal") && said.contains("stack-top"), "{said}");
}

#[test]
fn without_a_terminal_a_recording_is_read_no_further() {
    if goes_without(&[&["setsid"]]) {
        return;
    }
    let intervals = "main;a 3\\n# end 1.000\\n";
    let mark = scratch("view-no-further", "");
    let script = format!(
        "(for i in $(seq 600); do printf '{intervals}' || exit; sleep 0.1; done;
          echo all > '{}') | setsid --wait '{}'",
        mark.display(),
        binary("stack-view")
    );
    let output = Command::new("bash").args(["-c", &script]).output().expect("it starts");
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(2), "{said}");
    assert!(said.starts_with("stack-view: no terminal"), "{said}");
    assert_eq!(std::fs::read_to_string(&mark).expect("it is there"), "", "all of it was read");
}

#[test]
fn a_recording_that_goes_on_is_shown_as_it_comes() {
    if goes_without(&[TMUX]) {
        return;
    }
    let terminal = Terminal::new(80, 24, &[]);
    let input = "printf 'main;a 3\\n# end 1.000\\n'; read x < $HOME/fifo; printf 'main;b 4\\n# end 2.000\\n'; cat $HOME/end";
    let home = scratch("view-live", "").with_file_name("view-live.home");
    let _ = std::fs::create_dir(&home);
    let home = home.display();
    terminal.run(&format!(
        "HOME='{home}'; rm -f $HOME/fifo $HOME/end; mkfifo $HOME/fifo $HOME/end; clear"
    ));
    terminal.run(&format!("({input}) | $tools/stack-view > $HOME/out"));
    terminal.wait_for("all: 3");
    terminal.wait_for("live, all");
    terminal.press(&["Up", "Enter"]);
    terminal.wait_for("all \u{203a} main");
    Command::new("sh")
        .args(["-c", &format!("echo go > '{home}/fifo'")])
        .status()
        .expect("it starts");
    terminal.wait_for("total 7 (100.0% of all");
    terminal.press(&["l"]);
    terminal.wait_for("live, last interval");
    terminal.wait_for("total 4 (100.0% of all");
    terminal.press(&["Space"]);
    terminal.wait_for("paused, last interval");
    // The input has not ended.
    terminal.press(&["w"]);
    terminal.wait_until("the end", |screen| !screen.contains("Flame"));
    // It is written after the terminal was restored.
    let written = || std::fs::read_to_string(format!("{home}/out")).expect("the shell made it");
    terminal.wait_until("what is written", |_| !written().is_empty());
    assert_eq!(written(), "main;b 4\n");
}

#[test]
fn a_large_profile_has_the_same_numbers_as_stack_top() {
    if goes_without(&[TMUX]) {
        return;
    }
    let stacks = recording("folded/rust-tokio-dwarf.folded.gz");
    let text = String::from_utf8(stacks.clone()).expect("UTF-8");
    let terminal = shown("view-large.folded", (200, 60), &text, &[]);
    terminal.press(&["4"]);
    // The last row in sight.
    let screen = terminal.wait_until("all rows", |screen| {
        screen
            .lines()
            .skip_while(|line| !line.contains("SELF"))
            .nth(54)
            .is_some_and(|it| it.contains('%'))
    });
    let top = filter("stack-top", &["--tsv", "-n", "50"], stacks);
    let rows = screen.lines().skip_while(|line| !line.contains("SELF\u{2193}")).skip(1);
    for (row, expected) in rows.zip(top.lines().skip(1)) {
        let numbers: Vec<String> = row.split_whitespace().map(|it| it.replace(',', "")).collect();
        let expected: Vec<&str> = expected.split('\t').collect();
        assert!(numbers.len() > 4, "{row:?} for {expected:?} in\n{screen}");
        assert_eq!([&*numbers[0], &numbers[2]], expected[1..], "{row}");
    }
}
