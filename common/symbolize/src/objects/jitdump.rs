//! `jit-PID.dump`: the code that a process compiled while it ran, with names and
//! times. The layout is that of `jitdump-specification.txt` of Linux.

use std::fs::File;
use std::io::{self, BufReader, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use hashbrown::HashMap;

use super::made_function::MadeFunction;
use super::no_symbols::NoSymbols;
use super::perf_map::open;
use super::spans::{Span, Spans};
use crate::bytes::Cursor;

/// `JiTD`, as a little-endian machine writes it.
const MAGIC: [u8; 4] = 0x4a69_5444_u32.to_le_bytes();

/// The longest name that is kept, in bytes.
const LONGEST_NAME: u64 = 1 << 14;

const HEADER_SIZE: u64 = 40;

/// The longest `.eh_frame` of a function that is read, in bytes.
const LONGEST_EH_FRAME: u64 = 1 << 20;

// The records that are needed; the others hold lines and the end.
const LOAD: u32 = 0;
const MOVE: u32 = 1;
const UNWINDING: u32 = 4;

/// The functions that a process compiled, as far as the file was read.
#[derive(Debug)]
pub(super) struct JitDump {
    file: PathBuf,
    is_trusted: bool,
    /// Whether there may be more in the file than was read.
    pub(super) may_have_grown: bool,
    /// The offset of the next record in the file.
    next: u64,
    /// In the order of the file.
    functions: Vec<Function>,
    /// The `.eh_frame` of the function that comes next.
    next_eh_frame: Option<FilePart>,
    /// The contents of the sections `.eh_frame` that were asked for, by the index of the function.
    eh_frames: HashMap<usize, Option<&'static [u8]>>,
    /// The names of all functions.
    names: Vec<u8>,
    /// The last function with each number.
    by_number: HashMap<u64, usize>,
    /// Since when, and where, functions are in memory.
    loads: Vec<Load>,
    /// Known by the index of their load.
    spans: Spans,
    pub(super) why: Option<NoSymbols>,
}

/// A function that was compiled.
#[derive(Clone, Copy, Debug)]
struct Function {
    /// The offset of its code in the file.
    offset: u64,
    size: u64,
    /// The end of its name in `names`; the name begins where the one before ends.
    name_end: usize,
    eh_frame: Option<FilePart>,
}

/// A part of the file, in bytes.
#[derive(Clone, Copy, Debug)]
struct FilePart {
    offset: u64,
    size: u64,
}

/// A function in memory.
#[derive(Clone, Copy, Debug)]
struct Load {
    /// Since when it is there, in nanoseconds.
    time: u64,
    /// Its index among the functions.
    function: usize,
    /// The address at which its code begins.
    start: u64,
}

impl JitDump {
    pub(super) fn new(file: PathBuf, is_trusted: bool) -> JitDump {
        JitDump {
            file,
            is_trusted,
            may_have_grown: true,
            next: 0,
            functions: Vec::new(),
            next_eh_frame: None,
            eh_frames: HashMap::new(),
            names: Vec::new(),
            by_number: HashMap::new(),
            loads: Vec::new(),
            spans: Spans::default(),
            why: None,
        }
    }

    /// The offset in the file of the code that was at `address` at this time, in nanoseconds.
    /// Without a time, or if the clocks differ, it may be the code of another function that was
    /// there.
    pub(super) fn offset_of(&mut self, address: u64, time: Option<u64>) -> Option<u64> {
        let known = self.known_offset_of(address, time);
        if known.is_some() || !std::mem::take(&mut self.may_have_grown) {
            return known;
        }
        self.refresh();
        self.known_offset_of(address, time)
    }

    fn known_offset_of(&self, address: u64, time: Option<u64>) -> Option<u64> {
        let time = time.unwrap_or(u64::MAX);
        let time_of = |span: &&Span| self.loads[span.what as usize].time;
        let earlier = self.spans.at(address).filter(|span| time_of(span) <= time);
        // Of two at the same time, the one later in the file is newer.
        let newest = earlier.max_by_key(|span| (time_of(span), span.what));
        let span = newest.or_else(|| self.spans.at(address).min_by_key(time_of))?;
        let load = self.loads[span.what as usize];
        Some(self.functions[load.function].offset + (address - load.start))
    }

    /// The name of the function whose code is at `offset` in the file.
    pub(super) fn name(&self, offset: u64) -> Option<&[u8]> {
        let index = self.function_at(offset)?;
        let start = index.checked_sub(1).map_or(0, |before| self.functions[before].name_end);
        Some(&self.names[start..self.functions[index].name_end])
    }

    /// The function whose code is at `offset` in the file.
    pub(super) fn function(&mut self, offset: u64) -> Option<MadeFunction> {
        let index = self.function_at(offset)?;
        let Function { offset: start, size, eh_frame, .. } = self.functions[index];
        let name = self.name(offset)?.to_vec();
        let (file, is_trusted) = (&self.file, self.is_trusted);
        // It is needed until the program ends, as executables are.
        let read = || eh_frame.and_then(|part| part.read(file, is_trusted)).map(|it| &*it.leak());
        let eh_frame = *self.eh_frames.entry(index).or_insert_with(read);
        Some(MadeFunction { name, offset: offset - start, size, eh_frame })
    }

    /// The index of the function whose code is at `offset` in the file.
    fn function_at(&self, offset: u64) -> Option<usize> {
        let next = self.functions.partition_point(|function| function.offset <= offset);
        let index = next.checked_sub(1)?;
        let Function { offset: start, size, .. } = self.functions[index];
        (offset - start < size).then_some(index)
    }

    /// Reads what was added to the file.
    fn refresh(&mut self) {
        let before = self.loads.len();
        self.why = self.read().err();
        if self.loads.len() > before {
            let span = |(number, load): (u32, &Load)| {
                let end = load.start.saturating_add(self.functions[load.function].size);
                Span::new(load.start, end, number)
            };
            self.spans = Spans::new((0..).zip(&self.loads).map(span).collect());
        }
    }

    fn read(&mut self) -> Result<(), NoSymbols> {
        let (file, length) = open(&self.file, self.is_trusted)?;
        if length <= self.next {
            return Ok(());
        }
        let mut file = BufReader::new(file);
        if self.next == 0 {
            self.next = header_size(&mut file)?.ok_or(NoSymbols::NoJitDump)?;
        }
        file.seek(SeekFrom::Start(self.next))?;
        Ok(self.records(&mut file, length)?)
    }

    /// Reads the records that are complete.
    fn records(&mut self, file: &mut BufReader<File>, length: u64) -> io::Result<()> {
        while length.saturating_sub(self.next) >= 16 {
            let mut header = [0; 16];
            file.read_exact(&mut header)?;
            let Some((kind, size, time)) = record_header(&header) else { return Ok(()) };
            if size < 16 || length - self.next < size {
                return Ok(());
            }
            let read = match kind {
                LOAD => self.load(file, size, time)?,
                MOVE => self.moved(file, size, time)?,
                UNWINDING => self.unwinding(file, size)?,
                _ => 0,
            };
            self.next += size;
            file.seek_relative((size - 16 - read).cast_signed())?;
        }
        Ok(())
    }

    /// Reads a function; returns how many bytes of the record were read.
    fn load(&mut self, file: &mut BufReader<File>, size: u64, time: u64) -> io::Result<u64> {
        // Process, thread, address, address, size, number; then the name and the code.
        let mut fields = [0; 40];
        let Some(rest) = size.checked_sub(16 + 40) else { return Ok(0) };
        file.read_exact(&mut fields)?;
        let [_, _, start, code_size, number] = Cursor::new(&fields).u64s().unwrap_or_default();
        let Some(name_size) = rest.checked_sub(code_size) else { return Ok(40) };
        let name_start = self.names.len();
        let read = file.take(name_size.min(LONGEST_NAME)).read_to_end(&mut self.names)?;
        if let Some(end) = memchr::memchr(0, &self.names[name_start..]) {
            self.names.truncate(name_start + end);
        }
        let offset = self.next + size - code_size;
        let function = self.functions.len();
        let (name_end, eh_frame) = (self.names.len(), self.next_eh_frame.take());
        self.functions.push(Function { offset, size: code_size, name_end, eh_frame });
        self.by_number.insert(number, function);
        self.loads.push(Load { time, function, start });
        Ok(40 + read as u64)
    }

    /// Notes where the call frame information of the next function is: `.eh_frame`, and at its end
    /// `.eh_frame_hdr`.
    fn unwinding(&mut self, file: &mut BufReader<File>, size: u64) -> io::Result<u64> {
        // The size of both, that of `.eh_frame_hdr`, how much of it the process had in memory.
        let mut fields = [0; 24];
        let Some(rest) = size.checked_sub(16 + 24) else { return Ok(0) };
        file.read_exact(&mut fields)?;
        let [both, header, _] = Cursor::new(&fields).u64s().unwrap_or_default();
        let size = both.checked_sub(header).filter(|size| both <= rest && *size > 0);
        let size = size.filter(|size| *size <= LONGEST_EH_FRAME);
        self.next_eh_frame = size.map(|size| FilePart { offset: self.next + 16 + 24, size });
        Ok(24)
    }

    /// Notes that a function is at another address from now on.
    fn moved(&mut self, file: &mut BufReader<File>, size: u64, time: u64) -> io::Result<u64> {
        // Process, thread, address, from, to, size, number.
        let mut fields = [0; 48];
        if size < 16 + 48 {
            return Ok(0);
        }
        file.read_exact(&mut fields)?;
        let [_, _, _, start, _, number] = Cursor::new(&fields).u64s().unwrap_or_default();
        if let Some(&function) = self.by_number.get(&number) {
            self.loads.push(Load { time, function, start });
        }
        Ok(48)
    }
}

impl FilePart {
    fn read(self, file: &Path, is_trusted: bool) -> Option<Vec<u8>> {
        let (mut file, _) = open(file, is_trusted).ok()?;
        file.seek(SeekFrom::Start(self.offset)).ok()?;
        let mut bytes = Vec::new();
        let read = file.take(self.size).read_to_end(&mut bytes).ok()?;
        (read as u64 == self.size).then_some(bytes)
    }
}

/// Whether the name of this file is that of a jitdump: a process maps the file to say that it
/// writes one.
pub(super) fn is_dump(path: &[u8]) -> bool {
    let name = memchr::memrchr(b'/', path).map_or(path, |slash| &path[slash + 1..]);
    let pid = name.strip_prefix(b"jit-").and_then(|name| name.strip_suffix(b".dump"));
    pid.is_some_and(|pid| !pid.is_empty() && pid.iter().all(u8::is_ascii_digit))
}

/// The offset of the first record; `None` if it is not a dump of a little-endian machine.
fn header_size(file: &mut BufReader<File>) -> io::Result<Option<u64>> {
    let mut header = [0; 12];
    file.read_exact(&mut header)?;
    let mut fields = Cursor::new(&header);
    let (magic, _version, size) = (fields.take(4), fields.u32(), fields.u32().map_or(0, u64::from));
    Ok((magic == Some(&MAGIC) && size >= HEADER_SIZE).then_some(size))
}

/// The start of a record: its type, its size in bytes and its time in nanoseconds.
fn record_header(header: &[u8; 16]) -> Option<(u32, u64, u64)> {
    let mut fields = Cursor::new(header);
    Some((fields.u32()?, fields.u32()?.into(), fields.u64()?))
}

#[cfg(test)]
mod tests {
    use std::fs::OpenOptions;
    use std::io::Write;

    use tempfile::TempDir;

    use super::*;

    fn words(numbers: &[u64]) -> Vec<u8> {
        numbers.iter().flat_map(|number| number.to_le_bytes()).collect()
    }

    fn header() -> Vec<u8> {
        let fields = [0x4a69_5444_u32, 1, 40, 62, 0, 7];
        let fields = fields.iter().flat_map(|field| field.to_le_bytes()).collect();
        [fields, words(&[0, 0])].concat()
    }

    fn record(kind: u32, time: u64, body: &[u8]) -> Vec<u8> {
        let size = u32::try_from(16 + body.len()).expect("a small record");
        [&kind.to_le_bytes()[..], &size.to_le_bytes(), &time.to_le_bytes(), body].concat()
    }

    fn load(time: u64, start: u64, size: usize, number: u64, name: &str) -> Vec<u8> {
        let fields = words(&[7 << 32 | 7, start, start, size as u64, number]);
        record(LOAD, time, &[fields, name.as_bytes().to_vec(), vec![0], vec![0xcc; size]].concat())
    }

    fn moved(time: u64, start: u64, size: u64, number: u64) -> Vec<u8> {
        record(MOVE, time, &words(&[7 << 32 | 7, 0, 0, start, size, number]))
    }

    struct Dump {
        folder: TempDir,
        dump: JitDump,
    }

    impl Dump {
        fn new(records: &[Vec<u8>]) -> Dump {
            let folder = TempDir::new().expect("a writable temporary folder");
            let dump = JitDump::new(folder.path().join("jit-7.dump"), false);
            let mut dump = Dump { folder, dump };
            dump.append(&header());
            records.iter().for_each(|record| dump.append(record));
            dump
        }

        fn append(&mut self, bytes: &[u8]) {
            let file = self.folder.path().join("jit-7.dump");
            let mut file =
                OpenOptions::new().create(true).append(true).open(file).expect("a writable folder");
            file.write_all(bytes).expect("a writable folder");
        }

        fn name(&mut self, address: u64, time: Option<u64>) -> String {
            let offset = self.dump.offset_of(address, time);
            let name = offset.and_then(|offset| self.dump.name(offset)).unwrap_or_default();
            String::from_utf8_lossy(name).into_owned()
        }
    }

    #[test]
    fn functions_have_names() {
        let unwinding = record(4, 1, &[0; 48]);
        let mut dump = Dump::new(&[
            load(1, 0x1000, 16, 0, "JS:~f x.js:1:1"),
            unwinding,
            load(2, 0x2000, 32, 1, "g"),
            record(3, 9, &[]),
        ]);
        for (address, expected) in [
            (0x0fff, ""),
            (0x1000, "JS:~f x.js:1:1"),
            (0x100f, "JS:~f x.js:1:1"),
            (0x1010, ""),
            (0x201f, "g"),
            (0x2020, ""),
        ] {
            assert_eq!(dump.name(address, Some(5)), expected, "{address:x}");
        }
    }

    /// `.eh_frame` with these bytes, then a header of 20 bytes.
    fn unwinding(eh_frame: &[u8]) -> Vec<u8> {
        let sizes = words(&[eh_frame.len() as u64 + 20, 20, 0]);
        record(UNWINDING, 1, &[&sizes, eh_frame, &[0xee; 24]].concat())
    }

    #[test]
    fn call_frame_information_is_that_of_the_function_after_it() {
        let mut dump = Dump::new(&[
            load(1, 0x1000, 16, 0, "bare"),
            unwinding(b"of f"),
            load(2, 0x2000, 32, 1, "f"),
            load(3, 0x3000, 32, 2, "g"),
            record(UNWINDING, 1, &words(&[20, 0, 0, 0])),
            load(4, 0x4000, 16, 3, "too short"),
        ]);
        let mut function = |address| {
            let offset = dump.dump.offset_of(address, None).expect("a function");
            dump.dump.function(offset).expect("a function")
        };
        for (address, name, size, eh_frame) in [
            (0x1003, "bare", 16, None),
            (0x2003, "f", 32, Some(&b"of f"[..])),
            (0x3003, "g", 32, None),
            (0x4003, "too short", 16, None),
        ] {
            let expected = MadeFunction { name: name.into(), offset: 3, size, eh_frame };
            assert_eq!(function(address), expected);
        }
    }

    #[test]
    fn the_time_tells_which_function_was_there() {
        let mut dump = Dump::new(&[load(10, 0x1000, 64, 0, "old"), load(20, 0x1020, 64, 1, "new")]);
        assert_eq!(dump.name(0x1030, Some(19)), "old");
        assert_eq!(dump.name(0x1030, Some(20)), "new");
        assert_eq!(dump.name(0x1030, None), "new");
        assert_eq!(dump.name(0x1010, Some(99)), "old");
        // The clock of the recording may be another one.
        assert_eq!(dump.name(0x1030, Some(1)), "old");
    }

    #[test]
    fn a_function_that_was_moved_is_found_where_it_is() {
        let mut dump = Dump::new(&[
            load(10, 0x1000, 16, 5, "f"),
            moved(20, 0x3000, 16, 5),
            moved(30, 0x4000, 16, 99),
            load(40, 0x1000, 16, 6, "g"),
        ]);
        assert_eq!(dump.name(0x1000, Some(15)), "f");
        assert_eq!(dump.name(0x300f, Some(25)), "f");
        assert_eq!(dump.name(0x1000, Some(45)), "g");
        assert_eq!(dump.name(0x4000, Some(45)), "");
    }

    #[test]
    fn a_dump_that_grows_is_read_on() {
        let mut dump = Dump::new(&[load(1, 0x1000, 16, 0, "f")]);
        let second = load(2, 0x2000, 16, 1, "g");
        assert_eq!(dump.name(0x1000, None), "f");
        dump.append(&second[..30]);
        dump.dump.may_have_grown = true;
        assert_eq!(dump.name(0x2000, None), "");
        dump.append(&second[30..]);
        // The file is not read again before the next batch.
        assert_eq!(dump.name(0x2000, None), "");
        dump.dump.may_have_grown = true;
        assert_eq!(dump.name(0x2000, None), "g");
        assert_eq!(dump.name(0x1000, None), "f");
    }

    #[test]
    fn damage_is_no_trouble() {
        let whole = [
            header(),
            load(1, 0x1000, 16, 0, "f"),
            moved(2, 0x3000, 16, 0),
            load(3, 0x2000, 16, 1, "g"),
        ]
        .concat();
        for place in 0..whole.len() {
            for damaged in [whole[..place].to_vec(), {
                let mut bytes = whole.clone();
                bytes[place] = 0xff;
                bytes
            }] {
                let mut dump = Dump::new(&[]);
                std::fs::write(dump.folder.path().join("jit-7.dump"), damaged).expect("a folder");
                for address in [0x1000, 0x2000, 0x3000] {
                    dump.name(address, Some(5));
                }
            }
        }
    }

    #[test]
    fn dumps_are_told_by_their_names() {
        for (path, expected) in [
            ("/home/me/jit-123.dump", true),
            ("jit-1.dump", true),
            ("/home/me/jit-.dump", false),
            ("/home/me/jit-1x.dump", false),
            ("/home/me/jit-1.dump.old", false),
        ] {
            assert_eq!(is_dump(path.as_bytes()), expected, "{path}");
        }
    }
}
