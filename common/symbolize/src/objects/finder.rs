//! Finds the files of a recording on this machine.

use std::io;
use std::path::{Path, PathBuf};

use bstr::ByteSlice;
use memchr::memrchr;

use super::elf::Elf;
use super::options::{Artifact, Options};
use crate::below::below_root;

/// The folder in which distributions put the debug information of their packages.
const DEBUG_DIR: &str = "/usr/lib/debug";

/// The folders in which files are looked for.
#[derive(Clone, Debug)]
pub(super) struct Finder {
    pub(super) options: Options,
    debug_dirs: Vec<PathBuf>,
    /// The folder in which `perf record` keeps copies of recorded files.
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

    /// Whether the recording is from this machine.
    pub(super) fn is_of_this_machine(&self) -> bool {
        self.options.root.is_none()
    }

    /// Reads or maps a file.
    ///
    /// # Errors
    ///
    /// What the system says.
    pub(super) fn open(&self, file: &Path) -> io::Result<&'static [u8]> {
        (self.options.open)(file)
    }

    /// Where the file is that was at `path` on the recorded machine.
    pub(super) fn file(&self, path: &[u8]) -> PathBuf {
        match &self.options.root {
            Some(root) => below_root(root, path),
            None => path.to_path_lossy().into_owned(),
        }
    }

    /// The copy that perf kept for this build-id: `elf`, `debug`, `vdso` or `kallsyms`.
    pub(super) fn cached(&self, build_id: &[u8], what: &str) -> Option<PathBuf> {
        let (first, rest) = hex(build_id)?;
        Some(self.cache.as_ref()?.join(".build-id").join(first).join(rest).join(what))
    }

    /// The files that may have the symbols or the debug information of the
    /// executable `elf` at `path`, in the order in which perf looks for them.
    pub(super) fn debug_files(&self, path: &[u8], elf: &Elf) -> Vec<PathBuf> {
        let mut files = Vec::new();
        if let Some(link) = elf.debug_link {
            // Only the file's name is used, so that a link leads into no other folder.
            let name = file_name(link.name);
            let debug = beside(path, name);
            files.push(self.file(&debug));
            files.push(self.file(&beside(path, &[b".debug/", name].concat())));
            files.extend(self.debug_dirs.iter().map(|dir| below_root(dir, &debug)));
        }
        let Some(build_id) = elf.build_id else { return files };
        files.extend(self.debug_files_of_build(build_id));
        files
    }

    /// The debug files of the program with this build-id: in the folders of debug files, in perf's
    /// cache, and in debuginfod's.
    pub(super) fn debug_files_of_build(&self, build_id: &[u8]) -> Vec<PathBuf> {
        let mut files = Vec::new();
        if let Some((first, rest)) = hex(build_id) {
            let file = Path::new(".build-id").join(first).join(format!("{rest}.debug"));
            files.extend(self.debug_dirs.iter().map(|dir| dir.join(&file)));
        }
        files.extend(self.cached(build_id, "elf"));
        files.extend(self.cached(build_id, "debug"));
        files.extend(self.downloaded(build_id, Artifact::DebugInfo));
        files
    }

    /// Other files that may be the program with this build-id: in perf's cache, in debuginfod's,
    /// and Fedora's links in the folders of debug files.
    pub(super) fn executables_of_build(&self, build_id: &[u8]) -> Vec<PathBuf> {
        let mut files = Vec::new();
        files.extend(self.cached(build_id, "elf"));
        if let Some((first, rest)) = hex(build_id) {
            let file = Path::new(".build-id").join(first).join(rest);
            files.extend(self.debug_dirs.iter().map(|dir| dir.join(&file)));
        }
        files.extend(self.downloaded(build_id, Artifact::Executable));
        files
    }

    /// The files that debuginfod's client has downloaded before.
    fn downloaded(&self, build_id: &[u8], what: Artifact) -> impl Iterator<Item = PathBuf> {
        let folder = hex(build_id).map(|(first, rest)| format!("{first}{rest}"));
        folder.into_iter().flat_map(move |folder| {
            let caches = &self.options.debuginfod_caches;
            caches.iter().map(move |cache| cache.join(&folder).join(what.name()))
        })
    }

    /// The files that may have the split debug information of all units of the program at `path`.
    pub(super) fn packages(&self, path: &[u8]) -> Vec<PathBuf> {
        let name = file_name(path);
        let mut files = vec![with_suffix(self.file(path), ".dwp")];
        for dir in &self.debug_dirs {
            files.push(with_suffix(below_root(dir, path), ".dwp"));
            files.push(with_suffix(below_root(dir, path), ".debug.dwp"));
            files.push(with_suffix(below_root(dir, name), ".dwp"));
        }
        files
    }

    /// The files that may have the split debug information of a unit. The compiler ran in `folder`
    /// and wrote it to `name`; it may be there, beside the program at `path`, or in the folders of
    /// debug files.
    pub(super) fn split_files(&self, path: &[u8], folder: &[u8], name: &[u8]) -> Vec<PathBuf> {
        let whole = match folder {
            b"" => name.to_vec(),
            folder => beside(&[folder, b"/"].concat(), name),
        };
        let base = file_name(name);
        let beside_program = [base, name].map(|name| self.file(&beside(path, name)));
        let mut files = vec![self.file(&whole)];
        files.extend(beside_program);
        for dir in &self.debug_dirs {
            files.extend([below_root(dir, &whole), below_root(dir, base)]);
        }
        files
    }

    /// The files with the debug information of a program of macOS: `app.dSYM` beside it, beside
    /// the bundle that it is in, or in the folders of debug files.
    pub(super) fn dsym_files(&self, path: &[u8]) -> Vec<PathBuf> {
        let name = file_name(path);
        let within = Path::new("Contents/Resources/DWARF").join(name.to_path_lossy());
        let program = self.file(path);
        let bundles = program.ancestors().skip(1).filter(|dir| dir.extension().is_some());
        let beside = std::iter::once(&*program).chain(bundles);
        let mut folders: Vec<PathBuf> =
            beside.map(|path| with_suffix(path.to_owned(), ".dSYM")).collect();
        for dir in &self.debug_dirs {
            folders.push(with_suffix(below_root(dir, path), ".dSYM"));
            folders.push(with_suffix(below_root(dir, name), ".dSYM"));
        }
        folders.iter().map(|folder| folder.join(&within)).collect()
    }

    /// Downloads a file, if the caller of the library allows that.
    pub(super) fn fetch(&self, build_id: &[u8], what: Artifact, path: &[u8]) -> Option<PathBuf> {
        self.options.fetch.as_ref()?.fetch(build_id, what, path)
    }

    /// The files that may have the debug information that the executable at `path` shares with
    /// others. Its debug file names that file with `link`: `../../.dwz/coreutils.debug`, or
    /// `/usr/lib/debug/.dwz/x86_64-linux-gnu/coreutils.debug`.
    pub(super) fn shared_files(&self, path: &[u8], link: &[u8], build_id: &[u8]) -> Vec<PathBuf> {
        let mut files = self.linked_files(path, link);
        files.extend(self.debug_files_of_build(build_id));
        files
    }

    fn linked_files(&self, path: &[u8], link: &[u8]) -> Vec<PathBuf> {
        if link.starts_with(b"/") {
            let debug_dir = [DEBUG_DIR.as_bytes(), b"/"].concat();
            let below = link.strip_prefix(&debug_dir[..]).unwrap_or(link);
            let files = self.debug_dirs.iter().map(|dir| below_root(dir, below));
            return [self.file(link)].into_iter().chain(files).collect();
        }
        // The link is relative to the debug file, which is below one of the folders of debug files.
        let files = self.debug_dirs.iter().map(|dir| below_root(dir, link));
        [self.file(&beside(path, link))].into_iter().chain(files).collect()
    }
}

/// The last part of a path.
fn file_name(path: &[u8]) -> &[u8] {
    memrchr(b'/', path).map_or(path, |slash| &path[slash + 1..])
}

/// The path of what is called `name` in the folder of `path`.
fn beside(path: &[u8], name: &[u8]) -> Vec<u8> {
    let folder = &path[..path.len() - file_name(path).len()];
    if name.starts_with(b"/") { name.to_vec() } else { [folder, name].concat() }
}

/// The path with something after its name.
fn with_suffix(path: PathBuf, suffix: &str) -> PathBuf {
    let mut path = path.into_os_string();
    path.push(suffix);
    path.into()
}

/// `1d` and `8f2556…` of a build-id, as they are in paths.
fn hex(build_id: &[u8]) -> Option<(String, String)> {
    let (first, rest) = build_id.split_first()?;
    let rest = rest.iter().map(|byte| format!("{byte:02x}")).collect();
    Some((format!("{first:02x}"), rest))
}
