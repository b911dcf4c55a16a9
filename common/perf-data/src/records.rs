//! The records that callers get, and the kinds of records in a recording.

use crate::bytes::Bytes;
use crate::error::CallerStopped;
use crate::events::RecordedEvent;
use crate::sample::{CpuMode, RawSample};

/// The kinds of records: the kernel writes those below 64, perf the others.
pub(crate) mod kinds {
    pub(crate) const MMAP: u32 = 1;
    pub(crate) const LOST: u32 = 2;
    pub(crate) const COMM: u32 = 3;
    pub(crate) const EXIT: u32 = 4;
    pub(crate) const FORK: u32 = 7;
    pub(crate) const SAMPLE: u32 = 9;
    pub(crate) const MMAP2: u32 = 10;
    pub(crate) const LOST_SAMPLES: u32 = 13;
    pub(crate) const SWITCH: u32 = 14;
    pub(crate) const SWITCH_CPU_WIDE: u32 = 15;
    pub(crate) const KSYMBOL: u32 = 17;
    pub(crate) const CGROUP: u32 = 19;
    pub(crate) const CALLCHAIN_DEFERRED: u32 = 22;
    pub(crate) const FIRST_OF_PERF: u32 = 64;
    pub(crate) const HEADER_ATTR: u32 = 64;
    pub(crate) const TRACING_DATA: u32 = 66;
    pub(crate) const BUILD_ID: u32 = 67;
    pub(crate) const FINISHED_ROUND: u32 = 68;
    pub(crate) const AUXTRACE: u32 = 71;
    pub(crate) const EVENT_UPDATE: u32 = 78;
    pub(crate) const HEADER_FEATURE: u32 = 80;
    pub(crate) const COMPRESSED: u32 = 81;
    pub(crate) const COMPRESSED2: u32 = 83;
    /// From here on they are those of simpleperf.
    pub(crate) const FIRST_OF_SIMPLEPERF: u32 = 32768;
    pub(crate) const SIMPLEPERF_SPLIT: u32 = 32772;
    pub(crate) const SIMPLEPERF_SPLIT_END: u32 = 32773;
    pub(crate) const SIMPLEPERF_EVENT_ID: u32 = 32774;
    pub(crate) const SIMPLEPERF_TRACING_DATA: u32 = 32777;
}

/// The flags of records, besides the [`CpuMode`].
pub(crate) mod flags {
    /// Of the last map of a process of which perf had no time to read all
    /// (`PERF_RECORD_MISC_PROC_MAP_PARSE_TIMEOUT`).
    pub(crate) const MAPS_TIMED_OUT: u16 = 1 << 12;
    pub(crate) const MMAP_DATA: u16 = 1 << 13;
    pub(crate) const MMAP_BUILD_ID: u16 = 1 << 14;
    pub(crate) const BUILD_ID_SIZE: u16 = 1 << 15;
    /// Of lost samples that 'perf record --filter' left out (`PERF_RECORD_MISC_LOST_SAMPLES_BPF`).
    pub(crate) const LOST_BY_FILTER: u16 = 1 << 15;
    pub(crate) const SWITCH_OUT: u16 = 1 << 13;
    pub(crate) const SWITCH_OUT_PREEMPT: u16 = 1 << 14;
}

