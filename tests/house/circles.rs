//! No circles: files of a crate that use each other.
//!
//! A module may use what the modules around it define: a parent and its child may use each other.
//! All other uses go one way, so that a file can be read, changed and moved with only the files
//! below it in mind.

use std::collections::BTreeMap;
use std::path::Path;

use regex::Regex;

use super::{ROOT, code_of, crates};

/// A module: the names on the way to it from the root of its crate.
type Module = Vec<String>;

/// For each module, the modules that it uses, and by which path.
type Uses = BTreeMap<Module, BTreeMap<Module, String>>;

/// The code of a crate.
struct Crate {
    /// The code of each module, without comments and tests.
    code: BTreeMap<Module, String>,
    /// The names that a module takes from others, and their paths: it hands them on, to its
    /// children in any case.
    handed_on: BTreeMap<(Module, String), String>,
}

impl Crate {
    fn new(code: BTreeMap<Module, String>) -> Crate {
        let mut handed_on = BTreeMap::new();
        for (module, code) in &code {
            for path in tree_of_use().captures_iter(code).flat_map(|it| paths_of(&it[1])) {
                let (path, name) = match path.split_once(" as ") {
                    Some((path, name)) => (path, name),
                    None => (&path[..], path.rsplit("::").next().expect("a name")),
                };
                handed_on.insert((module.clone(), name.to_owned()), path.to_owned());
            }
        }
        Crate { code, handed_on }
    }

    /// The module that has what `path` names in the module `from`, which is `from` for a path of
    /// another crate.
    fn module_of(&self, from: &Module, path: &str) -> Module {
        let mut at = from.clone();
        for name in path.split("::").map(str::trim) {
            match name {
                "crate" => at.clear(),
                "self" => {}
                "super" => drop(at.pop()),
                name => {
                    at.push(name.to_owned());
                    if !self.code.contains_key(&at) {
                        at.pop();
                        let is_elsewhere = at != *from;
                        let key = (at, name.to_owned());
                        let route = self.handed_on.get(&key).filter(|_| is_elsewhere);
                        return route.map_or(key.0.clone(), |route| self.module_of(&key.0, route));
                    }
                }
            }
        }
        at
    }

    /// What each module uses but itself and the modules around it.
    fn uses(&self) -> Uses {
        let tree = tree_of_use();
        let path = Regex::new(r"(?:^|[^\w:])([a-z_]\w*(?:::\w+)+)").expect("a pattern");
        let mut uses = Uses::new();
        for (module, code) in &self.code {
            let in_trees = tree.captures_iter(code).flat_map(|it| paths_of(&it[1]));
            let without_trees = tree.replace_all(code, "");
            let in_code = path.captures_iter(&without_trees).map(|it| it[1].to_owned());
            let used = uses.entry(module.clone()).or_default();
            for path in in_trees.chain(in_code) {
                let of = self.module_of(module, path.split(" as ").next().unwrap_or_default());
                if !module.starts_with(&of) {
                    used.insert(of, path);
                }
            }
        }
        uses
    }
}

fn tree_of_use() -> Regex {
    Regex::new(r"(?m)^\s*(?:pub(?:\([^)]*\))? )?use ([^;]+);").expect("a pattern")
}

/// The paths in the tree of a `use`: those of `a::{b, c::{d, e}}` are `a::b`, `a::c::d`, `a::c::e`.
fn paths_of(tree: &str) -> Vec<String> {
    let Some((start, rest)) = tree.split_once('{') else { return vec![tree.trim().to_owned()] };
    let (branches, _) = rest.rsplit_once('}').expect("a brace that closes");
    let mut depth = 0;
    let branches = branches.split(|byte| {
        depth += i32::from(byte == '{') - i32::from(byte == '}');
        byte == ',' && depth == 0
    });
    let branches = branches.filter(|branch| !branch.trim().is_empty());
    branches.flat_map(paths_of).map(|path| format!("{}{path}", start.trim())).collect()
}

