//! Runs the recipes of man/stack-tools.7, man/stack-ocaml.7 and README.md. The commands are read
//! from the pages; the program is built by OCaml's compiler and recorded by perf. Also runs the
//! examples in the tools' pages and compares with the output shown there.

mod agents;
mod languages;
mod promises;

use std::fs::{self, File};
use std::os::unix::fs::PermissionsExt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use self::promises::{Cooked, of_cook_book, of_ocaml, of_readme};
use crate::needs::{OCAML, SHELL, goes_without, skip};
use crate::programs::{APP, LWTSIM};
use crate::util::{TOOLS, binary, recording};

/// The titles of a page's recipes, each with texts that must be in its output or in the files that
/// it writes.
type Expected<'a> = &'a [(&'a str, &'a [&'a str])];

const OF_STACK_OCAML: Expected = &[
    ("OCaml 4 on Linux", &[";Server.handle;Db.query;", ";[GC] ", "<svg", "Stdlib.Map.Make.add"]),
    ("OCaml 5 on Linux", &["<svg", "Db.insert", "[GC]"]),
    (
        "macOS",
        &[
            "# unit: ns\n",
            "start;main;App.entry 1000000\n",
            ";Db.query 2070000000\n",
            ";Db.total 60000000000\n",
            "-[Foo bar:] 3000000\n",
        ],
    ),
    ("Exact names", &["Db.query (db.ml:16)", "camlServer__handle_", "Server.handle\tserver.ml:"]),
    ("Which line?", &["  self  total\n", "Db.insert  "]),
    ("The garbage collector", &[";[GC] ", ";[GC m", "%\n"]),
    ("Recursion", &["weight", "Stdlib.Map.Make.add\n", "Stdlib.Map.Make.add (x"]),
    ("Lwt", &["<svg", "[lwt]", "Server.handle"]),
    ("Eio and Async", &["<svg", "Db.query"]),
    ("Memory", &["<svg", "Alloc.deep", "Stdlib.Map.Make.update", " at 0.105451\n", "grab"]),
    (
        "What the runtime did, and when",
        &["  minor_local_roots_promote\n", "<svg class=\"strip\">", " ms at 5177.193775259\n"],
    ),
];

const OF_STACK_TOOLS: Expected = &[
    ("Record", &["app.exe;_start;", ";Db.query"]),
    ("Names that are elsewhere", &["app.exe;_start;", ";camlDb__query_"]),
    ("Recursion", &["weight", "Stdlib.Map.add\n", "Stdlib.Map.add (x"]),
    (
        "What filled the memory at the peak?",
        &["bytes\tbytes\t2286\t182880000\tpeak 6480000 at 0.105451\n", "<svg", "grab\n", "Alloc."],
    ),
    ("What lives longer than a second?", &["Alloc.", "[leaky+0x1185]", "FUNCTION\n"]),
    ("What is hot?", &["FUNCTION\n", "MODULE\n", "Db.insert", " samples ("]),
    (
        "Which line?",
        &["  self  total\n", "Db.insert  ", "db.ml`**: self ", "  own  total\n", "\n  self\n"],
    ),
    (
        "Who calls it?",
        &[
            "CALLERS OF Stdlib.Map.",
            "CALLEES OF Db.query\n",
            "Db.query: ",
            "  OF MATCH  OF ALL ",
            "<svg",
            "Db.insert",
        ],
    ),
    (
        "Which viewer?",
        &[
            r#""exporter":"stack-export "#,
            " cum%\n",
            "\"preprocessedProfileVersion\":",
            "\"traceEvents\":",
            "PROGRAM TOTALS",
            "<svg",
            "\"children\":",
        ],
    ),
    ("When was it busy?", &["<svg", "\na column is ", "Db.", "FUNCTION\n"]),
    ("When did one function run?", &["<svg", "\na column is ", "since=0.", "Db.insert"]),
    ("What ran then?", &["<svg class=\"strip\">", "data-key=\"label:tid\""]),
    ("What did one thread do then?", &["<svg", "FUNCTION\n", "Db.insert"]),
    (
        "What do the slow requests do?",
        &["rebuild_index\n", "  GET /item/1  ", "rebuild_index:21", "<svg"],
    ),
    ("What came with the new version?", &["  v2  ", "check_twice\n"]),
    ("Which requests are slow, without a log?", &["rebuild_index:21", "server.exe: "]),
    ("Spans that a recording has itself", &["  Shop.rebuildIndex\n"]),
    ("What do the slow requests wait for?", &["# server.exe: ", "\n## `", "  write_index\n"]),
    ("Which thread is slow?", &["  [all]\n", "ROOT\n", "<svg", "data-split=\"label:tid\""]),
    ("One container", &["  /shop/web  /shop/db  FUNCTION\n", "<svg", "query"]),
    ("A table for pandas", &["since\ttid\tweight\tstack\n0.000000000\t", "\"app.exe;"]),
    ("Several recordings", &["main;work 5\n"]),
    (
        "What changed?",
        &["total 5 -> 9", "<svg", "idle (2 counts before, 0 after: gone; noise explains it)"],
    ),
    ("Does CI notice?", &["total 4 -> 4 a run ("]),
    ("Since when is it slower?", &["  6,000*  rest\n", "* noise does not explain"]),
    (
        "Which host of 500 is it?",
        &["PROFILE ", "\nhost-417.folded ", "<svg", "100.00%  host-417.folded\n", "  serve\n"],
    ),
    ("What does it wait for?", &["<svg", "backup.sh", " ms  ", "  do_wait\n"]),
    ("Who keeps it waiting?", &["<svg", "backup.sh", " ms  ", ";--;", "  sleep\n"]),
    (
        "What to make faster so that it ends sooner?",
        &["<svg", "critical path of ", "FUNCTION\n", "alone", "<svg class=\"strip\">"],
    ),
    ("How much would it help?", &["SOONER%", " twice as fast\n", "alone", "<svg"]),
    ("Where was the time of each thread?", &["<svg", "  running  ", "threads.exe-", "FUNCTION\n"]),
    ("What ends it sooner, without root?", &["<svg", ";alone ", ";beside ", " ns"]),
    ("Where are the cache misses?", &["<svg", "Db.insert"]),
    ("How many cycles does an instruction take?", &["<svg", "Db.insert ("]),
    ("A Makefile rule", &["<svg", "Db.query"]),
    ("What does it do now?", &["Db.", "# end ", "<svg", "FUNCTION\n"]),
];

const OF_README: Expected = &[
    ("stack-tools", &[]),
    ("A first picture", &[]),
    (
        "Questions",
        &[
            "# app: ",
            "FUNCTION\n",
            "  own  total\n",
            "<svg class=\"strip\">",
            "data-split=\"label:state\"",
            "backup.sh",
            "total 5 -> 9 (",
        ],
    ),
    ("The pipe", &["<svg", "CALLERS OF Db.query\n"]),
    ("What you type today", &["Db.query", "<svg", "work (3 counts before, 9 after"]),
    ("Your language", &["<svg", "# unit: ns\n"]),
    ("Did it get slower, in CI?", &["total 4 -> 4 a run ("]),
    (
        "What to make faster so that it ends sooner?",
        &["<svg", "critical path of ", "alone", "beside"],
    ),
    ("What do the slow requests do?", &["# server.exe: ", "rebuild_index:21"]),
    (
        "When was it busy?",
        &["<svg class=\"strip\">", "a column is ", "data-view=\"chart\"", "data-key=\"label:tid\""],
    ),
    ("The runtime out of the way,", &["<svg", "[GC]"]),
    ("Memory.", &["<svg", "grab"]),
    ("Another viewer?", &["speedscope.app/file-format-schema.json"]),
];

/// A call tree as Instruments copies it to the clipboard: inclusive time, own time, and the name,
/// indented by one space for each caller.
const DEEP_COPY: &str = "Weight\tSelf Weight\tSymbol Names\n\
    1.04 min\u{2007}100.0%\t0 s\t   start\n\
    1.04 min\u{2007}100.0%\t0 s\t    main\n\
    1.00 ms\u{2007}0.0%\t1.00 ms\t     camlApp$entry_3\n\
    1.04 min\u{2007}99.9%\t2.07 s\t     _camlDb$query_12\n\
    1.00 min\u{2007}96.0%\t1.00 min\t      camlDb$total_277\n\
    3.00 ms\u{2007}0.0%\t3.00 ms\t      -[Foo bar;]\n";

/// A program that waits, works in one thread, and then in two, which do not share memory: each
/// would slow the other. On a busy machine the first wait may be the only one.
const THREADS: &str = "#include <pthread.h>
#include <unistd.h>
static __thread volatile long sink;
void alone(void) { for (long i = 0; i < 100000000; i++) sink += i; }
void *beside(void *unused) { for (long i = 0; i < 50000000; i++) sink ^= i; return unused; }
int main(void) {
    pthread_t thread;
    usleep(5000);
    alone();
    pthread_create(&thread, 0, beside, 0);
    beside(0);
    return pthread_join(thread, 0);
}
";

/// Samples clocks under the names of counters, for recipes on machines without counters.
const PERF_WITHOUT_COUNTERS: &str = r#"#!/bin/bash
others=${PATH#*:}
with_clocks=("${@//cache-misses/cpu-clock}")
with_clocks=("${with_clocks[@]//cycles,instructions/cpu-clock,task-clock}")
PATH=$others perf "${with_clocks[@]}" || exit
[[ "$*" == *cycles,instructions*-o\ counters.data* ]] || exit 0
PATH=$others perf script --no-inline -i counters.data |
    sed 's/ cpu-clock: / cycles: /; s/ task-clock: / instructions: /' > counters.text
mv counters.text counters.data
"#;

struct Recipe {
    title: String,
    commands: String,
}

const STACK_TOOLS: &str = include_str!("../man/stack-tools.7");
const STACK_OCAML: &str = include_str!("../man/stack-ocaml.7");

/// The recipes of a section of a page. Each subsection is one; its displays are the commands.
fn recipes_of(page: &'static str, section: &str) -> Vec<Recipe> {
    let (_, book) = page.split_once(&format!("\n.Sh {section}\n")).expect("a cook book");
    let (book, _) = book.split_once("\n.Sh ").expect("another section behind it");
    let sections = book.split("\n.Ss ").skip(1);
    sections
        .map(|section| {
            let (title, text) = section.split_once('\n').expect("a title");
            // mdoc would take a `?` at the end as a macro's own.
            let title = title.trim_end_matches("\\&").to_owned();
            Recipe { title, commands: displays(text).join("\n") }
        })
        .collect()
}

/// The displays of a man page, as a terminal shows them.
fn displays(page: &str) -> Vec<String> {
    let displays = page.split(".Bd -literal -offset indent\n").skip(1);
    let displays = displays.map(|it| it.split_once("\n.Ed").expect("an end").0);
    displays
        .map(|text| {
            // `\&` comes before a full stop that starts a line of text.
            let text = text.replace("\\&", "");
            let escapes = text.matches('\\').count();
            assert_eq!(escapes, text.matches("\\e").count(), "only \\e is known: {text}");
            text.replace("\\e", "\\")
        })
        .collect()
}

/// The commands of README.md: below each heading and each bold title the indented lines, and the
/// last column of a table of commands. Other tests run those of "Install" and of the table of
/// [`languages`].
fn recipes_of_readme() -> Vec<Recipe> {
    let page = include_str!("../README.md");
    let sections = page.split("\n## ").map(|section| section.trim_start_matches("# "));
    let sections = sections.filter(|section| !section.starts_with("Install\n"));
    let titled = sections.flat_map(|section| {
        let mut parts = section.split("\n**");
        let heading = parts.next().and_then(|part| part.split_once('\n'));
        let bold = parts.map(|part| part.split_once("**").expect("an end of the title"));
        heading.into_iter().chain(bold)
    });
    titled
        .map(|(title, text)| {
            let lines = text.lines().filter_map(|line| {
                let in_table = line.strip_suffix("` |").filter(|_| title == "What you type today");
                let last_column = in_table.and_then(|line| line.rsplit_once("| `"));
                line.strip_prefix("    ").or(last_column.map(|(_, command)| command))
            });
            // A table's `|` is escaped.
            let commands = lines.collect::<Vec<_>>().join("\n").replace("\\|", "|");
            Recipe { title: title.to_owned(), commands }
        })
        .filter(|recipe| !recipe.commands.is_empty())
        .collect()
}

/// A folder to work in.
struct Place {
    folder: PathBuf,
}

impl Place {
    fn empty(name: &str) -> Place {
        let folder: PathBuf = [env!("CARGO_TARGET_TMPDIR"), name].iter().collect();
        // An earlier run may have left a folder.
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(folder.join("scripts")).expect("a writable target directory");
        Place { folder }
    }

    /// A folder with everything that the recipes need, or `None` if perf may not record.
    fn stocked(name: &str) -> Option<Place> {
        let place = Place::empty(name);
        // The pages are for all languages, those of stack-ocaml(7) have a name of OCaml's.
        for name in ["app", "app.exe"] {
            fs::copy(&*APP, place.path(name)).expect("it is built");
        }
        for source in ["app.ml", "db.ml", "server.ml"] {
            let from = APP.with_file_name(source);
            fs::copy(from, place.path(source)).expect("it is there");
        }
        place.write("app.ctf", recording("formats/memtrace/alloc.ctf.gz"));
        place.write("shop.jfr", recording("formats/jfr/jdk17-requests.jfr.gz"));
        place.write("out.fxt", recording("formats/fxt/olly-gc.fxt.gz"));
        place.write("heaptrack.app.zst", recording("formats/heaptrack/leaky.txt.gz"));
        place.write("heaptrack.app.raw.zst", recording("formats/heaptrack/leaky-raw.txt.gz"));
        place.write("cpu.pprof", recording("formats/pprof/go-cpu.pb.gz"));
        languages::cargo_project(&place);
        for (name, folded) in [
            ("monday.folded", "main;work 2\n"),
            ("tuesday.folded", "main;work 3\n"),
            ("old.folded", "main;work 3\nmain;idle 2\n"),
            ("new.folded", "main;work 9\n"),
            ("main-1.folded", "main;work 3\n"),
            ("main-2.folded", "main;work 5\n"),
            ("branch-1.folded", "main;work 4\n"),
            ("branch-2.folded", "main;work 4\n"),
            (
                "containers.folded",
                "cgroup=/shop/web\tmain;serve 9\ncgroup=/shop/db\tmain;query 5\n",
            ),
            ("v1.folded", "main;work 4000\nmain;rest 6000\n"),
            ("v2.folded", "main;work 4013\nmain;rest 5988\n"),
            ("v3.folded", "main;work 6000\nmain;rest 6000\n"),
            ("host-001.folded", "main;serve 9013\nmain;idle 1045\n"),
            ("host-002.folded", "main;serve 9023\nmain;idle 1035\n"),
            ("host-003.folded", "main;serve 9033\nmain;idle 1025\n"),
            ("host-417.folded", "main;serve 6011\nmain;retry 4007\n"),
        ] {
            place.write(name, folded);
        }
        place.program("backup.sh", "#!/bin/sh\nsleep 0.2\n");
        place.write("threads.c", THREADS);
        assert!(
            place.run("cc -g -pthread -o threads threads.c && cp threads threads.exe").0,
            "a compiler of C"
        );
        place.write("server.c", include_str!("recipes/server.c"));
        assert!(place.run("cc -g -o server.exe server.c").0, "a compiler of C");
        if !place.run("perf record -q -e cache-misses -o probe.data true").0 {
            place.program("perf", PERF_WITHOUT_COUNTERS);
        }
        place.program("pbpaste", &format!("#!/bin/sh\ncat << 'END'\n{DEEP_COPY}END\n"));
        // Without `--from` the script would build the tools first.
        let flame = concat!(env!("CARGO_MANIFEST_DIR"), "/scripts/flame");
        let tools = tools().display();
        place.program("scripts/flame", &format!("#!/bin/sh\nexec {flame} --from {tools} \"$@\"\n"));
        // The recordings from which Makefiles start.
        let is_recorded = place.record("-o app.data ./app.exe");
        is_recorded.then(|| {
            fs::copy(place.path("app.data"), place.path("app.perf.data")).expect("a recording");
            place
        })
    }

    /// Whether perf may set probes, which are there for all programs until they are removed.
    fn may_probe(&self) -> bool {
        // Those of a run that was stopped are in the way.
        self.run("perf probe -d 'probe_server:*'");
        self.run("perf probe -x ./server.exe may=serve && perf probe -d 'probe_server:*'").0
    }

    /// Records a program. Returns false if perf may not record.
    fn record(&self, arguments: &str) -> bool {
        let (may, _) = self.run(&format!("perf record -F 999 --call-graph dwarf {arguments}"));
        if !may {
            let said = fs::read_to_string(self.path("said")).unwrap_or_default();
            skip(&format!("perf does not record here: {said}"));
        }
        may
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.join(name)
    }

    fn write(&self, name: &str, content: impl AsRef<[u8]>) {
        fs::write(self.path(name), content).expect("a writable folder");
    }

    fn program(&self, name: &str, text: &str) {
        self.write(name, text);
        let executable = fs::Permissions::from_mode(0o755);
        fs::set_permissions(self.path(name), executable).expect("our own file");
    }

    /// Runs commands in a shell; returns whether they succeeded, and their output.
    fn run(&self, commands: &str) -> (bool, String) {
        // Output goes to files, since perf would write its recording into a standard output that is
        // a pipe.
        let [printed, said] =
            ["printed", "said"].map(|name| File::create(self.path(name)).expect("a new file"));
        let path = std::env::var("PATH").expect("a PATH");
        let path = format!("{}:{}:{path}", self.folder.display(), tools().display());
        // A program without a path would be searched in the new PATH, and for that the standard
        // library copies the tables of this process's memory with `fork`.
        let mut command = Command::new("/usr/bin/env");
        // Projects are built as their users build them, whatever the settings of this build, and
        // nothing is downloaded.
        for variable in ["CARGO_TARGET_DIR", "CARGO_BUILD_TARGET", "RUSTFLAGS", "DEBUGINFOD_URLS"] {
            command.env_remove(variable);
        }
        let status = command
            .args(["bash", "-euo", "pipefail", "-c", commands])
            .current_dir(&self.folder)
            .env("PATH", path)
            // perf would read a standard input that is a pipe.
            .stdin(Stdio::null())
            .stdout(printed)
            .stderr(said)
            .status()
            .expect("bash");
        let printed = fs::read(self.path("printed")).expect("what was printed");
        (status.success(), String::from_utf8_lossy(&printed).into_owned())
    }

    /// Runs a recipe. Returns its output and the content of the files that it wrote, or what it
    /// said where it failed.
    fn cook(&self, recipe: &Recipe) -> Result<String, String> {
        let Recipe { title, commands } = recipe;
        let is_makefile = commands.contains("%.folded:");
        if is_makefile {
            self.write("Makefile", commands);
            // make would not run if these files of an earlier recipe were newer than the recording.
            for made in ["app.folded", "app.svg"] {
                let _ = fs::remove_file(self.path(made));
            }
        }
        let (cooked, mut result) = self.run(if is_makefile { "make app.svg" } else { commands });
        let said = fs::read_to_string(self.path("said")).expect("what was said");
        if !cooked {
            return Err(format!("{title}: {commands}\n{said}"));
        }
        let written = if is_makefile { vec!["app.svg"] } else { written_by(commands) };
        for name in written {
            let bytes = fs::read(self.path(name)).unwrap_or_else(|_| panic!("{title}: no {name}"));
            result.push_str(&String::from_utf8_lossy(&bytes));
        }
        Ok(result)
    }
}

/// The folder of the tools.
fn tools() -> &'static Path {
    Path::new(binary("stack-merge")).parent().expect("a folder")
}

/// The pictures, stacks and JSON files that commands write.
fn written_by(commands: &str) -> Vec<&str> {
    let words: Vec<&str> = commands.split_whitespace().collect();
    // Not what a loop writes: `> $event.folded`.
    let is_result = |name: &str| {
        !name.contains('$') && [".svg", ".folded", ".json"].iter().any(|end| name.ends_with(end))
    };
    // `stack-flame -- ./app.exe    # writes flame.svg`
    let names = |word: &str| matches!(word, ">" | "-o" | "--folded" | "writes");
    let targets = words.windows(2).filter(|pair| names(pair[0]));
    targets.map(|pair| pair[1]).filter(|name| is_result(name)).collect()
}

/// Runs all recipes in order, and checks the expected texts and the promises of each.
fn cook(
    place: &str,
    recipes: &[Recipe],
    expected: Expected,
    check_promises: fn(&str, &Cooked<'_>),
) {
    let titles: Vec<&str> = recipes.iter().map(|recipe| &recipe.title[..]).collect();
    let known: Vec<&str> = expected.iter().map(|(title, _)| *title).collect();
    assert_eq!(titles, known);
    assert!(recipes.iter().all(|recipe| !recipe.commands.is_empty()));
    if goes_without(&[OCAML, SHELL, &["perf", "make", "go", "dot", "callgrind_annotate"]]) {
        return;
    }
    let Some(place) = Place::stocked(place) else { return };
    let may_record_all = place.run("perf record -q -a -e sched:sched_switch -o probe.data true").0;
    for (recipe, (title, texts)) in recipes.iter().zip(expected) {
        if recipe.commands.contains("--off-cpu") && !may_record_all {
            skip("perf may not record all programs here");
            continue;
        }
        if recipe.commands.contains("perf probe") && !place.may_probe() {
            skip("perf may not set probes here");
            continue;
        }
        // A panic says why a try failed.
        let works = || {
            catch_unwind(AssertUnwindSafe(|| serve(&place, recipe, texts, check_promises))).is_ok()
        };
        // The kernel sometimes loses a switch of threads, and with it the wait that it ended, or
        // all of them, so that nothing can be drawn; and with --every, a table may come before the
        // program's work.
        let is_by_chance = ["--off-cpu", "--every"].iter().any(|it| recipe.commands.contains(it));
        let tries = if is_by_chance { 10 } else { 1 };
        assert!((0..tries).any(|_| works()), "{title}: {tries} of {tries} tries failed");
    }
}

/// Runs a recipe, and checks its expected texts and its promises.
fn serve(place: &Place, recipe: &Recipe, texts: &[&str], check_promises: fn(&str, &Cooked<'_>)) {
    let Recipe { title, commands } = recipe;
    let result = place.cook(recipe).unwrap_or_else(|failed| panic!("{failed}"));
    for text in texts {
        let folder = place.folder.display();
        assert!(result.contains(text), "{title}: there is no {text:?}, see {folder}");
    }
    check_promises(title, &Cooked { place, commands, result: &result });
}

#[test]
fn the_recipes_of_the_cook_book_work_as_they_stand() {
    cook("recipes-page", &recipes_of(STACK_TOOLS, "COOK BOOK"), OF_STACK_TOOLS, of_cook_book);
}

#[test]
fn the_recipes_for_ocaml_work_as_they_stand() {
    cook("recipes-ocaml", &recipes_of(STACK_OCAML, "RECIPES"), OF_STACK_OCAML, of_ocaml);
}

#[test]
fn the_recipes_of_the_readme_work_as_they_stand() {
    cook("recipes-readme", &recipes_of_readme(), OF_README, of_readme);
}

#[test]
fn fibres_of_a_recorded_program_are_rows_with_their_names() {
    if goes_without(&[OCAML, SHELL, &["perf"]]) {
        return;
    }
    let place = Place::empty("recipes-lwtsim");
    let exe = LWTSIM.display();
    // Many short runs: if other programs slow the machine for a moment, that affects all parts.
    let runs = format!("sh -c 'for n in 1 2 3 4 5 6 7 8; do {exe} 150; done'");
    if !place.record(&runs) {
        return;
    }
    let (done, rows) = place.run(&format!(
        "perf script --no-inline --max-stack 2048 | stack-parse | stack-demangle --exe {exe} |
            stack-collapse-frames --lwt entries | stack-grep hash_block |
            sed 's/.*lwt\\];//; s/;.* / /' | stack-merge"
    ));
    assert!(done);
    let rows: Vec<(&str, f64)> = rows
        .lines()
        .filter_map(|row| row.rsplit_once(' '))
        .map(|(name, weight)| (name, weight.parse().expect("a weight")))
        .collect();
    let all: f64 = rows.iter().map(|(_, weight)| weight).sum();
    // The true shares, in percent, computed from the constants of the program.
    for (name, truth) in [
        ("Lwtsim.guarded.(fun)", 7.9),
        ("Lwtsim.handle_request", 61.4),
        ("Lwtsim.main.(fun)", 2.0),
        ("Lwtsim.pipeline.(fun)", 4.5),
        ("Lwtsim.pipeline.feed", 6.3),
        ("Lwtsim.producer.loop", 9.9),
        ("Lwtsim.waiters.(fun)", 8.1),
    ] {
        let row = rows.iter().find(|(row, _)| *row == name);
        let (_, weight) = row.unwrap_or_else(|| panic!("no {name}: {rows:?}"));
        let share = 100.0 * weight / all;
        assert!((share - truth).abs() < 5.0, "{name}: {share}, not {truth}: {rows:?}");
    }
}

/// `$ cat app.folded` shows a file, and the examples after it show the tools' output for it.
/// Examples that need a recording or a program show no output.
#[test]
fn the_examples_of_the_pages_give_what_they_show() {
    if goes_without(&[SHELL]) {
        return;
    }
    let mut tried = 0;
    for (tool, _) in TOOLS {
        let path = [env!("CARGO_MANIFEST_DIR"), "/man/", tool, ".1"].concat();
        let page = fs::read_to_string(path).expect("every tool has a page");
        let place = Place::empty(&format!("examples-{tool}"));
        let mut shown = Vec::new();
        for display in displays(&page) {
            for example in format!("\n{display}\n").split("\n$ ").skip(1) {
                let (command, output) = example.split_once('\n').unwrap_or((example, ""));
                if let Some(file) = command.strip_prefix("cat ") {
                    place.write(file, format!("{output}\n"));
                    shown.push(file.to_owned());
                } else if !output.is_empty() && shown.iter().any(|file| command.contains(file)) {
                    let printed = place.run(command).1;
                    assert_eq!(printed.trim_end(), output.trim_end(), "{tool}: {command}");
                    tried += 1;
                }
            }
        }
    }
    assert!(tried >= 15, "only {tried}");
}
