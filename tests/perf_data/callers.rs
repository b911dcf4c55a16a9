//! The callers in call chains of frame pointers, according to addr2line of binutils for the address
//! of each call. perf's text cannot be used here: it gives the function, the inlined functions and
//! the line of the return address itself.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use object::read::elf::{ElfFile64, ProgramHeader};
use object::{LittleEndian, elf};

use super::perf_text::{self, Frame, Key, Sample};
use super::recordings::row;
use crate::needs::{goes_without, skip};
use crate::programs::RECORD;
use crate::util::{command, filter};

const SOURCES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/callers");

const C: &[&str] = &["cc", "-O2", "-g", "-fno-omit-frame-pointer", "-mno-omit-leaf-frame-pointer"];

const RUST: &[&str] = &["rustc", "-O", "-g", "-Cforce-frame-pointers=yes"];

#[test]
fn a_call_is_on_its_own_line() {
    let Some(recorded) = Recorded::new("lines.c", C) else { return };
    recorded.assert_callers();
    // A function inlined just after the call is not a caller.
    for stack in recorded.ours.values() {
        assert!(!stack[1..].iter().any(|frame| frame.starts_with("tick")), "{stack:?}");
    }
}

#[test]
fn a_call_that_never_returns_is_not_of_the_next_function() {
    let Some(recorded) = Recorded::new("noreturn.c", C) else { return };
    recorded.assert_callers();
    let named = |frame: &String| frame.split(" (").next().expect("a name").to_owned();
    let whole = ["burn", "fatal", "caller", "main"];
    let is_whole = |stack: &&Vec<String>| stack.iter().map(named).take(4).eq(whole);
    assert!(recorded.ours.values().filter(is_whole).count() > 20, "{:?}", recorded.ours);
}

#[test]
fn callbacks_and_what_a_signal_interrupts_have_their_callers() {
    let Some(recorded) = Recorded::new("callbacks.c", C) else { return };
    recorded.assert_callers();
    // A signal handler, then `__restore_rt` of libc, which has no caller, then main.
    let with_libraries = recorded.stacks(&[]);
    let mut signals = 0;
    for sample in &recorded.perf {
        let [leaf, returns, main, ..] = &sample.frames[..] else { continue };
        if leaf.symbol == "spin" && main.symbol == "main" && !recorded.has(returns) {
            let name = &with_libraries[&sample.key][1];
            let nameless = format!("[libc.so.6+0x{}]", returns.address);
            assert!(*name == nameless || name.starts_with("__restore_rt"), "{name}: {sample:?}");
            signals += 1;
        }
    }
    assert!(signals > 0, "no signal was handled");
}

#[test]
fn iterators_of_rust_have_their_callers() {
    let Some(recorded) = Recorded::new("iterators.rs", RUST) else { return };
    recorded.assert_callers();
}

#[test]
fn files_of_one_name_in_two_folders_are_two() {
    // For DWARF 5, addr2line of binutils 2.40 confuses included files with those that include them.
    let compiler = [C, &["-gdwarf-4"]].concat();
    let Some(recorded) = Recorded::new("folders.c", &compiler) else { return };
    recorded.assert_callers();
    let lines = |how: &str| {
        let parsed = recorded.parsed(&["--root", "none", how]);
        let rows = filter("stack-top", &["--by", "line", "--tsv"], parsed);
        let hot = |row: &&str| row.contains("util.c:5\t");
        let line_and_functions = |row: &str| {
            let cells: Vec<&str> = row.split('\t').collect();
            format!("{} {}", cells[0], cells[3])
        };
        let mut lines: Vec<String> = rows.lines().filter(hot).map(line_and_functions).collect();
        lines.sort();
        lines
    };
    let whole = |name: &str| format!("{SOURCES}/folders/{name}");
    assert_eq!(lines("--srcline"), [whole("a/util.c:5 first"), whole("b/util.c:5 second")]);
    let base = lines("--srcline=base");
    assert!(base == ["util.c:5 first;second"] || base == ["util.c:5 second;first"], "{base:?}");
}

/// A program that was recorded, and our stacks of the recording.
struct Recorded {
    /// Where the program and the recording are.
    folder: PathBuf,
    perf: Vec<Sample>,
    /// Our stacks, without the functions of libraries.
    ours: Stacks,
}

/// The stacks of samples, leaf first.
type Stacks = BTreeMap<Key, Vec<String>>;

impl Recorded {
    /// Builds a program and records it. `None` where that is not possible.
    fn new(source: &str, compiler: &[&str]) -> Option<Recorded> {
        if goes_without(&[&["perf", "addr2line"], &compiler[..1]]) {
            return None;
        }
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("callers").join(source);
        fs::create_dir_all(&folder).expect("a writable target directory");
        let (program, data) = (folder.join("program"), folder.join("perf.data"));
        let source = Path::new(SOURCES).join(source);
        run(Command::new(compiler[0]).args(&compiler[1..]).arg(source).arg("-o").arg(&program));
        let mut record = Command::new("perf");
        record.args(RECORD).args(["-e", "cpu-clock:u", "-F", "499", "-g", "-o"]);
        let recorded = record.arg(&data).arg("--").arg(&program).output().expect("perf");
        if !recorded.status.success() {
            skip("perf does not record here");
            return None;
        }
        let fields = "comm,pid,tid,time,event,period,ip,sym,dso";
        let mut script = Command::new("perf");
        script.args(["script", "--no-inline", "--no-demangle", "--ns", "-F", fields, "-i"]);
        let perf = perf_text::samples(&run(script.arg(&data)));
        let mut recorded = Recorded { folder, perf, ours: Stacks::new() };
        // Only the program is found there, so functions of libraries have no names.
        let symfs = recorded.folder.join("symfs");
        let copy = symfs.join(program.strip_prefix("/").expect("a path from the root"));
        fs::create_dir_all(copy.parent().expect("a folder")).expect("a writable folder");
        fs::copy(&program, copy).expect("a new file");
        recorded.ours = recorded.stacks(&["--symfs", symfs.to_str().expect("UTF-8")]);
        for stack in recorded.ours.values_mut() {
            stack.retain(|frame| !frame.starts_with('['));
        }
        Some(recorded)
    }