/// Modules each of which uses the next, and the last one the first; empty if there is no circle.
fn circle(uses: &Uses) -> Vec<Module> {
    let mut left = uses.clone();
    loop {
        // A module that uses none of those which are left is in no circle.
        let is_left: Vec<Module> = left.keys().cloned().collect();
        left.values_mut().for_each(|used| used.retain(|module, _| is_left.contains(module)));
        left.retain(|_, used| !used.is_empty());
        if left.len() == is_left.len() {
            break;
        }
    }
    let Some(mut last) = left.keys().next() else { return Vec::new() };
    let mut way = Vec::new();
    loop {
        if let Some(start) = way.iter().position(|module| module == last) {
            return way.split_off(start);
        }
        way.push(last.clone());
        last = left[last].keys().next().expect("it uses one that is left");
    }
}

/// The modules of a crate, by the paths of their files.
fn modules_of(folder: &Path) -> Crate {
    let modules = code_of(folder).into_iter().map(|(path, lines)| {
        let path = path.strip_prefix(folder).expect("it is below").with_extension("");
        let names = path.iter().map(|name| name.to_str().expect("UTF-8").to_owned());
        let module = names.filter(|name| name != "lib" && name != "main").collect();
        let code = lines.into_iter().filter(|line| !line.trim_start().starts_with("//"));
        (module, code.collect::<Vec<_>>().join("\n"))
    });
    Crate::new(modules.collect())
}

#[test]
fn files_do_not_use_each_other_in_a_circle() {
    for folder in crates() {
        let name = folder.strip_prefix(ROOT).expect("it is below").to_str().expect("UTF-8");
        let uses = modules_of(&folder).uses();
        let circle = circle(&uses);
        let next = circle.iter().cycle().skip(1);
        let lines = circle.iter().zip(next).map(|(module, used)| {
            format!("\n{} uses {}: {}", module.join("::"), used.join("::"), uses[module][used])
        });
        assert!(circle.is_empty(), "a circle in {name}:{}", lines.collect::<String>());
    }
}

#[test]
fn circles_are_found_through_trees_inline_paths_and_names_that_are_handed_on() {
    let circle_of = |files: &[(&str, &str)]| -> Vec<String> {
        let module = |path: &str| path.split_terminator("::").map(str::to_owned).collect();
        let code = files.iter().map(|(path, code)| (module(path), (*code).to_owned()));
        let circle = circle(&Crate::new(code.collect()).uses());
        let mut modules: Vec<String> = circle.iter().map(|it| it.join("::")).collect();
        modules.sort();
        modules
    };
    let both = ["a".to_owned(), "b".to_owned()];
    let root = ("", "mod a;\nmod b;\nuse a::A;");
    let b = ("b", "use super::{a::{self, A}, C};");
    assert_eq!(circle_of(&[root, ("a", "use crate::b::B;"), b]), both);
    assert_eq!(circle_of(&[root, ("a", "fn f() { crate::b::g(1) }"), b]), both);
    assert!(circle_of(&[root, ("a", "use common::b::B;\nuse super::C;"), b]).is_empty());
    // A name that the root hands on is used where it is defined.
    let root = ("", "mod a;\nmod b;\npub(crate) use b::B as Renamed;");
    assert_eq!(circle_of(&[root, ("a", "use crate::Renamed;"), b]), both);
    let (a, child) = (("a", "mod child;\nuse crate::b::B;"), ("a::child", "use super::B;"));
    assert_eq!(circle_of(&[a, child, ("b", "use crate::a::child::C;")]), ["a::child", "b"]);
    // A parent and its child may use each other, but not by way of a third.
    let child = ("a::child", "use super::A;\nuse crate::c::C;");
    assert!(circle_of(&[("a", "mod child;\nuse child::Child;"), child, ("c", "")]).is_empty());
    let by_third =
        circle_of(&[("a", "mod child;\nuse child::Child;"), child, ("c", "use crate::a::A;")]);
    assert_eq!(by_third, ["a", "a::child", "c"]);
}
