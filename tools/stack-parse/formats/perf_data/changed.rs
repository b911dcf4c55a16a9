//! Files that changed since they were recorded, though no build-id shows it: `perf record -o -`
//! records none, and programs are built anew while they run.
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
use symbolize::{ObjectId, Objects};

use super::listed_files::listed;

/// The device and inode of each file in the recording, and when it was made.
pub(super) struct RecordedFiles {
    ids: BTreeMap<ObjectId, FileId>,
    /// When the recording was written: at its end, or now if it comes through a pipe.
    written: SystemTime,
    is_file: bool,
    /// The times of the first and the last sample, in nanoseconds.
    span: Option<(u64, u64)>,
}

impl RecordedFiles {
    /// `written` is when the recording was last written, if it is a file.
    pub(super) fn new(written: Option<SystemTime>) -> RecordedFiles {
        let is_file = written.is_some();
        let written = written.unwrap_or_else(SystemTime::now);
        RecordedFiles { ids: BTreeMap::new(), written, is_file, span: None }
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

    /// The message about those of these objects whose files have changed, if any have.
    pub(super) fn report(
        &self,
        used: impl Iterator<Item = ObjectId>,
        objects: &Objects,
    ) -> Option<String> {
        let mounts = fs::read("/proc/self/mountinfo").unwrap_or_default();
        let start = self.start();
        let mut changed: Vec<&[u8]> = used
            .filter(|&object| objects.build_id(object).is_none())
            .filter_map(|object| Some((objects.path(object), self.ids.get(&object)?)))
            .filter(|(path, recorded)| {
                let path = path.to_path_lossy();
                fs::metadata(&path).is_ok_and(|now| {
                    is_changed(&now, start) || is_another(**recorded, &path, &now, &mounts)
                })
            })
            .map(|(path, _)| path)
            .collect();
        changed.sort_unstable();
        changed.dedup();
        (!changed.is_empty()).then(|| message(&changed))
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

fn message(changed: &[&[u8]]) -> String {
    let (is, its) =
        if changed.len() > 1 { ("are other files", "their") } else { ("is another file", "its") };
    format!(
        "{} {is} than when it was recorded, so {its} names may be wrong: run \
         stack-parse before the program is built again, or record with 'perf record --buildid-mmap'",
        listed(changed.iter().map(|path| path.as_bstr().to_string()))
    )
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
