//! Frames without a name: which files they are in, and why these files have no symbols.

pub(crate) mod hints;

use std::cmp::Reverse;
use std::collections::BTreeMap;

use bstr::ByteSlice;
use symbolize::{CodeOrigin, MissingSplit, NoSymbols, ObjectId, Objects};

use crate::debuginfod;
use crate::read::numbers::hex;
use crate::read::paths::file_name;
use crate::read::runtimes::Runtime;
use crate::symbolize_args::SymbolizeArgs;

/// How many files get a message each; the rest are only counted.
const NAMED: usize = 5;

/// A file with fewer nameless frames than one in this many of all frames gets no message of its
/// own: it is among the rest.
const MOST_AMONG_THE_REST: u64 = 100;

/// If the rest has fewer nameless frames than one in this many, it gets no message either.
const MOST_UNTOLD: u64 = 1000;

/// The facts about one file.
#[derive(Debug)]
struct Nameless<'a> {
    path: &'a [u8],
    /// The build-id that was recorded, if one was.
    build_id: Option<&'a [u8]>,
    origin: CodeOrigin,
    frames: u64,
    why: NoSymbols,
    /// The runtime of its process, if that is known.
    runtime: Option<&'static Runtime>,
    /// How many other files lack their symbols for the same reason.
    alike: usize,
}

/// What the user has already done to find names.
#[derive(Clone, Copy, Debug)]
struct Efforts<'a> {
    servers: Servers,
    args: &'a SymbolizeArgs,
}

/// Whether servers of debug information were asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Servers {
    /// No server is configured, or a download failed.
    None,
    /// Servers are configured, but the user did not allow asking them.
    Unasked,
    Asked,
}

/// Returns a message for each of the files with the most nameless frames, one message for all the
/// other files, and one for each file whose inlined functions are missing. `frames` holds the
/// number of nameless frames of each object, `all` is the number of all frames of all samples.
/// `runtime` is asked for the runtime of an object's process.
pub(crate) fn report(
    objects: &Objects,
    frames: impl Iterator<Item = (ObjectId, u64)>,
    all: u64,
    args: &SymbolizeArgs,
    runtime: impl Fn(ObjectId) -> Option<&'static Runtime>,
) -> Vec<String> {
    let mut nameless = BTreeMap::new();
    for (object, frames) in frames {
        *nameless.entry(objects.namer_of(object)).or_default() += frames;
    }
    let files = nameless.into_iter().filter_map(|(object, frames)| {
        let (why, build_id) = (objects.why_nameless(object)?, objects.build_id(object));
        let (path, origin) = (objects.path(object), objects.origin(object));
        let runtime = runtime(object);
        Some(Nameless { path, build_id, origin, frames, why, runtime, alike: 0 })
    });
    let client = args.client();
    let servers = match client {
        Some(client) if client.is_fine() => Servers::Asked,
        None if debuginfod::has_servers() => Servers::Unasked,
        _ => Servers::None,
    };
    let mut messages = messages(files.collect(), all, Efforts { servers, args });
    messages.extend(objects.ids().filter_map(|object| {
        Some(without_inlined(objects.path(object), &objects.missing_split(object)?))
    }));
    messages.extend(client.map(|client| client.new_troubles()).unwrap_or_default());
    messages
}

/// The message that functions inlined into those of a program have no names.
fn without_inlined(path: &[u8], missing: &MissingSplit) -> String {
    let others = match missing.files {
        0 | 1 => String::new(),
        files => format!(" (the first of {files} .dwo files)"),
    };
    let file = format!("{}{others}", missing.first.as_bstr());
    let program = path.as_bstr().to_string();
    let hint = if missing.differs { hints::OTHER_DWO } else { hints::NO_DWO };
    format!("{program}: {}", hint.with(&[("FILE", &file), ("PROGRAM", &program)]))
}

