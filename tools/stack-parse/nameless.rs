//! Frames without a name: which files they are in, and why these have no symbols.

use std::collections::BTreeMap;

use bstr::ByteSlice;
use symbolize::{MissingSplit, NoSymbols, ObjectId, Objects};

use crate::debuginfod;
use crate::symbolize_args::SymbolizeArgs;

/// How many files are named before they are only counted.
const NAMED: usize = 5;

/// One frame in so many is not worth a message.
const MOST_UNTOLD: u64 = 1000;

/// What is said of one file.
#[derive(Debug)]
struct Nameless<'a> {
    path: &'a [u8],
    /// The build-id that was recorded, if one was.
    build_id: Option<&'a [u8]>,
    frames: u64,
    why: NoSymbols,
}

/// Whether servers of debug information were asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Servers {
    /// There are none that could be asked, or not all of them could be.
    None,
    /// There are some; nobody said that they may be asked.
    Unasked,
    Asked,
}

/// A message for each of the objects that leave most frames without a name, and one for the
/// others; and one for each whose inlined functions are missing. `frames` are numbers of frames
/// without a name, `all` is the number of all frames of all samples.
pub(crate) fn report(
    objects: &Objects,
    frames: impl Iterator<Item = (ObjectId, u64)>,
    all: u64,
    args: &SymbolizeArgs,
) -> Vec<String> {
    let mut nameless = BTreeMap::new();
    for (object, frames) in frames {
        *nameless.entry(object).or_default() += frames;
    }
    let files = nameless.into_iter().filter_map(|(object, frames)| {
        let (why, build_id) = (objects.why_nameless(object)?, objects.build_id(object));
        Some(Nameless { path: objects.path(object), build_id, frames, why })
    });
    let troubles = args.client().map(|client| client.troubles());
    let servers = match &troubles {
        Some(troubles) if troubles.is_empty() => Servers::Asked,
        None if debuginfod::has_servers() => Servers::Unasked,
        _ => Servers::None,
    };
    let mut messages = messages(files.collect(), all, servers);
    messages.extend(objects.ids().filter_map(|object| {
        Some(without_inlined(objects.path(object), &objects.missing_split(object)?))
    }));
    messages.extend(troubles.unwrap_or_default());
    messages
}

/// That functions inlined into those of a program have no names.
fn without_inlined(path: &[u8], missing: &MissingSplit) -> String {
    let (path, first) = (path.as_bstr(), missing.first.as_bstr());
    let what = if missing.differs {
        format!("{first} is of another build")
    } else {
        format!("{first} was not found, nor {path}.dwp")
    };
    let others = match missing.files {
        0 | 1 => String::new(),
        files => format!(" (the first of {files} .dwo files)"),
    };
    format!(
        "{path}: inlined functions are missing: {what}{others}: \
         copy it beside the program, or name its folder with --debug-dir"
    )
}

/// The messages for these files.
///
/// Of a few frames nobody wants to know, but files that are not the recorded ones are
/// reported.
fn messages(mut files: Vec<Nameless<'_>>, all: u64, servers: Servers) -> Vec<String> {
    let matters = |frames: u64| frames.saturating_mul(MOST_UNTOLD) > all;
    let is_other = |file: &Nameless<'_>| matches!(file.why, NoSymbols::OtherBuildId(_));
    files.retain(|file| file.frames > 0);
    // A file may be several objects: the kernel's own code and what it loaded.
    files.sort_by_key(|file| file.path);
    files.dedup_by(|again, file| {
        let is_same = again.path == file.path && again.why == file.why;
        if is_same {
            file.frames += again.frames;
        }
        is_same
    });
    files.sort_by(|a, b| b.frames.cmp(&a.frames).then_with(|| a.path.cmp(b.path)));
    let is_named = |file: &Nameless<'_>| matters(file.frames) || is_other(file);
    let (mut named, mut rest): (Vec<_>, Vec<_>) = files.into_iter().partition(is_named);
    rest.extend(named.drain(named.len().min(NAMED)..));
    let mut messages: Vec<String> = named
        .iter()
        .map(|file| {
            let (path, share) = (file.path.as_bstr(), share(file.frames, all));
            format!("{path}: no symbols for {share} of all frames: {}", reason(file, servers))
        })
        .collect();
    let frames = rest.iter().map(|file| file.frames).sum();
    let differ = rest.iter().filter(|file| is_other(file)).count();
    if matters(frames) || differ > 0 {
        let files = if rest.len() == 1 { "file" } else { "files" };
        let but = match differ {
            0 => String::new(),
            differ => format!(": the build-id of {differ} differs from the recorded one"),
        };
        let (share, rest) = (share(frames, all), rest.len());
        messages.push(format!("{rest} more {files}: no symbols for {share} of all frames{but}"));
    }
    messages
}

