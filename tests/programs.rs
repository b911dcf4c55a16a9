//! Programs that the tests build and record: OCaml's with Debian's compiler, and one whose frame
//! tables are those of a later version.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::LazyLock;
use std::sync::atomic::{AtomicU32, Ordering};

/// The words after `perf` to record a program, which it would let wait a second while it looks for
/// programs of BPF.
pub(crate) const RECORD: [&str; 3] = ["record", "-q", "--no-bpf-event"];

/// An Lwt program: `-package lwt.unix`.
pub(crate) static LWTSIM: LazyLock<PathBuf> =
    LazyLock::new(|| ocamlfind("lwtsim", &["lwtsim.ml"], &LWT));

/// An Lwt program with several units, which the recipes record.
pub(crate) static APP: LazyLock<PathBuf> =
    LazyLock::new(|| ocamlfind("app", &["app/db.ml", "app/server.ml", "app/app.ml"], &LWT));

const LWT: [&str; 3] = ["-thread", "-package", "lwt.unix"];

/// A program that prints its own backtrace, with many inlined functions.
pub(crate) static BACKTRACE: LazyLock<PathBuf> =
    LazyLock::new(|| ocamlfind("backtrace", &["backtrace.ml"], &["-inline", "100"]));

/// Functions of each form whose name no symbol shows.
pub(crate) static SHAPES: LazyLock<PathBuf> =
    LazyLock::new(|| ocamlfind("shapes", &["shapes.ml"], &["-inline", "100"]));

/// Functions that can be identified only by the lines around them.
pub(crate) static PLACES: LazyLock<PathBuf> =
    LazyLock::new(|| ocamlfind("places", &["places.ml"], &[]));

/// A pack `Irmin` with a unit `Inode`, and a unit `Inode` outside of it.
pub(crate) static PACK: LazyLock<PathBuf> = LazyLock::new(|| {
    let folder = fresh_folder("pack");
    let packed = folder.join("packed");
    copy("pack/inode.ml", &packed.join("inode.ml"));
    ocamlopt(&["-for-pack", "Irmin", "-c", "inode.ml"], &packed);
    ocamlopt(&["-pack", "-o", "irmin.cmx", "inode.cmx"], &packed);
    // The unit outside must not see the one inside.
    fs::remove_file(packed.join("inode.cmi")).expect("it was compiled");
    copy("pack/inode.ml", &folder.join("inode.ml"));
    copy("pack/main.ml", &folder.join("main.ml"));
    let units = ["inode.ml", "packed/irmin.cmx", "main.ml"];
    ocamlopt(&[&["-I", "packed", "-o", "pack"][..], &units].concat(), &folder);
    folder.join("pack")
});

/// A program and a unit `Plugin` that it loads.
pub(crate) static HOST: LazyLock<PathBuf> = LazyLock::new(|| {
    let folder = fresh_folder("plugin");
    copy("plugin/plugin.ml", &folder.join("plugin.ml"));
    copy("plugin/host.ml", &folder.join("host.ml"));
    ocamlopt(&["-shared", "-o", "plugin.cmxs", "plugin.ml"], &folder);
    ocamlopt(&["-package", "dynlink", "-linkpkg", "-o", "host", "host.ml"], &folder);
    folder.join("host")
});

/// A program whose unit `Bare` was compiled without `-g`.
pub(crate) static BARE: LazyLock<PathBuf> = LazyLock::new(|| {
    let folder = fresh_folder("bare");
    copy("bare/bare.ml", &folder.join("bare.ml"));
    copy("bare/main.ml", &folder.join("main.ml"));
    run(Command::new("ocamlfind").args(["ocamlopt", "-c", "bare.ml"]), &folder);
    ocamlopt(&["-o", "main", "bare.cmx", "main.ml"], &folder);
    folder.join("main")
});

/// The names of the functions in the sources of the programs and of their libraries: see
/// tests/oracle/truth/truth.ml.
pub(crate) static TRUTH: LazyLock<PathBuf> = LazyLock::new(|| {
    let folder = fresh_folder("truth");
    copy("../oracle/truth/functions_4.ml", &folder.join("functions.ml"));
    copy("../oracle/truth/truth.ml", &folder.join("truth.ml"));
    let package = ["-package", "compiler-libs.common", "-linkpkg"];
    ocamlopt(&[&package[..], &["-o", "truth", "functions.ml", "truth.ml"]].concat(), &folder);
    let list = "tests=$1; ./truth $(ocamlfind ocamlc -where)/*.ml $(ocamlfind query lwt)/*.ml \
                $(ocamlfind query lwt)/unix/*.ml $(find $tests -name '*.ml') > truth.tsv";
    let tests = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/ocaml");
    run(Command::new("sh").args(["-c", list, "sh", tests]), &folder);
    folder.join("truth.tsv")
});