/// The messages for these files.
///
/// Files with few nameless frames share the last message, except those that differ from the
/// recorded file, since they may have had wrong names.
fn messages(files: Vec<Nameless<'_>>, all: u64, efforts: Efforts<'_>) -> Vec<String> {
    let is_more = |frames: u64, part: u64| frames.saturating_mul(part) > all;
    let is_other = |file: &Nameless<'_>| matches!(file.why, NoSymbols::OtherBuildId(_));
    let is_named =
        |file: &Nameless<'_>| is_more(file.frames, MOST_AMONG_THE_REST) || is_other(file);
    let (mut named, mut rest): (Vec<_>, Vec<_>) =
        put_together(files).into_iter().partition(is_named);
    rest.extend(named.drain(named.len().min(NAMED)..));
    let frames = rest.iter().map(|file| file.frames).sum();
    let differ = rest.iter().filter(|file| is_other(file)).count();
    let is_told = is_more(frames, MOST_UNTOLD) || differ > 0;
    // One file can have a message of its own in the same line.
    if let ([_], true) = (&rest[..], is_told) {
        named.append(&mut rest);
    }
    let mut messages: Vec<String> = named
        .iter()
        .map(|file| {
            let (path, share) = (file.path.as_bstr(), share(file.frames, all));
            let others = match file.alike {
                0 => String::new(),
                alike => format!(" and {alike} more"),
            };
            let reason = reason(file, efforts);
            format!("{path}{others}: no symbols for {share} of all frames: {reason}")
        })
        .collect();
    if let ([first, ..], true) = (&rest[..], is_told) {
        let but = match differ {
            0 => String::new(),
            differ => format!(": the build-id of {differ} differs from the recorded one"),
        };
        let (share, first, files) = (share(frames, all), first.path.as_bstr(), rest.len());
        messages.push(format!(
            "{files} more files, {first} first: no symbols for {share} of all frames{but}"
        ));
    }
    messages
}