    fn program(&self) -> PathBuf {
        self.folder.join("program")
    }

    /// Whether a frame is of the program itself.
    fn has(&self, frame: &Frame) -> bool {
        Path::new(&frame.object) == self.program()
    }

    fn stacks(&self, args: &[&str]) -> Stacks {
        let table = ["--table", "--srcline", "--root", "none", "--weight", "period"];
        self.parsed(&[&table[..], args].concat()).lines().skip(1).map(row).collect()
    }

    fn parsed(&self, args: &[&str]) -> String {
        let mut parse = command("stack-parse");
        run(parse.args(args).arg(self.folder.join("perf.data")))
    }

    /// Asserts that the program's functions on all stacks are those of addr2line.
    fn assert_callers(&self) {
        let addresses: Vec<Vec<Address>> =
            self.perf.iter().map(|sample| self.addresses(sample)).collect();
        let all = addresses.iter().flatten().flat_map(|it| [it.printed, it.counts]);
        let known = self.addr2line(all.collect());
        let (mut frames, mut misleading) = (0, 0);
        for (sample, addresses) in self.perf.iter().zip(&addresses) {
            let expected = addresses.iter().flat_map(|address| &known[&address.counts]);
            let expected: Vec<&String> = expected.collect();
            let ours: Vec<&String> = self.ours[&sample.key].iter().collect();
            assert_eq!(ours, expected, "{sample:?}");
            frames += addresses.len();
            let misleads = |it: &&Address| known[&it.printed] != known[&it.counts];
            misleading += addresses.iter().filter(misleads).count();
        }
        let samples = self.perf.len();
        println!("{samples} samples, {frames} frames, {misleading} misleading return addresses");
        assert!(samples > 20, "{samples} samples");
        assert!(misleading > 0, "the return addresses say the same");
    }

    /// The addresses of the program's frames, leaf first.
    fn addresses(&self, sample: &Sample) -> Vec<Address> {
        let file = fs::read(self.program()).expect("our program");
        let file = ElfFile64::<LittleEndian>::parse(&file[..]).expect("an ELF file");
        let is_code = |header: &&elf::ProgramHeader64<LittleEndian>| {
            header.p_type(LittleEndian) == elf::PT_LOAD
                && header.p_flags(LittleEndian).0 & elf::PF_X.0 != 0
        };
        let code = file.elf_program_headers().iter().find(is_code).expect("code");
        let frames = sample.frames.iter().enumerate().filter(|(_, frame)| self.has(frame));
        frames
            .map(|(index, frame)| {
                let offset = u64::from_str_radix(&frame.address, 16).expect("a number");
                let printed = offset - code.p_offset(LittleEndian) + code.p_vaddr(LittleEndian);
                // The leaf's address is where the processor was; a caller's is the return address.
                Address { printed, counts: printed - u64::from(index > 0) }
            })
            .collect()
    }

    /// The functions at each address, the innermost first, as stack-parse writes them.
    fn addr2line(&self, addresses: BTreeSet<u64>) -> BTreeMap<u64, Vec<String>> {
        let mut child = Command::new("addr2line")
            .args(["-a", "-i", "-f", "-e"])
            .arg(self.program())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("addr2line");
        let asked: String = addresses.iter().map(|address| format!("{address:#x}\n")).collect();
        let mut stdin = child.stdin.take().expect("a pipe");
        let writer = std::thread::spawn(move || stdin.write_all(asked.as_bytes()));
        let output = child.wait_with_output().expect("it ends");
        writer.join().expect("no panic").expect("it reads");
        let text = String::from_utf8(output.stdout).expect("UTF-8");
        let mut known: BTreeMap<u64, Vec<String>> = BTreeMap::new();
        let mut lines = text.lines();
        let mut address = 0;
        while let Some(line) = lines.next() {
            if let Some(digits) = line.strip_prefix("0x") {
                address = u64::from_str_radix(digits, 16).expect("an address");
                continue;
            }
            let place = lines.next().expect("a line after a function");
            known.entry(address).or_default().push(frame(line, place));
        }
        known
    }
}

/// The address of a frame, in the addresses of the program's symbols.
struct Address {
    /// The address that perf recorded; it prints it as an offset in the file.
    printed: u64,
    /// An address inside the instruction that counts.
    counts: u64,
}

/// `work`, `/home/someone/lines.c:12 (discriminator 3)`: `work (/home/someone/lines.c:12)`
fn frame(function: &str, place: &str) -> String {
    let place = place.split(" (discriminator").next().expect("a part");
    match place.starts_with('?') || place.ends_with(":0") || place.ends_with('?') {
        true => function.to_owned(),
        false => format!("{function} ({place})"),
    }
}

fn run(command: &mut Command) -> String {
    let output = command.output().expect("it starts");
    assert!(output.status.success(), "{command:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8_lossy(&output.stdout).into_owned()
}