/// A program of dune with a wrapped library.
pub(crate) static PACKBENCH: LazyLock<PathBuf> = LazyLock::new(|| {
    let folder = fresh_folder("packbench");
    for name in ["dune-project", "bin/dune", "bin/packbench.ml", "lib/dune"] {
        copy(&format!("packlib/{name}"), &folder.join(name));
    }
    for name in ["lib/codec.ml", "lib/inode.ml"] {
        copy(&format!("packlib/{name}"), &folder.join(name));
    }
    run(Command::new("dune").args(["build", "--root", ".", "./bin/packbench.exe"]), &folder);
    folder.join("_build/default/bin/packbench.exe")
});

/// Frame tables of OCaml 5.2 and DWARF of C, loaded at any address.
pub(crate) static FRAMES: LazyLock<PathBuf> = LazyLock::new(|| frames("-pie"));

/// The program above at a fixed address.
pub(crate) static FRAMES_FIXED: LazyLock<PathBuf> = LazyLock::new(|| frames("-no-pie"));

/// A program that shows the difference between OCaml 5 with and without frame pointers.
pub(crate) static EFFECTS: LazyLock<PathBuf> = LazyLock::new(|| effects("effects", &[]));
pub(crate) static EFFECTS_FP: LazyLock<PathBuf> =
    LazyLock::new(|| effects("effects-fp", &["-Wa,--defsym,FRAME_POINTERS=1"]));

fn effects(name: &str, options: &[&str]) -> PathBuf {
    let folder = fresh_folder(name);
    copy("effects.s", &folder.join("effects.s"));
    run(Command::new("cc").args(options).args(["-o", name, "effects.s"]), &folder);
    folder.join(name)
}

/// Builds the program `name` from these files, which are in the order of their dependencies.
fn ocamlfind(name: &str, sources: &[&str], options: &[&str]) -> PathBuf {
    let folder = fresh_folder(name);
    let mut command = Command::new("ocamlfind");
    command.args(["ocamlopt", "-g"]).args(options).args(["-linkpkg", "-o", name]);
    for source in sources {
        let file = source.rsplit('/').next().unwrap_or(source);
        copy(source, &folder.join(file));
        command.arg(file);
    }
    run(&mut command, &folder);
    folder.join(name)
}

/// Where tests/ocaml/ocaml-5 installs its compiler.
pub(crate) fn ocaml_5_place() -> PathBuf {
    [env!("CARGO_TARGET_TMPDIR"), "..", "ocaml-5.3.0"].iter().collect()
}

/// Builds a program with OCaml 5, if its compiler is installed.
pub(crate) fn ocaml_5(name: &str, sources: &[&str], options: &[&str]) -> Option<PathBuf> {
    let compiler = ocaml_5_place().join("bin/ocamlopt.opt");
    if !compiler.exists() {
        return None;
    }
    // Parallel tests have a folder each.
    static FOLDERS: AtomicU32 = AtomicU32::new(0);
    let number = FOLDERS.fetch_add(1, Ordering::Relaxed);
    let folder = fresh_folder(&format!("ocaml-5-{name}-{number}"));
    let mut command = Command::new(compiler);
    command.arg("-g").args(options).args(["-o", name]);
    for source in sources {
        let file = source.rsplit('/').next().unwrap_or(source);
        // Files that differ between versions have the version in their name.
        let file = file.replace("_5", "");
        copy(source, &folder.join(&file));
        command.arg(file);
    }
    run(&mut command, &folder);
    Some(folder.join(name))
}

fn ocamlopt(arguments: &[&str], folder: &Path) {
    run(Command::new("ocamlfind").args(["ocamlopt", "-g"]).args(arguments), folder);
}

fn frames(kind: &str) -> PathBuf {
    let folder = fresh_folder(&format!("frames{kind}"));
    let sources = ["frames.s", "frames.c"];
    for name in sources {
        copy(&format!("../../common/symbolize/testdata/{name}"), &folder.join(name));
    }
    run(Command::new("cc").args(["-g", kind, "-o", "frames"]).args(sources), &folder);
    folder.join("frames")
}

/// An empty folder for the program `name`.
fn fresh_folder(name: &str) -> PathBuf {
    let folder: PathBuf = [env!("CARGO_TARGET_TMPDIR"), "programs", name].iter().collect();
    // Before the first run there is none.
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).expect("a writable target directory");
    folder
}

fn copy(source: &str, target: &Path) {
    let source: PathBuf = [env!("CARGO_MANIFEST_DIR"), "tests/ocaml", source].iter().collect();
    let folder = target.parent().expect("a folder");
    fs::create_dir_all(folder).expect("a writable target directory");
    fs::copy(&source, target).unwrap_or_else(|error| panic!("{}: {error}", source.display()));
}

fn run(command: &mut Command, folder: &Path) {
    let output = command.current_dir(folder).output().unwrap_or_else(|error| {
        panic!("{command:?}: {error}; scripts/test installs what is needed");
    });
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{command:?}: {}\n{stderr}", output.status);
}
