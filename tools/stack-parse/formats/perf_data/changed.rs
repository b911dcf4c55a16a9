//! Files that are not those that ran, though nothing in them shows it.
//!
//! Proof is a build-id in the record of a mapping (`perf record --buildid-mmap`). The build-ids
//! that perf lists in its header are none: perf reads them after the run, from whatever is at the
//! paths then. A program that ran in a container or a chroot, or whose file was replaced, gets the
//! build-id of another one.
//!
//! The recording has the device and the inode of each file (`PERF_RECORD_MMAP2`). A later file may
//! get the inode of an earlier one, so its time of change counts as well. The device is the one in
//! /proc/self/mountinfo; `stat` has another one on btrfs. On overlay file systems neither device
//! nor inode need be those of the mount.

use std::collections::BTreeMap;
use std::fs::{self, Metadata};
use std::path::Path;
use std::time::{Duration, SystemTime};

use bstr::ByteSlice;
use stack_perf_data::{FileId, MapRecord};
use symbolize::{CodeOrigin, ObjectId, Objects};

use super::listed_files::listed;

/// The device and inode of each file in the recording, and when and where it was made.
pub(super) struct RecordedFiles {
    ids: BTreeMap<ObjectId, FileId>,
    /// When the recording was written: at its end, or now if it comes through a pipe.
    written: SystemTime,
    is_file: bool,
    /// The times of the first and the last sample, in nanoseconds.
    span: Option<(u64, u64)>,
    /// Whether it says that it is from another machine.
    is_from_elsewhere: bool,
}

/// Why a file is not the one that ran.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Change {
    /// It was written after the recording began.
    Rewritten,
    /// It is another file at the same path.
    Another,
}

impl RecordedFiles {
    /// `written` is when the recording was last written, if it is a file.
    pub(super) fn new(written: Option<SystemTime>) -> RecordedFiles {
        let is_file = written.is_some();
        let written = written.unwrap_or_else(SystemTime::now);
        let (ids, span, is_from_elsewhere) = Default::default();
        RecordedFiles { ids, written, is_file, span, is_from_elsewhere }
    }

    /// Notes the name of the recorded machine.
    pub(super) fn note_host(&mut self, name: &[u8]) {
        let ours = fs::read("/proc/sys/kernel/hostname");
        self.is_from_elsewhere = ours.is_ok_and(|ours| ours.trim_ascii_end() != name);
    }

    /// Notes the file that a map record gives for an object.
    pub(super) fn note(&mut self, object: ObjectId, map: &MapRecord<'_>) {
        if let Some(file) = map.file {
            self.ids.entry(object).or_insert(file);
        }
    }

    /// Notes the time of a sample, in nanoseconds.
    pub(super) fn note_time(&mut self, time: Option<u64>) {
        if let Some(time) = time {
            let (first, last) = self.span.unwrap_or((time, time));
            self.span = Some((first.min(time), last.max(time)));
        }
    }

    /// Those of these objects whose names come from other files than those that ran.
    pub(super) fn changed(
        &self,
        used: impl Iterator<Item = ObjectId>,
        objects: &Objects,
    ) -> BTreeMap<ObjectId, Change> {
        let mounts = fs::read("/proc/self/mountinfo").unwrap_or_default();
        let start = self.start();
        // Files of a JIT grow while they are recorded.
        let is_file =
            |object| objects.origin(object) == CodeOrigin::File && objects.is_at_path(object);
        // The files of another machine have other inodes; those with the listed build-id are the
        // best that there are.
        let is_likely = |object| self.is_from_elsewhere && objects.build_id(object).is_some();
        used.filter(|&object| is_file(object) && !objects.has_proof(object) && !is_likely(object))
            .filter_map(|object| {
                let path = objects.path(object).to_path_lossy();
                let now = fs::metadata(&path).ok()?;
                let recorded = *self.ids.get(&object)?;
                let is_another = || is_another(recorded, &path, &now, &mounts);
                let change = if is_changed(&now, start) {
                    Some(Change::Rewritten)
                } else {
                    is_another().then_some(Change::Another)
                };
                Some((object, change?))
            })
            .collect()
    }