/// Why there are no symbols: what was looked for, and what would help.
fn reason(file: &Nameless<'_>, servers: Servers) -> String {
    let recorded = file.build_id;
    match &file.why {
        NoSymbols::OtherKernel => "another kernel runs now: expected --kallsyms".to_owned(),
        NoSymbols::NotFound if file.path.starts_with(b"[kernel.") => {
            "a copy of its /proc/kallsyms was not found: expected --kallsyms".to_owned()
        }
        NoSymbols::NotFound if file.path.starts_with(b"[vdso") => {
            "a copy of it was not found: expected --vdso".to_owned()
        }
        NoSymbols::NotFound if file.path.starts_with(b"/") => {
            let id = recorded.map_or(String::new(), |id| format!(", nor its build-id {}", hex(id)));
            let servers = or_servers(recorded, servers);
            format!("not found{id}: lay it out below a folder for --symfs{servers}")
        }
        NoSymbols::OtherBuildId(found) if file.path.starts_with(b"/") => {
            let found = found.as_deref().map_or("missing".to_owned(), hex);
            let servers = or_servers(recorded, servers);
            let recorded = recorded.map_or(String::new(), hex);
            format!(
                "its build-id is {found}, the recorded one was {recorded}: \
                 lay the recorded version out below a folder for --symfs{servers}"
            )
        }
        NoSymbols::Stripped(id) => {
            let id = id.as_deref();
            let of = id.map_or(String::new(), |id| format!(" with build-id {}", hex(id)));
            let servers = or_servers(id, servers);
            format!(
                "it is stripped, and no debug file{of} was found: \
                 install that, or name its folder with --debug-dir{servers}"
            )
        }
        NoSymbols::Deleted => {
            "it was deleted, and no build-id says what it was: record with --buildid-mmap"
                .to_owned()
        }
        why => why.to_string(),
    }
}

/// What servers have to do with a file of this build-id.
fn or_servers(build_id: Option<&[u8]>, servers: Servers) -> &'static str {
    match (build_id, servers) {
        (Some(_), Servers::Unasked) => ", or download it with --debuginfod",
        (Some(_), Servers::Asked) => " (no server has it)",
        _ => "",
    }
}

