//! What a program of tests/unwind printed of itself.

use std::fmt;

use object::read::elf::ElfFile64;
use object::{LittleEndian, Object, ObjectSegment, ObjectSymbol};

use crate::formats::perf_data::unwind::{Code, End, Machine, Registers, Tables, Unwinder};

/// The registers, the stack and what was mapped.
#[derive(Clone)]
pub(super) struct Snapshot {
    machine: Machine,
    registers: Registers,
    pub(super) dump: Vec<u8>,
    code: Vec<Map>,
}

/// Executable memory.
#[derive(Clone)]
struct Map {
    start: u64,
    end: u64,
    offset: u64,
    path: String,
}

/// A file that is read as object files are, with the names of its functions.
pub(super) struct Program {
    tables: Tables,
    elf: &'static [u8],
    /// Offset, size and address of what is loaded.
    segments: Vec<(u64, u64, u64)>,
    /// Address, size and name.
    functions: Vec<(u64, u64, String)>,
}

/// The functions on the stack, from the leaf to the root.
pub(super) struct Chain {
    pub(super) addresses: Vec<u64>,
    pub(super) names: Vec<String>,
    pub(super) end: End,
}

fn number(digits: &str) -> u64 {
    u64::from_str_radix(digits, 16).expect("a hexadecimal number")
}

impl Snapshot {
    pub(super) fn parse(machine: Machine, text: &str) -> Snapshot {
        let (mut registers, mut dump, mut code) = (None, Vec::new(), Vec::new());
        for line in text.lines() {
            let (kind, rest) = line.split_once(' ').expect("a word and more");
            match kind {
                "registers" => {
                    let mut all = Registers::none();
                    rest.split(' ').zip(0..).for_each(|(value, it)| all.set(it, number(value)));
                    registers = Some(all);
                }
                "map" => code.extend(Map::parse(rest)),
                "stack" => {
                    let byte = |at| number(&rest[at..at + 2]) as u8;
                    dump = (0..rest.len()).step_by(2).map(byte).collect();
                }
                _ => panic!("{line}"),
            }
        }
        Snapshot { machine, registers: registers.expect("registers"), dump, code }
    }

    pub(super) fn with_dump(&self, dump: &[u8]) -> Snapshot {
        Snapshot { dump: dump.to_vec(), ..self.clone() }
    }

    /// Unwinds the stack; the first file that is mapped is `program`.
    pub(super) fn unwind(&self, program: &Program) -> Chain {
        let file = self.code.iter().find(|map| map.path.starts_with('/')).expect("a file");
        let is_program = |map: &Map| map.path == file.path;
        // Those of the C library, for one.
        let others = self.code.iter().map(|map| match std::fs::read(&map.path) {
            Ok(bytes) if !is_program(map) => Some(Program::new(bytes)),
            _ => None,
        });
        let others: Vec<_> = others.collect();
        let find_map =
            |address: u64| self.code.iter().position(|map| (map.start..map.end).contains(&address));
        let mut find = |address| match find_map(address) {
            None => Code::Unmapped,
            Some(index) => match &others[index] {
                Some(other) => other.code(&self.code[index]),
                None if is_program(&self.code[index]) => program.code(&self.code[index]),
                None => Code::Jit,
            },
        };
        let mut addresses = Vec::new();
        let mut unwinder = Unwinder::new(self.machine);
        let end = unwinder.unwind(&self.registers, &self.dump, &mut find, &mut addresses);
        let names = addresses.iter().map(|address| match find_map(*address) {
            Some(index) if is_program(&self.code[index]) => {
                program.name(*address, &self.code[index])
            }
            Some(index) if others[index].is_some() => "[other]".to_owned(),
            _ => "[made]".to_owned(),
        });
        let names = names.collect();
        Chain { addresses, names, end }
    }
}

impl Map {
    /// Reads what /proc/PID/maps says, `None` if it is not executable:
    ///
    /// ```text
    /// 00401000-00402000 r-xp 00001000 fe:00 10100993      /tmp/program
    /// ```
    fn parse(line: &str) -> Option<Map> {
        let mut words = line.split_whitespace();
        let (start, end) = words.next()?.split_once('-')?;
        let is_code = words.next()?.contains('x');
        let offset = number(words.next()?);
        let path = words.nth(2).unwrap_or_default().to_owned();
        is_code.then(|| Map { start: number(start), end: number(end), offset, path })
    }
}

impl Program {
    /// The program is kept to the end, as those that are mapped.
    pub(super) fn new(bytes: Vec<u8>) -> Program {
        let elf: &'static [u8] = bytes.leak();
        let file = ElfFile64::<LittleEndian>::parse(elf).expect("a program");
        let segments = file.segments().map(|segment| {
            let (offset, size) = segment.file_range();
            (offset, size, segment.address())
        });
        let functions = file.symbols().filter_map(|symbol| {
            let name = symbol.name().ok()?.to_owned();
            (symbol.size() > 0).then_some((symbol.address(), symbol.size(), name))
        });
        let (segments, functions) = (segments.collect(), functions.collect());
        Program { tables: Tables::new(elf, None), elf, segments, functions }
    }

    /// The same with other bytes to unwind by.
    pub(super) fn with_bytes(&self, bytes: Vec<u8>) -> Program {
        let elf: &'static [u8] = bytes.leak();
        let (segments, functions) = (self.segments.clone(), self.functions.clone());
        Program { tables: Tables::new(elf, None), elf, segments, functions }
    }

    pub(super) fn with_debug_file(&self, bytes: Vec<u8>) -> Program {
        let tables = Tables::new(self.elf, Some(bytes.leak()));
        let (segments, functions) = (self.segments.clone(), self.functions.clone());
        Program { tables, elf: self.elf, segments, functions }
    }

    pub(super) fn address_of(&self, name: &str) -> u64 {
        self.functions.iter().find(|(.., other)| other == name).expect("a function").0
    }

    fn code(&self, map: &Map) -> Code<'_> {
        Code::File { tables: &self.tables, bias: self.bias(map) }
    }

    fn bias(&self, map: &Map) -> u64 {
        let loaded = self.segments.iter().find(|(offset, size, _)| {
            *offset < map.offset + (map.end - map.start) && map.offset < offset + size
        });
        let (offset, _, address) = loaded.expect("it was mapped from a segment");
        map.start.wrapping_sub(map.offset).wrapping_add(*offset).wrapping_sub(*address)
    }

    fn name(&self, address: u64, map: &Map) -> String {
        let address = address.wrapping_sub(self.bias(map));
        let function = self
            .functions
            .iter()
            .find(|(start, size, _)| (*start..start + size).contains(&address));
        function.map_or_else(|| format!("{address:#x}"), |(.., name)| name.clone())
    }
}

impl fmt::Display for Chain {
    /// The names, those of other files once for all that follow each other, and
    /// why there are no more.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut names = self.names.clone();
        names.dedup_by(|one, other| one == other && one == "[other]");
        write!(f, "{}: {:?}", names.join(" "), self.end)
    }
}