    /// The latest possible start of the recording. A copy has a later time than the recording
    /// itself, so this may be too late.
    fn start(&self) -> SystemTime {
        let (first, last) = self.span.filter(|_| self.is_file).unwrap_or_default();
        let span = Duration::from_nanos(last.saturating_sub(first));
        self.written.checked_sub(span).unwrap_or(self.written)
    }
}

fn is_changed(now: &Metadata, start: SystemTime) -> bool {
    now.modified().is_ok_and(|modified| modified > start)
}

/// Whether the file at `path` is not the recorded one, by its device and inode.
fn is_another(recorded: FileId, path: &Path, now: &Metadata, mounts: &[u8]) -> bool {
    let Ok(path) = path.canonicalize() else { return false };
    let Some(mount) = Mount::of(&path, mounts) else { return false };
    let is_same = mount.device == recorded.device && has_inode(now, recorded.inode);
    mount.kind != b"overlay" && !is_same
}

#[cfg(unix)]
fn has_inode(file: &Metadata, inode: u64) -> bool {
    std::os::unix::fs::MetadataExt::ino(file) == inode
}

/// Other systems have no list of mounts either.
#[cfg(not(unix))]
fn has_inode(_: &Metadata, _: u64) -> bool {
    true
}

/// A line of /proc/self/mountinfo.
///
/// ```text
/// 36 35 98:0 /root /mnt/a\040b rw,noatime master:1 - ext4 /dev/sda rw
/// ```
#[derive(Debug, PartialEq, Eq)]
struct Mount<'a> {
    point: Vec<u8>,
    device: (u32, u32),
    kind: &'a [u8],
}

