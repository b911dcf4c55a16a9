//! The recipes of man/stack-tools.7 for each language: programs that compute for a moment are
//! built, recorded and drawn.

use std::fs;

use super::{Place, STACK_TOOLS, recipes_of};
use crate::needs::{OCAML, SHELL, goes_without};
use crate::programs::APP;
use crate::util::recording;

/// A recipe that can be run here.
struct Tried {
    title: &'static str,
    /// The programs it needs.
    needs: &'static [&'static str],
    files: &'static [(&'static str, &'static str)],
    stand_in: Option<StandIn>,
    /// A function that must be in the picture and in the table.
    function: &'static str,
}

/// For a profiler that is in no package installed by the tests: programs that only put a recording
/// of ours, below tests/golden, where the profiler would write its own.
struct StandIn {
    programs: &'static [&'static str],
    recording: &'static str,
    file: &'static str,
}

const TRIED: [Tried; 11] = [
    Tried {
        title: "C and C++",
        needs: &["perf", "g++"],
        files: &[("server.cc", CPP)],
        stand_in: None,
        function: "shop::digest(",
    },
    Tried {
        title: "Rust",
        needs: &["perf", "cargo"],
        files: &[],
        stand_in: None,
        function: "app::digest",
    },
    Tried {
        title: "Go",
        needs: &["go"],
        files: &[("go.mod", GO_MOD), ("shop_test.go", GO)],
        stand_in: None,
        function: "shop.digest",
    },
    Tried {
        title: "Java",
        needs: &["java"],
        files: &[("App.java", JAVA)],
        stand_in: None,
        function: "App.digest",
    },
    Tried {
        title: "Node.js",
        needs: &["node"],
        files: &[("app.js", JAVASCRIPT)],
        stand_in: None,
        function: "digest",
    },
    Tried {
        title: "Python",
        needs: &["python3"],
        files: &[("app.py", PYTHON)],
        stand_in: Some(StandIn {
            programs: &["py-spy"],
            recording: "formats/folded/py-spy.txt.gz",
            file: "app.raw",
        }),
        function: "Model.score",
    },
    Tried {
        title: "Ruby",
        needs: &[],
        files: &[],
        stand_in: Some(StandIn {
            programs: &["rbspy"],
            recording: "formats/rbspy/demo.raw.gz",
            file: "app.raw.gz",
        }),
        function: "block in run",
    },
    Tried { title: "OCaml", needs: &["perf"], files: &[], stand_in: None, function: "Db.query" },
    Tried {
        title: "Haskell",
        needs: &[],
        files: &[],
        stand_in: Some(StandIn {
            programs: &["ghc", "app"],
            recording: "formats/ghc-prof/exact.prof",
            file: "app.prof",
        }),
        function: "Main.sorted",
    },
    Tried {
        title: "PHP",
        needs: &[],
        files: &[],
        stand_in: Some(StandIn {
            programs: &["php"],
            recording: "formats/xdebug/calls.xt",
            file: "app.xt",
        }),
        function: "A->step",
    },
    Tried {
        title: "Swift",
        needs: &[],
        files: &[],
        stand_in: Some(StandIn {
            programs: &["xctrace"],
            recording: "formats/xctrace/time-profile.xml",
            file: "app.xml",
        }),
        function: "std::map<",
    },
];

const CPP: &str = r#"#include <cstdio>
#include <string>
namespace shop {
__attribute__((noinline)) unsigned digest(const std::string &text) {
    unsigned sum = 0;
    for (char byte : text) sum = sum * 31 + byte;
    return sum;
}
}
int main() {
    unsigned sum = 0;
    for (int i = 0; i < 30000; i++) sum += shop::digest(std::string(10000, 'a' + i % 20));
    printf("%u\n", sum);
}
"#;

const CARGO: &str =
    "[package]\nname = \"app\"\nversion = \"0.1.0\"\nedition = \"2021\"\n\n[workspace]\n";

const RUST: &str = r#"#[inline(never)]
fn digest(text: &str) -> u32 {
    text.bytes().fold(0, |sum: u32, byte| sum.wrapping_mul(31).wrapping_add(byte.into()))
}

fn main() {
    let text = "a text that is not short".repeat(1000);
    let sum = (0..20_000).fold(0, |sum: u32, _| sum.wrapping_add(digest(std::hint::black_box(&text))));
    println!("{sum}");
}
"#;

const GO_MOD: &str = "module shop\n\ngo 1.18\n";

