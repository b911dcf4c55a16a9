//! Files in memory: thousands of inputs for the tools without using the disk.

#[cfg(target_os = "linux")]
use std::fs::File;
#[cfg(target_os = "linux")]
use std::io::Write;
#[cfg(target_os = "linux")]
use std::os::fd::AsRawFd;

#[cfg(target_os = "linux")]
use nix::sys::memfd::{MFdFlags, memfd_create};

/// On other systems the file is on the disk until it is dropped.
#[cfg(not(target_os = "linux"))]
pub(crate) use crate::util::TempFile as MemoryFile;

/// A file that other processes can open and map like any other, until it is dropped. It uses a file
/// descriptor of this process.
#[cfg(target_os = "linux")]
pub(crate) struct MemoryFile {
    path: String,
    _file: File,
}

#[cfg(target_os = "linux")]
impl MemoryFile {
    pub(crate) fn new(bytes: impl AsRef<[u8]>) -> MemoryFile {
        let file = memfd_create("test", MFdFlags::MFD_CLOEXEC).expect("a file in memory");
        let mut file = File::from(file);
        file.write_all(bytes.as_ref()).expect("memory");
        let path = format!("/proc/{}/fd/{}", std::process::id(), file.as_raw_fd());
        MemoryFile { path, _file: file }
    }

    pub(crate) fn path(&self) -> &str {
        &self.path
    }
}
