//! Where the files of a recording are on this machine.

use std::io;
use std::path::{Component, Path, PathBuf};

use bstr::ByteSlice;
use memchr::memrchr;

use super::elf::Elf;
use super::options::Options;

/// Where distributions put the debug information of their packages.
const DEBUG_DIR: &str = "/usr/lib/debug";

/// The folders in which files are looked for.
#[derive(Clone, Debug)]
pub(super) struct Finder {
    pub(super) options: Options,
    debug_dirs: Vec<PathBuf>,
    /// What `perf record` keeps of the files that it met.
    cache: Option<PathBuf>,
}

impl Finder {
    pub(super) fn new(options: Options) -> Finder {
        let mut finder = Finder { debug_dirs: options.debug_dirs.clone(), cache: None, options };
        finder.debug_dirs.push(finder.file(DEBUG_DIR.as_bytes()));
        let home = finder.options.home.as_ref().filter(|home| !home.as_os_str().is_empty());
        finder.cache =
            home.map(|home| finder.file(home.as_os_str().as_encoded_bytes()).join(".debug"));
        finder
    }

    /// Whether the recording is of this machine.
    pub(super) fn is_of_this_machine(&self) -> bool {
        self.options.root.is_none()
    }

    /// Brings a file into memory.
    ///
    /// # Errors
    ///
    /// What the system says.
    pub(super) fn open(&self, file: &Path) -> io::Result<&'static [u8]> {
        (self.options.open)(file)
    }

    /// The file that was at `path` where the recording was made.
    pub(super) fn file(&self, path: &[u8]) -> PathBuf {
        let path = path.to_path_lossy();
        match &self.options.root {
            Some(root) => root.join(path.strip_prefix("/").unwrap_or(&path)),
            None => path.into_owned(),
        }
    }

    /// What perf kept of the file with this build-id: `elf`, `debug`, `vdso`,
    /// `kallsyms`.
    pub(super) fn cached(&self, build_id: &[u8], what: &str) -> Option<PathBuf> {
        let (first, rest) = hex(build_id)?;
        Some(self.cache.as_ref()?.join(".build-id").join(first).join(rest).join(what))
    }

    /// The files that may have the symbols or the debug information of the
    /// executable `elf` at `path`, in the order in which perf looks for them.
    pub(super) fn debug_files(&self, path: &[u8], elf: &Elf) -> Vec<PathBuf> {
        let mut files = Vec::new();
        if let Some(link) = elf.debug_link {
            // Only the file's name: a link leads nowhere else.
            let name = memrchr(b'/', link.name).map_or(link.name, |at| &link.name[at + 1..]);
            let name = name.to_path_lossy();
            let folder = memrchr(b'/', path).map_or(&b""[..], |slash| &path[..slash]);
            files.push(self.file(folder).join(&name));
            files.push(self.file(folder).join(".debug").join(&name));
            let below = folder.strip_prefix(b"/").unwrap_or(folder).to_path_lossy();
            files.extend(self.debug_dirs.iter().map(|dir| dir.join(&below).join(&name)));
        }
        let Some(build_id) = elf.build_id else { return files };
        files.extend(self.cached(build_id, "elf"));
        files.extend(self.cached(build_id, "debug"));
        if let Some((first, rest)) = hex(build_id) {
            let file = Path::new(".build-id").join(first).join(format!("{rest}.debug"));
            files.extend(self.debug_dirs.iter().map(|dir| dir.join(&file)));
        }
        files
    }

    /// Where the debug information may be that the executable at `path` shares with
    /// others, in a file that its own calls `link`: `../../.dwz/coreutils.debug`, or
    /// `/usr/lib/debug/.dwz/x86_64-linux-gnu/coreutils.debug`.
    pub(super) fn shared_files(&self, path: &[u8], link: &[u8]) -> Vec<PathBuf> {
        let file = self.file(link);
        let link = link.to_path_lossy();
        if let Ok(below) = link.strip_prefix("/") {
            let below = below.strip_prefix(&DEBUG_DIR[1..]).unwrap_or(below);
            return [file]
                .into_iter()
                .chain(self.debug_dirs.iter().map(|dir| dir.join(below)))
                .collect();
        }
        // It is relative to the debug file, which is somewhere in a folder of those.
        let is_up = |part: &Component<'_>| *part == Component::ParentDir;
        let below: PathBuf = link.components().skip_while(is_up).collect();
        let folder = memrchr(b'/', path).map_or(&b""[..], |slash| &path[..slash]);
        let beside = self.file(folder).join(link);
        [beside].into_iter().chain(self.debug_dirs.iter().map(|dir| dir.join(&below))).collect()
    }
}

/// `1d` and `8f2556…` of a build-id, as they are in paths.
fn hex(build_id: &[u8]) -> Option<(String, String)> {
    let (first, rest) = build_id.split_first()?;
    let rest = rest.iter().map(|byte| format!("{byte:02x}")).collect();
    Some((format!("{first:02x}"), rest))
}
