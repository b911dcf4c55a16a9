//! samply's profiles of a small program: the program's file gives the names of addresses.

use std::fs;
use std::path::{Path, PathBuf};

use super::profile::Recorded;
use super::{Code, Functions, SOURCES, folder, named, pairs, parse, run};
use crate::needs::goes_without;

pub(super) const NEEDS: &[&str] = &["cc", "nm", "addr2line"];

/// The program of work.c.
pub(super) struct Work {
    pub(super) folder: PathBuf,
    pub(super) program: PathBuf,
    /// The addresses of the functions in the source.
    pub(super) code: Code,
    /// The functions that binutils finds at these addresses.
    pub(super) expected: Vec<Functions>,
}

impl Work {
    /// Builds it in a folder of this name.
    pub(super) fn new(name: &str) -> Work {
        let folder = folder(name);
        let source = format!("{SOURCES}/work.c");
        run(&folder, "cc", &["-O1", "-g", "-Wl,--build-id=sha1", "-o", "work", &source]);
        let program = folder.join("work");
        let code = Code { addresses: addresses(&folder), ..Code::of(&program) };
        let expected = by_binutils(&folder, &code.addresses);
        assert!(expected.iter().any(|functions| functions.len() == 3), "{expected:?}");
        Work { folder, program, code, expected }
    }

    pub(super) fn recorded(&self) -> Recorded<'_> {
        Recorded::new(&self.program, &self.code.build_id)
    }
}

/// The addresses of the functions of the source, by nm.
fn addresses(folder: &Path) -> Vec<u64> {
    let mut addresses = Vec::new();
    // 0000000000001129 000000000000004e T work
    for line in run(folder, "nm", &["-S", "work"]).lines() {
        let words: Vec<&str> = line.split(' ').collect();
        if let [start, size, _, "work" | "twice" | "main"] = words[..] {
            let [start, size] = [start, size].map(|it| u64::from_str_radix(it, 16).expect("nm"));
            addresses.extend(start..start + size);
        }
    }
    assert!(addresses.len() > 50, "{addresses:x?}");
    addresses
}

fn by_binutils(folder: &Path, addresses: &[u64]) -> Vec<Functions> {
    let addresses: Vec<String> = addresses.iter().map(|address| format!("{address:#x}")).collect();
    let mut arguments = vec!["-a", "-f", "-i", "-e", "work"];
    arguments.extend(addresses.iter().map(String::as_str));
    let printed = run(folder, "addr2line", &arguments);
    // 0x000000000000113e
    // square
    // /src/work.c:2
    let of_address = |part: &str| pairs(part.split_once('\n').expect("an address").1);
    printed.split("0x").skip(1).map(of_address).collect()
}

#[test]
fn addresses_are_named_by_the_file() {
    if goes_without(&[NEEDS]) {
        return;
    }
    let work = Work::new("samply-file");
    let mut parse = parse();
    parse.write_stdin(work.recorded().profile(&work.code.addresses));
    let (ours, said) = named(parse);
    work.code.assert_same(&ours, &work.expected);
    assert_eq!(said, "");
}

#[test]
fn addresses_count_from_where_a_program_is_loaded() {
    if goes_without(&[&["cc", "llvm-symbolizer"]]) {
        return;
    }
    let folder = folder("samply-fixed");
    let source = format!("{SOURCES}/work.c");
    for options in [["-pie", "-Wl,-z,separate-code"], ["-no-pie", "-Wl,-z,noseparate-code"]] {
        let always = ["-O2", "-g", "-Wl,--build-id=sha1", "-o", "work", &source];
        run(&folder, "cc", &[&always[..], &options].concat());
        let program = folder.join("work");
        let code = Code::of(&program);
        assert_eq!(code.base > 0, options[0] == "-no-pie", "{:#x}", code.base);
        let mut parse = parse();
        parse.write_stdin(Recorded::new(&program, &code.build_id).profile(&code.addresses));
        code.assert_same(&named(parse).0, &code.by_llvm(&program));
    }
}

#[test]
fn a_file_of_another_build_is_not_used() {
    if goes_without(&[NEEDS]) {
        return;
    }
    let work = Work::new("samply-other");
    let other = "0123456789abcdef0123456789abcdef01234567";
    let mut parse = parse();
    parse.write_stdin(Recorded::new(&work.program, other).profile(&work.code.addresses));
    let (ours, said) = named(parse);
    assert_eq!(ours.len(), work.expected.len());
    assert!(ours.iter().all(|functions| functions.len() == 1 && functions[0].name.is_empty()));
    let expected = format!(
        "{}: no symbols for 100.0 % of all frames: its build-id is {}, the recorded one was {other}",
        work.program.display(),
        work.code.build_id
    );
    assert!(said.contains(&expected), "{said}");
}

/// Versions before 38 have the address to which a call returns.
#[test]
fn callers_are_named_by_their_call() {
    if goes_without(&[NEEDS, &["objdump"]]) {
        return;
    }
    let work = Work::new("samply-callers");
    let printed = run(&work.folder, "objdump", &["-d", "--no-show-raw-insn", "work"]);
    //     1190:	call   1129 <work>
    //     1195:	lea    0x1(%rax,%rax,1),%rax
    let mut lines = printed.lines().skip_while(|line| !line.ends_with(" <twice>:"));
    lines.find(|line| line.ends_with("<work>")).expect("a call");
    let next = lines.next().and_then(|line| line.trim().split_once(':')).expect("another line");
    let returns_to = u64::from_str_radix(next.0, 16).expect("an address");
    let leaf = work.code.addresses[0];
    for (version, caller) in [(37, returns_to), (38, returns_to - 1), (58, returns_to - 1)] {
        let stack = vec![caller, leaf];
        let mut parse = parse();
        let profile = work.recorded().profile_of_stacks(version, &[stack, vec![returns_to]]);
        parse.write_stdin(profile);
        let (ours, _) = named(parse);
        let of = |address: u64| {
            let at = work.code.addresses.iter().position(|it| *it == address);
            work.expected[at.expect("an address of ours")].clone()
        };
        assert_eq!(ours[0], [of(leaf), of(returns_to - 1)].concat(), "version {version}");
        assert_ne!(of(returns_to), of(returns_to - 1));
        // A leaf has the address at which it ran.
        assert_eq!(ours[1], of(returns_to), "version {version}");
    }
}

#[test]
fn a_profile_of_a_program_that_is_gone_keeps_its_weight() {
    if goes_without(&[NEEDS]) {
        return;
    }
    let work = Work::new("samply-gone");
    fs::remove_file(&work.program).expect("a file");
    let mut parse = parse();
    parse.write_stdin(work.recorded().profile(&work.code.addresses));
    let (ours, said) = named(parse);
    assert_eq!(ours.len(), work.expected.len());
    let expected =
        format!("neither the file nor a copy with its build-id {} was found", work.code.build_id);
    assert!(said.contains(&expected), "{said}");
}
