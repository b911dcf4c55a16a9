//! What a program of testdata/unwind printed about itself.

use std::fmt;

use super::program::Program;
use crate::processes::maps::{Map, Maps};
use crate::unwind::callers::DumpUnwinder;
use crate::unwind::dump::End;
use crate::unwind::machine::{Machine, Registers};
use crate::unwind::sections::{UnwindFiles, UnwindFunction, UnwindSections};

/// The registers, the stack and what was mapped.
#[derive(Clone)]
pub(super) struct Snapshot {
    pub(super) machine: Machine,
    pub(super) registers: Registers,
    pub(super) dump: Vec<u8>,
    /// Executable memory, by the indices in `paths`.
    pub(super) maps: Maps<usize>,
    paths: Vec<String>,
}

/// The functions on the stack, from the leaf to the root.
pub(super) struct UnwoundNames {
    pub(super) addresses: Vec<u64>,
    pub(super) names: Vec<String>,
    pub(super) end: End,
}

/// The files that are mapped, by the indices of their paths.
struct MappedFiles<'f>(Vec<Option<&'f Program>>);

impl<'f> UnwindFiles<'f, usize> for MappedFiles<'f> {
    fn sections(&mut self, object: usize) -> Option<UnwindSections<'f>> {
        self.0[object].and_then(Program::sections)
    }

    fn function(&mut self, object: usize, address: u64) -> Option<UnwindFunction<'f>> {
        self.0[object]?.function(address)
    }
}

fn number(digits: &str) -> u64 {
    u64::from_str_radix(digits, 16).expect("a hexadecimal number")
}

impl Snapshot {
    pub(super) fn parse(machine: Machine, text: &str) -> Snapshot {
        let (mut registers, mut dump) = (None, Vec::new());
        let (mut maps, mut paths) = (Maps::default(), Vec::new());
        for line in text.lines() {
            let (kind, rest) = line.split_once(' ').expect("a word and more");
            match kind {
                "registers" => {
                    let mut all = Registers::none();
                    rest.split(' ').zip(0..).for_each(|(value, it)| all.set(it, number(value)));
                    registers = Some(all);
                }
                "map" => {
                    if let Some((start, end, offset, path)) = executable_map(rest) {
                        maps.insert(Map { start, end, offset, object: paths.len() });
                        paths.push(path);
                    }
                }
                "stack" => {
                    let byte = |at| number(&rest[at..at + 2]) as u8;
                    dump = (0..rest.len()).step_by(2).map(byte).collect();
                }
                _ => panic!("{line}"),
            }
        }
        Snapshot { machine, registers: registers.expect("registers"), dump, maps, paths }
    }

    pub(super) fn with_dump(&self, dump: &[u8]) -> Snapshot {
        Snapshot { dump: dump.to_vec(), ..self.clone() }
    }

    /// Unwinds the stack; the first file that is mapped is `program`.
    pub(super) fn unwind(&self, program: &Program) -> UnwoundNames {
        let first = self.paths.iter().find(|path| path.starts_with('/')).expect("a file");
        // The files of other objects, such as the C library.
        let others = self.paths.iter().map(|path| match std::fs::read(path) {
            Ok(bytes) if path != first => Some(Program::new(bytes)),
            _ => None,
        });
        let others: Vec<_> = others.collect();
        let is_program = |object: usize| &self.paths[object] == first;
        let files = others.iter().enumerate();
        let files =
            files.map(|(index, other)| other.as_ref().or(is_program(index).then_some(program)));
        let mut files = MappedFiles(files.collect());
        let mut addresses = Vec::new();
        let mut unwinder = DumpUnwinder::new(self.machine);
        let (registers, maps) = (&self.registers, &self.maps);
        let end = unwinder.unwind(registers, &self.dump, maps, &mut files, &mut addresses);
        let names = addresses.iter().map(|address| match self.maps.find(*address) {
            Some(map) if is_program(map.object) => program.name(map.offset_of(*address)),
            Some(map) if others[map.object].is_some() => "[other]".to_owned(),
            _ => "[made]".to_owned(),
        });
        let names = names.collect();
        UnwoundNames { addresses, names, end }
    }
}

/// Parses a line of /proc/PID/maps: start, end, offset and path. `None` if the memory is not
/// executable:
///
/// ```text
/// 00401000-00402000 r-xp 00001000 fe:00 10100993      /tmp/program
/// ```
fn executable_map(line: &str) -> Option<(u64, u64, u64, String)> {
    let mut words = line.split_whitespace();
    let (start, end) = words.next()?.split_once('-')?;
    let is_code = words.next()?.contains('x');
    let offset = number(words.next()?);
    let path = words.nth(2).unwrap_or_default().to_owned();
    is_code.then(|| (number(start), number(end), offset, path))
}

impl fmt::Display for UnwoundNames {
    /// The names, with one for all functions of other files that follow each other, and why there
    /// are no more.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut names = self.names.clone();
        names.dedup_by(|one, other| one == other && one == "[other]");
        write!(f, "{}: {:?}", names.join(" "), self.end)
    }
}