/// `8a2b…`
fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// `12.3 %`
fn share(part: u64, all: u64) -> String {
    format!("{:.1} %", 100.0 * part as f64 / all.max(1) as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(path: &'static str, frames: u64, why: NoSymbols) -> Nameless<'static> {
        Nameless { path: path.as_bytes(), build_id: None, frames, why }
    }

    fn other() -> NoSymbols {
        NoSymbols::OtherBuildId(Some([0xab, 0xcd].into()))
    }

    #[test]
    fn the_worst_files_are_named() {
        let recorded = |file: Nameless<'static>| Nameless { build_id: Some(&[0x12]), ..file };
        let files = vec![
            file("/f", 1, NoSymbols::NotFound),
            recorded(file("/a", 50, NoSymbols::NotFound)),
            recorded(file("/e", 2, NoSymbols::OtherBuildId(None))),
            recorded(file("/b", 20, other())),
            recorded(file("/b", 10, other())),
            file("/c", 7, NoSymbols::Stripped(None)),
            file("/d", 7, NoSymbols::OtherKernel),
            file("/none", 0, NoSymbols::NotFound),
            file("/g", 1, other()),
        ];
        let expected = [
            "/a: no symbols for 25.0 % of all frames: not found, nor its build-id 12: \
             lay it out below a folder for --symfs",
            "/b: no symbols for 15.0 % of all frames: its build-id is abcd, the recorded one was \
             12: lay the recorded version out below a folder for --symfs",
            "/c: no symbols for 3.5 % of all frames: it is stripped, and no debug file was found: \
             install that, or name its folder with --debug-dir",
            "/d: no symbols for 3.5 % of all frames: another kernel runs now: expected --kallsyms",
            "/e: no symbols for 1.0 % of all frames: its build-id is missing, the recorded one \
             was 12: lay the recorded version out below a folder for --symfs",
            "2 more files: no symbols for 1.0 % of all frames: the build-id of 1 differs from the recorded one",
        ];
        assert_eq!(messages(files, 200, Servers::None), expected);
        assert!(messages(Vec::new(), 200, Servers::None).is_empty());
    }

    #[test]
    fn servers_are_named_where_they_could_help() {
        let said = |why: NoSymbols, build_id, servers| {
            reason(&Nameless { build_id, ..file("/a", 1, why) }, servers)
        };
        let id = Some(&[0x12][..]);
        let stripped = |id: Option<&[u8]>| NoSymbols::Stripped(id.map(Box::from));
        for (servers, expected) in [
            (Servers::None, ""),
            (Servers::Unasked, ", or download it with --debuginfod"),
            (Servers::Asked, " (no server has it)"),
        ] {
            for why in [NoSymbols::NotFound, other(), stripped(id)] {
                let said = said(why.clone(), id, servers);
                let end =
                    said.rsplit("--symfs").next().and_then(|it| it.rsplit("--debug-dir").next());
                assert_eq!(end, Some(expected), "{why}: {said}");
            }
        }
        // Servers know files by their build-ids.
        assert!(!said(stripped(None), None, Servers::Unasked).contains("--debuginfod"));
        assert!(!said(NoSymbols::NotFound, None, Servers::Asked).contains("server"));
    }

    #[test]
    fn missing_dwo_files_are_named() {
        let mut missing =
            MissingSplit { first: b"/build/a.dwo".to_vec(), files: 1, differs: false };
        assert_eq!(
            without_inlined(b"/opt/app", &missing),
            "/opt/app: inlined functions are missing: /build/a.dwo was not found, nor \
             /opt/app.dwp: copy it beside the program, or name its folder with --debug-dir"
        );
        (missing.files, missing.differs) = (3, true);
        assert_eq!(
            without_inlined(b"/opt/app", &missing),
            "/opt/app: inlined functions are missing: /build/a.dwo is of another build (the \
             first of 3 .dwo files): copy it beside the program, or name its folder with --debug-dir"
        );
    }

    #[test]
    fn a_few_frames_are_worth_a_message_only_where_the_file_is_another() {
        let files = || vec![file("/a", 1, NoSymbols::NotFound), file("/b", 1, other())];
        let messages = |files, all| messages(files, all, Servers::None);
        let [said] = &messages(files(), 1000)[..] else { panic!("expected one message") };
        assert!(said.starts_with("/b: no symbols for 0.1 % of all frames: its build-id"), "{said}");
        // Together they may be worth one.
        let expected = ["2 more files: no symbols for 0.2 % of all frames"];
        let many = vec![file("/a", 1, NoSymbols::NotFound), file("/c", 1, NoSymbols::Deleted)];
        assert_eq!(messages(many, 1000), expected);
    }
}