const GO: &str = r#"package shop

import "testing"

//go:noinline
func digest(text string) (sum uint32) {
	for _, char := range text {
		sum = sum*31 + uint32(char)
	}
	return sum
}

var total uint32

func BenchmarkDigest(b *testing.B) {
	for i := 0; i < b.N; i++ {
		total += digest("a text that is not short, and read again and again")
	}
}
"#;

const JAVA: &str = r#"public class App {
    static long digest(int n) {
        long sum = 0;
        for (int i = 0; i < n; i++) sum += Integer.toHexString(i).hashCode();
        return sum;
    }
    public static void main(String[] args) {
        long sum = 0;
        for (int i = 0; i < 6_000; i++) sum += digest(10_000);
        System.out.println(sum);
    }
}
"#;

const JAVASCRIPT: &str = r#"function digest(text) {
  let sum = 0;
  for (let i = 0; i < text.length; i++) sum = (sum * 31 + text.charCodeAt(i)) | 0;
  return sum;
}
let sum = 0;
for (let i = 0; i < 10_000; i++) sum += digest(String(sum).repeat(1000));
"#;

const PYTHON: &str = "def digest(text):
    return sum(ord(char) for char in text)

for number in range(500):
    digest(str(number) * 100)
";

impl StandIn {
    fn install(&self, place: &Place) {
        place.write("recording", recording(self.recording));
        for program in self.programs {
            place.program(program, &format!("#!/bin/sh\ncp recording {}\n", self.file));
        }
    }
}

/// Writes a project that cargo builds.
pub(super) fn cargo_project(place: &Place) {
    fs::create_dir_all(place.path("src")).expect("our own folder");
    place.write("Cargo.toml", CARGO);
    place.write("src/main.rs", RUST);
}

/// README.md's table: languages, and the command that records a program of each.
fn of_readme() -> Vec<(&'static str, &'static str)> {
    let page = include_str!("../../README.md");
    let (_, table) = page.split_once("\n| language | record |\n|---|---|\n").expect("the table");
    let (table, _) = table.split_once("\n\n").expect("an end of the table");
    let row = |row: &'static str| {
        let (language, record) = row.trim_start_matches("| ").split_once(" | `").expect("columns");
        (language, record.split_once('`').expect("a command").0)
    };
    table.lines().map(row).collect()
}

#[test]
fn every_language_has_a_recipe() {
    let titles: Vec<String> =
        recipes_of(STACK_TOOLS, "LANGUAGES").into_iter().map(|recipe| recipe.title).collect();
    assert_eq!(titles, TRIED.map(|tried| tried.title));
}

#[test]
fn the_readme_records_each_language_as_its_recipe_does() {
    let recipes = recipes_of(STACK_TOOLS, "LANGUAGES");
    let rows = of_readme();
    assert!(rows.len() >= 8, "{rows:?}");
    for (language, record) in rows {
        let recipe = recipes.iter().find(|recipe| recipe.title == language);
        let commands = &recipe.unwrap_or_else(|| panic!("{language} has no recipe")).commands;
        assert!(commands.lines().any(|line| line == record), "{language}: {record}");
    }
}

#[test]
fn the_recipes_for_languages_work_as_they_stand() {
    for tried in &TRIED {
        let Tried { title, needs, files, stand_in, function } = tried;
        let ocaml = if *title == "OCaml" { OCAML } else { &[] };
        if goes_without(&[SHELL, needs, ocaml]) {
            continue;
        }
        let place = Place::empty(&format!("recipe-{}", title.replace(' ', "-")));
        if needs.contains(&"perf") && !place.record("-q -o probe.data true") {
            continue;
        }
        match *title {
            "OCaml" => drop(fs::copy(&*APP, place.path("app.exe")).expect("it is built")),
            "Rust" => cargo_project(&place),
            _ => files.iter().for_each(|(name, text)| place.write(name, text)),
        }
        if let Some(stand_in) = stand_in {
            stand_in.install(&place);
        }
        let recipe =
            recipes_of(STACK_TOOLS, "LANGUAGES").into_iter().find(|recipe| recipe.title == *title);
        let result = place.cook(&recipe.expect("its section"));
        let result = result.unwrap_or_else(|failed| panic!("{failed}"));
        for text in ["<svg", "FUNCTION\n", function] {
            let folder = place.folder.display();
            assert!(result.contains(text), "{title}: there is no {text:?}, see {folder}");
        }
    }
}
