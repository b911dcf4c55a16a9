//! Stacks of real recordings are compared with those of framehop, an unwinder by other authors,
//! which must find the same addresses.
//!
//! Where a stack leaves the object files that are here, both follow frame pointers, and what they
//! guess is not compared. No signal interrupted these programs: framehop cannot find what a signal
//! interrupted.

// The recordings are compressed, which is read on Linux only, and with zstd.
#![cfg(all(feature = "zstd", target_os = "linux"))]

use std::collections::HashMap;
use std::convert::Infallible;
use std::fs;
use std::io::{Cursor, Read};
use std::path::{Path, PathBuf};

use flate2::read::GzDecoder;
use framehop::x86_64::{CacheX86_64, UnwindRegsX86_64, UnwinderX86_64};
use framehop::{ExplicitModuleSectionInfo, Module, Unwinder as _};
use object::read::elf::{ElfFile64, ProgramHeader};
use object::{LittleEndian, Object, ObjectSection, elf};
use stack_perf_data::{
    LoadedSegment, MapRecord, Processes, RawSample, Record, Recording, StackEnd, StackFrame,
    UnwindFiles, UnwindSections, Unwinder,
};

/// The recordings of `perf record --call-graph dwarf`, and the least numbers of samples and frames
/// that must be compared in each.
const RECORDINGS: [(&str, usize, usize); 6] = [
    ("dwarf-cxx-debuglink", 175, 733),
    ("dwarf-deep-8k", 210, 10095),
    ("dwarf-ocaml", 176, 3290),
    ("dwarf-rust", 184, 1323),
    ("dwarf-threads-zstd", 119, 328),
    ("pipe-zstd-dwarf", 154, 1089),
];

#[test]
fn the_callers_are_those_that_framehop_finds() {
    let files = object_files();
    for (name, samples, frames) in RECORDINGS {
        let recording = repository(&format!("formats/perf-data/{name}.perf.data.gz"));
        let compared = compare(name, &decompressed(&recording), &files);
        println!("{name}: {compared:?}");
        assert!(compared.samples >= samples && compared.frames >= frames, "{name}: {compared:?}");
    }
}

/// How much was compared and found equal.
#[derive(Debug, Default)]
struct Compared {
    samples: usize,
    frames: usize,
}

fn compare(name: &str, recording: &[u8], files: &[ObjectFile]) -> Compared {
    let mut processes = Processes::new();
    let (mut unwinder, mut framehop) = (Unwinder::new(), Framehop::new(files));
    let (mut frames, mut compared) = (Vec::new(), Compared::default());
    let recording = Recording::from_file(Cursor::new(recording)).expect("a recording");
    let read = recording.read(|record| {
        processes.apply(&record, |map| position(files, map));
        framehop.apply(&record);
        if let Record::Sample(sample) = record
            && let Some(theirs) = framehop.unwind(&sample)
        {
            let end = unwinder.unwind(&sample, &processes, &mut Files(files), &mut frames);
            compared.add(&frames, end, &theirs).unwrap_or_else(|why| {
                panic!("{name}: sample at {:?} ns: {why}\n{:x?}\n{theirs:x?}", sample.time, frames)
            });
        }
        Ok::<_, Infallible>(())
    });
    let Ok(summary) = read;
    assert!(summary.error.is_none(), "{name}: {:?}", summary.error);
    compared
}

impl Compared {
    /// Compares what is unwound of one sample, the function that was running first.
    fn add(
        &mut self,
        ours: &[StackFrame<Option<usize>>],
        end: StackEnd,
        theirs: &FramehopStack,
    ) -> Result<(), &'static str> {
        // The kernel's part of the stack was recorded as it is.
        let ours: Vec<_> = ours.iter().filter(|frame| frame.address < 1 << 63).collect();
        let is_here = |frame: &&&StackFrame<_>| matches!(frame.mapped, Some((Some(_), _)));
        let here = ours.iter().take_while(is_here).count();
        // The caller of the last of these frames was found by its object file, too.
        let known = here + 1;
        let ours = ours.iter().take(known).map(|frame| frame.address);
        if !ours.clone().eq(theirs.addresses.iter().copied().take(known)) {
            return Err("framehop finds other callers");
        }
        let is_whole = ours.len() < known;
        if is_whole && (end == StackEnd::Root) != theirs.is_whole {
            return Err("framehop ends otherwise");
        }
        if here > 0 {
            self.samples += 1;
            self.frames += ours.len();
        }
        Ok(())
    }
}

/// The stack that framehop finds.
#[derive(Debug)]
struct FramehopStack {
    /// For callers, the return address minus 1.
    addresses: Vec<u64>,
    /// Whether the last function has no caller.
    is_whole: bool,
}

/// Unwinds with framehop, which has the object files by process.
struct Framehop<'f> {
    files: &'f [ObjectFile],
    processes: HashMap<u32, UnwinderX86_64<&'f [u8]>>,
    cache: CacheX86_64,
}