impl<'a> Mount<'a> {
    /// The mount that `path` is on, the last one where several are at the same point.
    fn of(path: &Path, mounts: &'a [u8]) -> Option<Mount<'a>> {
        let mounts = mounts.lines().filter_map(Mount::parse);
        let holds = |mount: &Mount<'_>| path.starts_with(mount.point.to_path_lossy());
        mounts.filter(holds).max_by_key(|mount| mount.point.len())
    }

    fn parse(line: &'a [u8]) -> Option<Mount<'a>> {
        let (fields, rest) = line.split_once_str(" - ")?;
        let mut fields = fields.split_str(" ").skip(2);
        let device = fields.next()?.to_str().ok()?;
        let (major, minor) = device.split_once(':')?;
        let device = (major.parse().ok()?, minor.parse().ok()?);
        let point = unescaped(fields.nth(1)?);
        Some(Mount { point, device, kind: rest.split_str(" ").next()? })
    }
}

/// `\040` is a space; tabs, line feeds and backslashes are escaped like this, too.
fn unescaped(path: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(path.len());
    let mut rest = path;
    while let Some((&first, after)) = rest.split_first() {
        let octal = after
            .get(..3)
            .filter(|_| first == b'\\')
            .and_then(|digits| u8::from_str_radix(digits.to_str().ok()?, 8).ok());
        bytes.push(octal.unwrap_or(first));
        rest = if octal.is_some() { &after[3..] } else { after };
    }
    bytes
}

/// The messages about files that are not those that ran, one for each way out.
pub(super) fn messages(changed: &BTreeMap<ObjectId, Change>, objects: &Objects) -> Vec<String> {
    let of = |wanted: Change| {
        let files = changed.iter().filter(|(_, change)| **change == wanted);
        named(files.map(|(object, _)| *object), objects)
    };
    let message = |(change, remedy): (Change, &str)| {
        let files = of(change);
        let (are, their) =
            if files.len() > 1 { ("are other files", "their") } else { ("is another file", "its") };
        let listed = listed(files.into_iter());
        (!listed.is_empty()).then(|| {
            format!(
                "{listed} {are} than when it was recorded, so {their} names may be wrong: {remedy}"
            )
        })
    };
    [
        (
            Change::Rewritten,
            "record again, or use --symfs DIR, where DIR has the recorded file at this path",
        ),
        (
            Change::Another,
            "use --symfs DIR, where DIR is the root of its container or chroot (/proc/PID/root \
             while that runs), or has the recorded file at this path",
        ),
    ]
    .into_iter()
    .filter_map(message)
    .collect()
}

/// The message about files below the folder of --symfs that perf's list contradicts.
pub(super) fn against_list(
    used: impl Iterator<Item = ObjectId>,
    objects: &Objects,
) -> Option<String> {
    let files = named(used.filter(|&object| objects.is_against_list(object)), objects);
    let whose = if files.len() > 1 { "those" } else { "that" };
    (!files.is_empty()).then(|| {
        format!(
            "{}: the recording lists another build-id, {whose} of what was at this path after the \
             run; the names are those of --symfs",
            listed(files.into_iter())
        )
    })
}

/// The paths of these objects, each once.
fn named(objects_of: impl Iterator<Item = ObjectId>, objects: &Objects) -> Vec<String> {
    let mut paths: Vec<_> =
        objects_of.map(|object| objects.path(object).as_bstr().to_string()).collect();
    paths.sort_unstable();
    paths.dedup();
    paths
}

#[cfg(test)]
mod tests {
    use super::*;
    #[cfg(unix)]
    use std::os::unix::fs::MetadataExt;

    const MOUNTS: &[u8] = b"\
        22 1 254:0 / / rw,relatime - ext4 /dev/vda rw\n\
        30 22 0:25 /sub /mnt/a\\040b rw shared:1 master:2 - btrfs /dev/vdb rw\n\
        31 22 0:40 / /over rw - overlay overlay rw,lowerdir=/x\n";

    #[test]
    fn a_path_is_on_the_longest_mount_that_holds_it() {
        let device = |path: &str| Mount::of(Path::new(path), MOUNTS).map(|it| it.device);
        assert_eq!(device("/usr/bin/app"), Some((254, 0)));
        assert_eq!(device("/mnt/a b/app"), Some((0, 25)));
        assert_eq!(device("/mnt/a bc"), Some((254, 0)));
        assert_eq!(Mount::of(Path::new("/x"), b"damaged\n1 2 x:0 / / - a b"), None);
    }

    #[cfg(unix)]
    #[test]
    fn device_and_number_make_a_file_but_on_overlays() {
        let path = std::env::current_exe().expect("this program");
        let now = fs::metadata(&path).expect("it is there");
        let recorded = |device, inode| FileId { device, inode };
        let on = |kind: &str| format!("1 0 254:0 / / rw - {kind} /dev/vda rw").into_bytes();
        for (file, kind, expected) in [
            (recorded((254, 0), now.ino()), "ext4", false),
            (recorded((254, 0), now.ino() + 1), "ext4", true),
            (recorded((254, 1), now.ino()), "ext4", true),
            (recorded((254, 1), now.ino() + 1), "overlay", false),
        ] {
            assert_eq!(is_another(file, &path, &now, &on(kind)), expected, "{file:?} {kind}");
        }
        let after = now.modified().expect("a time") + Duration::from_nanos(1);
        assert!(!is_changed(&now, after));
        assert!(is_changed(&now, after - Duration::from_secs(1)));
    }

    #[test]
    fn a_recording_began_before_it_was_written() {
        let end = SystemTime::UNIX_EPOCH + Duration::from_secs(100);
        let mut files = RecordedFiles::new(Some(end));
        assert_eq!(files.start(), end);
        for time in [Some(7_000_000_000), None, Some(9_000_000_000)] {
            files.note_time(time);
        }
        assert_eq!(files.start(), end - Duration::from_secs(2));
    }
}