/// A record in the form that callers get. Bytes are borrowed from the reader.
///
/// The names of the kernel's records are those of `perf_event_open(2)`, the others are
/// described in tools/perf/Documentation/perf.data-file-format.txt of Linux.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub enum Record<'a> {
    /// From now on these addresses belong to a file, or to other memory: `PERF_RECORD_MMAP`,
    /// `PERF_RECORD_MMAP2`, `PERF_RECORD_KSYMBOL`.
    Map(MapRecord<'a>),
    /// A thread has a new name: `PERF_RECORD_COMM`.
    Comm {
        /// The process.
        pid: u32,
        /// The thread.
        tid: u32,
        /// At most 15 bytes.
        name: &'a [u8],
        /// In nanoseconds, on the recording's clock; `None` if it had this name before.
        time: Option<u64>,
    },
    /// A thread or a process was made: `PERF_RECORD_FORK`.
    Fork {
        /// The process; for a thread, that of its parent.
        pid: u32,
        /// The process that made it.
        parent_pid: u32,
        /// The thread.
        tid: u32,
        /// The thread that made it.
        parent_tid: u32,
        /// In nanoseconds, on the recording's clock; `None` if it was made before.
        time: Option<u64>,
    },
    /// A thread ended: `PERF_RECORD_EXIT`.
    Exit {
        /// The process.
        pid: u32,
        /// The thread.
        tid: u32,
        /// In nanoseconds, on the recording's clock.
        time: Option<u64>,
    },
    /// A thread got a processor or left it: `PERF_RECORD_SWITCH`, `PERF_RECORD_SWITCH_CPU_WIDE`.
    /// It is passed on only after [`Recording::pass_switches`](crate::Recording::pass_switches).
    Switch {
        /// The process.
        pid: u32,
        /// The thread.
        tid: u32,
        /// In nanoseconds, on the recording's clock.
        time: u64,
        /// What became of it.
        kind: SwitchKind,
    },
    /// A control group has this number from now on: `PERF_RECORD_CGROUP`, of `perf record
    /// --all-cgroups`.
    Cgroup {
        /// As in [`RawSample::cgroup`].
        id: u64,
        /// From the mount of the control groups: `/system.slice/docker-0123.scope`.
        path: &'a [u8],
    },
    /// The build-id of a file that perf found samples in: `HEADER_BUILD_ID`. In files these
    /// come first.
    BuildId {
        /// The file, as in [`MapRecord::path`].
        path: &'a [u8],
        /// At most 20 bytes.
        id: &'a [u8],
    },
    /// The functions of a file, as simpleperf found them on the recorded machine. These come first.
    FileSymbols(FileSymbols<'a>),
    /// The machine of the recording, as `uname -m` calls it: `x86_64`, `aarch64`
    /// (`HEADER_ARCH`). In files this comes first.
    Machine(&'a [u8]),
    /// The name of the recorded machine in its network, as `uname -n` calls it (`HEADER_HOSTNAME`).
    /// It comes at the same place as the machine.
    HostName(&'a [u8]),
    /// The version of Linux of the recording, as `uname -r` calls it: `6.1.0-13-amd64`
    /// (`HEADER_OSRELEASE`). It comes at the same place as the machine.
    Release(&'a [u8]),
    /// How many processors of the machine were online (`HEADER_NRCPUS`). It comes at the same place
    /// as the machine.
    Processors(u32),
    /// The words of the command that recorded: `perf`, `record`, its options, and the program that
    /// it started, if it did (`HEADER_CMDLINE`). It comes at the same place as the machine.
    CommandLine(&'a [&'a [u8]]),
    /// The events that are recorded. It comes once, before the first record of the kernel.
    Events(&'a [RecordedEvent]),
    /// A sample: `PERF_RECORD_SAMPLE`.
    Sample(RawSample<'a>),
    /// A round ended, and the records that could be put in order were passed on: a good moment to
    /// print results (`PERF_RECORD_FINISHED_ROUND`).
    RoundEnd,
}

/// What became of a thread in a switch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SwitchKind {
    /// It got a processor.
    In,
    /// It left its processor. With Linux before 4.17, this may also be a preemption.
    Out,
    /// It left its processor though it could go on.
    Preempted,
}

impl SwitchKind {
    pub(crate) fn of(flags: u16) -> SwitchKind {
        match (flags & flags::SWITCH_OUT, flags & flags::SWITCH_OUT_PREEMPT) {
            (0, _) => SwitchKind::In,
            (_, 0) => SwitchKind::Out,
            _ => SwitchKind::Preempted,
        }
    }
}

/// A file and its functions, in one of the two forms that simpleperf writes; the caller parses it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileSymbols<'a> {
    /// Of the feature `FILE`, `struct file_struct` of record_file_format.h, without its size.
    Struct(&'a [u8]),
    /// Of the feature `FILE2`, a message of protocol buffers: `FileFeature` of record_file.proto.
    Message(&'a [u8]),
}

/// A map: what is in memory from `start` on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MapRecord<'a> {
    /// The process, or [`KERNEL`](MapRecord::KERNEL).
    pub pid: u32,
    /// The first address.
    pub start: u64,
    /// In bytes.
    pub length: u64,
    /// Where in the file `start` is, in bytes; for the kernel itself, the address of the symbol at
    /// the end of its path.
    pub offset: u64,
    /// `/usr/lib/libc.so.6`, `[vdso]`, `//anon`, `[kernel.kallsyms]_text`.
    pub path: &'a [u8],
    /// The build-id of the file, where it was recorded (`perf record --buildid-mmap`).
    pub build_id: Option<&'a [u8]>,
    /// Which file it was, if it is a file and there is no build-id.
    pub file: Option<FileId>,
    /// Whether code may run there.
    pub is_code: bool,
    /// Whether it belongs to the kernel: the kernel itself, a module, or a program of BPF.
    pub is_kernel: bool,
}

/// A file as the recorded machine knew it: `PERF_RECORD_MMAP2`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FileId {
    /// The major and minor number of the device, as `/proc/self/mountinfo` has them.
    pub device: (u32, u32),
    /// The number of the file on that device. A later file may get the same.
    pub inode: u64,
}

impl MapRecord<'_> {
    /// In place of a process, for the kernel and its modules.
    pub const KERNEL: u32 = u32::MAX;
}

/// Takes records; returns `CallerStopped` if it wants no more.
pub(crate) type Each<'a> = &'a mut dyn FnMut(Record<'_>) -> Result<(), CallerStopped>;

/// The kind of a record.
#[inline]
pub(crate) fn kind(record: &[u8]) -> u32 {
    Bytes(record).u32().unwrap_or(0)
}

/// The kind and the flags of a record and what follows them.
#[inline]
pub(crate) fn split(record: &[u8]) -> (u32, u16, &[u8]) {
    let mut bytes = Bytes(record);
    let (kind, flags) = (bytes.u32().unwrap_or(0), bytes.u16().unwrap_or(0));
    (kind, flags, record.get(8..).unwrap_or_default())
}

/// The first of several records, and the bytes after it.
pub(crate) fn split_off(records: &[u8]) -> Option<(&[u8], &[u8])> {
    let size = u16::from_le_bytes(*records.get(6..)?.first_chunk()?);
    if size < 8 { None } else { records.split_at_checked(size.into()) }
}

/// Whether a record that the kernel wrote is kept until it can be passed on.
#[inline]
pub(crate) fn is_of_use(kind: u32) -> bool {
    matches!(
        kind,
        kinds::SAMPLE
            | kinds::MMAP
            | kinds::MMAP2
            | kinds::COMM
            | kinds::FORK
            | kinds::EXIT
            | kinds::KSYMBOL
            | kinds::CGROUP
            | kinds::LOST
            | kinds::LOST_SAMPLES
            | kinds::CALLCHAIN_DEFERRED
    )
}

/// Parses a record that is not a sample; `Ok(None)` if it is not needed here.
///
/// # Errors
///
/// If it is too short for its kind.
pub(crate) fn parse(record: &[u8]) -> Result<Option<Record<'_>>, TooShort> {
    let (kind, flags, body) = split(record);
    let bytes = Bytes(body);
    let record = match kind {
        kinds::MMAP => map(flags, bytes),
        kinds::MMAP2 => map2(flags, bytes),
        kinds::KSYMBOL => kernel_symbol(bytes),
        kinds::COMM => comm(bytes),
        kinds::CGROUP => cgroup(bytes),
        kinds::FORK => fork(bytes),
        kinds::EXIT => exit(bytes),
        _ => return Ok(None),
    };
    match record {
        // A guest is another machine, so its maps are left out.
        Some(Record::Map(_)) if is_of_guest(flags) => Ok(None),
        record => record.map(Some).ok_or(TooShort),
    }
}

/// A record is too short for its kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct TooShort;

fn is_of_guest(flags: u16) -> bool {
    matches!(CpuMode::of(flags), CpuMode::GuestKernel | CpuMode::GuestUser)
}

fn map(flags: u16, mut body: Bytes<'_>) -> Option<Record<'_>> {
    let (pid, _tid) = (body.u32()?, body.u32()?);
    Some(Record::Map(MapRecord {
        pid,
        start: body.u64()?,
        length: body.u64()?,
        offset: body.u64()?,
        path: body.string(),
        build_id: None,
        file: None,
        is_code: flags & flags::MMAP_DATA == 0,
        is_kernel: CpuMode::of(flags) == CpuMode::Kernel,
    }))
}

fn map2(flags: u16, mut body: Bytes<'_>) -> Option<Record<'_>> {
    const PROT_EXEC: u32 = 4;
    let (pid, _tid) = (body.u32()?, body.u32()?);
    let (start, length, offset) = (body.u64()?, body.u64()?, body.u64()?);
    // The device and the inode of the file, or its build-id.
    let identity = body.take(24)?;
    let (protection, _flags) = (body.u32()?, body.u32()?);
    let (build_id, file) = if flags & flags::MMAP_BUILD_ID != 0 {
        (identity[4..].get(..identity[0].into()).filter(|id| !id.is_empty()), None)
    } else {
        (None, file_id(Bytes(identity)))
    };
    let is_kernel = CpuMode::of(flags) == CpuMode::Kernel;
    // With `--buildid-mmap`, perf writes `---p` for the kernel.
    let is_code = protection & PROT_EXEC != 0 || is_kernel;
    let path = body.string();
    let map = MapRecord { pid, start, length, offset, path, build_id, file, is_code, is_kernel };
    Some(Record::Map(map))
}

/// A file's identity; memory without a file has no inode.
fn file_id(mut bytes: Bytes<'_>) -> Option<FileId> {
    let device = (bytes.u32()?, bytes.u32()?);
    let inode = bytes.u64().filter(|inode| *inode != 0)?;
    Some(FileId { device, inode })
}

/// Code that the kernel was given to run, a program of BPF: `bpf_prog_6deef7357e7b4530_filter`.
fn kernel_symbol(mut body: Bytes<'_>) -> Option<Record<'_>> {
    let (start, length) = (body.u64()?, body.u32()?.into());
    // Its kind, and flags, which say whether it was removed: that does not matter until something
    // else is there.
    body.u32()?;
    let path = body.string();
    let (pid, offset, build_id, file) = (MapRecord::KERNEL, 0, None, None);
    let (is_code, is_kernel) = (true, true);
    let map = MapRecord { pid, start, length, offset, path, build_id, file, is_code, is_kernel };
    Some(Record::Map(map))
}

fn comm(mut body: Bytes<'_>) -> Option<Record<'_>> {
    Some(Record::Comm { pid: body.u32()?, tid: body.u32()?, name: body.string(), time: None })
}

fn cgroup(mut body: Bytes<'_>) -> Option<Record<'_>> {
    Some(Record::Cgroup { id: body.u64()?, path: body.string() })
}

fn fork(mut body: Bytes<'_>) -> Option<Record<'_>> {
    let (pid, parent_pid) = (body.u32()?, body.u32()?);
    let (tid, parent_tid) = (body.u32()?, body.u32()?);
    Some(Record::Fork { pid, parent_pid, tid, parent_tid, time: None })
}

fn exit(mut body: Bytes<'_>) -> Option<Record<'_>> {
    let (pid, _parent_pid, tid) = (body.u32()?, body.u32()?, body.u32()?);
    Some(Record::Exit { pid, tid, time: None })
}

/// Whether a record has this time, and not that perf made it when recording began.
pub(crate) fn is_time(time: &u64) -> bool {
    !matches!(*time, 0 | u64::MAX)
}

/// Parses a record of a build-id. Its kind may be missing: perf once forgot to write it.
pub(crate) fn build_id(record: &[u8]) -> Option<Record<'_>> {
    const USUAL_SIZE: usize = 20;
    let (_, flags, body) = split(record);
    let mut body = Bytes(body);
    let _pid = body.u32()?;
    let field = body.take(24)?;
    let has_size = flags & flags::BUILD_ID_SIZE != 0;
    let size = if has_size { usize::from(field[USUAL_SIZE]) } else { USUAL_SIZE };
    Some(Record::BuildId { path: body.string(), id: &field[..size.min(USUAL_SIZE)] })
}