impl<'f> Framehop<'f> {
    fn new(files: &'f [ObjectFile]) -> Framehop<'f> {
        Framehop { files, processes: HashMap::new(), cache: CacheX86_64::new() }
    }

    fn apply(&mut self, record: &Record<'_>) {
        match record {
            Record::Map(map) if map.is_code => {
                if let Some(file) = position(self.files, map) {
                    let module = self.files[file].module(map);
                    self.processes.entry(map.pid).or_default().add_module(module);
                }
            }
            Record::Fork { pid, parent_pid, .. } if pid != parent_pid => {
                let parent = self.processes.get(parent_pid).cloned();
                self.processes.insert(*pid, parent.unwrap_or_default());
            }
            _ => {}
        }
    }

    /// `None` without a copy of the stack.
    fn unwind(&mut self, sample: &RawSample<'_>) -> Option<FramehopStack> {
        // enum perf_event_x86_regs: bp, sp, ip
        let register = |number| sample.user_register(number);
        let (bp, sp, ip) = (register(6)?, register(7)?, register(8)?);
        let dump = sample.user_stack()?;
        let mut read = |address: u64| {
            let offset = usize::try_from(address.checked_sub(sp).ok_or(())?).map_err(|_| ())?;
            let bytes = dump.get(offset..).and_then(<[u8]>::first_chunk).ok_or(())?;
            Ok(u64::from_le_bytes(*bytes))
        };
        let process = self.processes.entry(sample.pid?).or_default();
        let registers = UnwindRegsX86_64::new(ip, sp, bp);
        let mut frames = process.iter_frames(ip, registers, &mut self.cache, &mut read);
        let mut addresses = Vec::new();
        loop {
            match frames.next() {
                Ok(Some(frame)) => addresses.push(frame.address_for_lookup()),
                end => return Some(FramehopStack { addresses, is_whole: end.is_ok() }),
            }
        }
    }
}

/// An executable or library of the recordings.
struct ObjectFile {
    /// Where it was on the recorded machine.
    path: String,
    bytes: Vec<u8>,
}

/// Which of the files is mapped.
fn position(files: &[ObjectFile], map: &MapRecord<'_>) -> Option<usize> {
    files.iter().position(|file| file.path.as_bytes() == map.path)
}

/// Those of the golden tests, and the program of the Rust recordings, without its symbols.
fn object_files() -> Vec<ObjectFile> {
    let folder = "/home/someone/work/p";
    let entries = fs::read_dir(repository(&format!("symfs{folder}"))).expect("the objects");
    let files = entries.map(|entry| {
        let entry = entry.expect("an entry");
        let path = format!("{folder}/{}", entry.file_name().to_string_lossy());
        ObjectFile { path, bytes: fs::read(entry.path()).expect("a file") }
    });
    let stripped = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/rusty.bin.gz");
    let rust = ObjectFile { path: format!("{folder}/rusty.bin"), bytes: decompressed(&stripped) };
    files.chain([rust]).collect()
}

/// The object files, by their indices.
struct Files<'f>(&'f [ObjectFile]);

impl<'f> UnwindFiles<'f, Option<usize>> for Files<'f> {
    fn sections(&mut self, file: Option<usize>) -> Option<UnwindSections<'f>> {
        Some(self.0[file?].sections())
    }
}

impl ObjectFile {
    fn elf(&self) -> ElfFile64<'_, LittleEndian> {
        ElfFile64::parse(&self.bytes[..]).expect("an object file")
    }

    /// The segment with the code.
    fn code(&self) -> LoadedSegment<'_> {
        let elf = self.elf();
        let is_code = |header: &&elf::ProgramHeader64<LittleEndian>| {
            header.p_type(LittleEndian) == elf::PT_LOAD
                && header.p_flags(LittleEndian).0 & elf::PF_X.0 != 0
        };
        let header = elf.elf_program_headers().iter().find(is_code).expect("code");
        LoadedSegment {
            offset: header.p_offset(LittleEndian),
            address: header.p_vaddr(LittleEndian),
            bytes: header.data(LittleEndian, &self.bytes[..]).expect("a segment"),
        }
    }

    /// The address and the bytes of a section.
    fn section(&self, name: &str) -> (u64, &[u8]) {
        let elf = self.elf();
        let section = elf.section_by_name(name).expect("a section");
        (section.address(), section.data().expect("its bytes"))
    }

    fn sections(&self) -> UnwindSections<'_> {
        UnwindSections {
            segments: vec![self.code()],
            eh_frame: Some(self.section(".eh_frame")),
            eh_frame_header: Some(self.section(".eh_frame_hdr")),
            text: self.section(".text").0,
            got: self.section(".got").0,
            ..UnwindSections::default()
        }
    }

    /// The file in the form that framehop needs.
    fn module(&self, map: &MapRecord<'_>) -> Module<&[u8]> {
        let range = |(start, bytes): (u64, &[u8])| start..start + bytes.len() as u64;
        let [text, got, eh_frame, header] =
            [".text", ".got", ".eh_frame", ".eh_frame_hdr"].map(|name| self.section(name));
        let sections = ExplicitModuleSectionInfo {
            text_svma: Some(range(text)),
            text: Some(text.1),
            got_svma: Some(range(got)),
            eh_frame_svma: Some(range(eh_frame)),
            eh_frame: Some(eh_frame.1),
            eh_frame_hdr_svma: Some(range(header)),
            eh_frame_hdr: Some(header.1),
            ..ExplicitModuleSectionInfo::default()
        };
        let code = self.code();
        let base = map.start - map.offset + code.offset - code.address;
        Module::new(self.path.clone(), map.start..map.start + map.length, base, sections)
    }
}

fn repository(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/golden").join(path)
}

fn decompressed(path: &Path) -> Vec<u8> {
    let mut bytes = Vec::new();
    let compressed = fs::read(path).expect("a file");
    GzDecoder::new(&compressed[..]).read_to_end(&mut bytes).expect("a whole gzip file");
    bytes
}
