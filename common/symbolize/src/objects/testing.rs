//! Executables for tests, made by the system's compiler.

use std::path::{Path, PathBuf};
use std::process::Command;

use tempfile::TempDir;

/// A folder with a library of assembled code.
pub(super) struct Library {
    pub(super) folder: TempDir,
}

impl Library {
    /// Links `source` as `lib.so`, with further `options` of the compiler.
    pub(super) fn new(source: &str, options: &[&str]) -> Library {
        let library = Library { folder: TempDir::new().expect("a writable temporary folder") };
        std::fs::write(library.path("lib.s"), source).expect("a writable folder");
        let shared = ["-shared", "-nostdlib", "-o", "lib.so", "lib.s"];
        library.run("cc", &[&shared, options].concat());
        library
    }

    /// A file in the folder.
    pub(super) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Runs a program in the folder.
    pub(super) fn run(&self, program: &str, arguments: &[&str]) {
        let run = Command::new(program).args(arguments).current_dir(&self.folder).output();
        let output = run.unwrap_or_else(|error| panic!("{program}: {error}"));
        assert!(output.status.success(), "{program} {arguments:?}: {output:?}");
    }

    /// The contents of the library.
    pub(super) fn bytes(&self) -> &'static [u8] {
        read(&self.path("lib.so"))
    }
}

/// The contents of a file, for the whole test run.
pub(super) fn read(file: &Path) -> &'static [u8] {
    std::fs::read(file).unwrap_or_else(|error| panic!("{}: {error}", file.display())).leak()
}

/// A file of `testdata`.
pub(super) fn test_data(name: &str) -> PathBuf {
    [env!("CARGO_MANIFEST_DIR"), "testdata", name].iter().collect()
}