/// The files that have nameless frames, with the most frames first. Those of which the same is to
/// be said are one.
fn put_together(mut files: Vec<Nameless<'_>>) -> Vec<Nameless<'_>> {
    files.retain(|file| file.frames > 0);
    // The kernel's own code and its modules are several objects with one file.
    files.sort_by_key(|file| file.path);
    files.dedup_by(|again, file| {
        let is_same = again.path == file.path && again.why == file.why;
        if is_same {
            file.frames += again.frames;
        }
        is_same
    });
    files.sort_by(|a, b| b.frames.cmp(&a.frames).then_with(|| a.path.cmp(b.path)));
    // Each worker of a server has a map of its own: /tmp/perf-7.map, /tmp/perf-8.map.
    let is_map = |file: &Nameless<'_>| file.origin == CodeOrigin::Memory;
    let mut together: Vec<Nameless<'_>> = Vec::with_capacity(files.len());
    for file in files {
        let same = together.iter_mut().filter(|it| is_map(it) && is_map(&file)).find(|it| {
            let remedies = [it.runtime, file.runtime].map(|it| it.map(|it| it.remedy));
            it.why == file.why && remedies[0] == remedies[1]
        });
        match same {
            Some(same) => {
                same.frames += file.frames;
                same.alike += 1;
            }
            None => together.push(file),
        }
    }
    together.sort_by_key(|file| Reverse(file.frames));
    together
}

/// Why there are no symbols: what was looked for, and what the user can do.
fn reason(file: &Nameless<'_>, efforts: Efforts<'_>) -> String {
    match file.origin {
        CodeOrigin::Kernel => of_kernel(&file.why, efforts.args),
        CodeOrigin::Memory => of_memory(file),
        CodeOrigin::File if file.path.starts_with(b"[vdso") => of_vdso(&file.why, efforts.args),
        CodeOrigin::File => of_file(file, efforts.servers),
    }
}

fn of_file(file: &Nameless<'_>, servers: Servers) -> String {
    let recorded = file.build_id;
    let id = recorded.map_or(String::new(), hex);
    let with_id = [("BUILDID", &id[..])];
    let said = match &file.why {
        NoSymbols::NotFound if recorded.is_none() => hints::NO_FILE.text(),
        NoSymbols::NotFound => hints::NO_FILE_OF_BUILD.with(&with_id),
        NoSymbols::OtherBuildId(None) => hints::NO_BUILD_ID.with(&with_id),
        NoSymbols::OtherBuildId(Some(other)) => {
            hints::OTHER_BUILD.with(&[("OTHER", &hex(other)), ("BUILDID", &id)])
        }
        NoSymbols::Deleted => hints::DELETED.text(),
        NoSymbols::System(error) => hints::UNREADABLE.with(&[("ERROR", error)]),
        NoSymbols::NoExecutable => hints::NO_EXECUTABLE.text(),
        NoSymbols::Stripped(id) => return of_stripped(id.as_deref(), servers),
        NoSymbols::OtherDebugFile { build_id, file } => {
            let hint = hints::OTHER_DEBUG_FILE.with(&[("FILE", &file.to_string_lossy())]);
            return hint + or_servers(build_id.as_deref(), servers);
        }
        NoSymbols::NoDsym(_) => {
            let name = file_name(file.path).as_bstr().to_string();
            return hints::NO_DSYM.with(&[("NAME", &name)]);
        }
        // Only code of the origins above has these reasons.
        why @ (NoSymbols::NoJitDump
        | NoSymbols::OtherOwner
        | NoSymbols::Restricted
        | NoSymbols::OtherKernel) => why.to_string(),
    };
    said + or_servers(recorded, servers)
}

fn of_stripped(build_id: Option<&[u8]>, servers: Servers) -> String {
    let Some(id) = build_id else { return hints::STRIPPED.text() };
    hints::STRIPPED_WITH_ID.with(&[("BUILDID", &hex(id))]) + or_servers(build_id, servers)
}

/// Why there are no names for the kernel, a module, or BPF code.
fn of_kernel(why: &NoSymbols, args: &SymbolizeArgs) -> String {
    if let Some(file) = &args.kallsyms {
        let file = file.to_string_lossy();
        return hints::USELESS_KALLSYMS.with(&[("FILE", &file), ("WHY", &why.to_string())]);
    }
    match why {
        NoSymbols::OtherKernel => hints::OTHER_KERNEL.text(),
        NoSymbols::Restricted => hints::HIDDEN_KALLSYMS.text(),
        NoSymbols::System(error) => hints::UNREADABLE_KALLSYMS.with(&[("ERROR", error)]),
        _ => hints::NO_KALLSYMS.text(),
    }
}

fn of_vdso(why: &NoSymbols, args: &SymbolizeArgs) -> String {
    match &args.vdso {
        Some(file) => {
            let file = file.to_string_lossy();
            hints::USELESS_VDSO.with(&[("FILE", &file), ("WHY", &why.to_string())])
        }
        None => hints::NO_VDSO.text(),
    }
}

/// Why there are no names for code that a process compiled at run time.
fn of_memory(file: &Nameless<'_>) -> String {
    let is_dump = file.path.ends_with(b".dump");
    match &file.why {
        NoSymbols::NotFound if is_dump => hints::NO_JITDUMP.text(),
        NoSymbols::NoJitDump => hints::OTHER_JITDUMP.text(),
        NoSymbols::OtherOwner => hints::OTHER_OWNER.text(),
        NoSymbols::System(error) => hints::UNREADABLE.with(&[("ERROR", error)]),
        _ => match file.runtime {
            Some(runtime) => format!("{}: '{}'", hints::NO_MAP.text(), runtime.remedy),
            None => hints::NO_MAP.text() + ": stack-tools(7) says how",
        },
    }
}

/// The help that servers could give for a file with this build-id.
fn or_servers(build_id: Option<&[u8]>, servers: Servers) -> &'static str {
    match (build_id, servers) {
        (Some(_), Servers::Unasked) => ", or download it with --debuginfod",
        (Some(_), Servers::Asked) => " (no server has it)",
        _ => "",
    }
}

/// `12.3 %`
fn share(part: u64, all: u64) -> String {
    format!("{:.1} %", 100.0 * part as f64 / all.max(1) as f64)
}

#[cfg(test)]
mod tests;
