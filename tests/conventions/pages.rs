//! The man pages must describe what the tools do.

use std::collections::BTreeSet;
use std::fs;

use super::names_in;
use crate::util::{TOOLS, filter};

/// The pages that do not belong to a tool.
const COMMON_PAGES: [&str; 3] = ["folded-stack.5", "stack-ocaml.7", "stack-tools.7"];

/// The sections that every tool's page has, in the order of mdoc(7).
const SECTIONS: [&str; 7] =
    ["NAME", "SYNOPSIS", "DESCRIPTION", "OPTIONS", "EXIT STATUS", "EXAMPLES", "SEE ALSO"];

#[test]
fn every_tool_has_a_page_and_every_page_a_tool() {
    let pages = names_in("man").into_iter().filter(|name| is_page(name));
    let expected = TOOLS.iter().map(|(name, _)| format!("{name}.1"));
    let expected = expected.chain(COMMON_PAGES.map(str::to_owned));
    assert_eq!(pages.collect::<BTreeSet<_>>(), expected.collect());
}

#[test]
fn help_and_page_name_the_same_options() {
    for (name, _) in TOOLS {
        let page = page(&format!("{name}.1"));
        let in_help = options_in_help(&filter(name, &["--help"], ""));
        let explained = flags(page.lines().filter(|line| line.starts_with(".It Fl")));
        assert_eq!(explained, in_help, "{name}: the list of options (left) and --help (right)");
        let mentioned = flags(page.lines());
        assert!(mentioned.is_subset(&in_help), "{name}: {:?}", &mentioned - &in_help);
    }
}

#[test]
fn pages_have_the_usual_sections_in_the_usual_order() {
    for (name, _) in TOOLS {
        let page = page(&format!("{name}.1"));
        let sections = page.lines().filter_map(|line| line.strip_prefix(".Sh "));
        let usual: Vec<_> = sections.filter(|section| SECTIONS.contains(section)).collect();
        assert_eq!(usual, SECTIONS, "{name}");
        assert!(page.contains(&format!(".Sh NAME\n.Nm {name}\n.Nd ")), "{name}: its NAME");
    }
}

#[test]
fn pages_refer_to_pages_that_exist() {
    let pages = names_in("man");
    for name in pages.iter().filter(|name| is_page(name)) {
        for line in page(name).lines() {
            let Some(reference) = line.strip_prefix(".Xr ") else { continue };
            let mut words = reference.split(' ');
            let (title, section) = (words.next().unwrap_or(""), words.next().unwrap_or(""));
            let ours = title.starts_with("stack-") || title == "folded-stack";
            let file = format!("{title}.{section}");
            assert!(!ours || pages.contains(&file), "{name}: there is no {file}");
        }
    }
}

/// The README's pictures are in the same folder.
fn is_page(name: &str) -> bool {
    ![".svg", ".png"].iter().any(|end| name.ends_with(end))
}

fn page(name: &str) -> String {
    let path = [env!("CARGO_MANIFEST_DIR"), "/man/", name].concat();
    fs::read_to_string(&path).unwrap_or_else(|error| panic!("man/{name}: {error}"))
}

/// The options of lines such as `  -e, --regexp <PATTERN>  Keep what matches`,
/// and of aliases such as `[alias: --pattern]`.
fn options_in_help(help: &str) -> BTreeSet<String> {
    let definitions = help.lines().map(str::trim_start).filter(|line| line.starts_with('-'));
    let aliases = help.split("[alias").skip(1).filter_map(|text| text.split(']').next());
    definitions
        .map(|line| line.split("  ").next().unwrap_or(line))
        .chain(aliases)
        .flat_map(|options| options.split([' ', ',', '=', '[']))
        .filter(|word| word.len() > 1 && word.starts_with('-'))
        .map(|word| word.trim_end_matches("...").to_owned())
        .collect()
}

/// The options in lines of mdoc such as `.It Fl e , Fl -regexp Ar pattern`.
fn flags<'a>(lines: impl Iterator<Item = &'a str>) -> BTreeSet<String> {
    let mut flags = BTreeSet::new();
    for line in lines.filter(|line| line.starts_with('.')) {
        let mut words = line[1..].split(' ').peekable();
        while let Some(word) = words.next() {
            if word == "Fl" {
                flags.extend(words.next_if(|next| *next != "Fl").into_iter().flat_map(spelled));
            }
        }
    }
    flags
}

/// The options in the words after `Fl`, to which mdoc adds a `-`: `-regexp`, `e`, or several short
/// options in one word, `ivw`. A `-` within a word may be escaped.
fn spelled(word: &str) -> Vec<String> {
    let word = word.replace("\\-", "-");
    if word.starts_with('-') {
        return vec![format!("-{word}")];
    }
    word.chars().map(|short| format!("-{short}")).collect()
}
