//! Programs that tests need in addition to Rust and a C linker; `scripts/test` has the list and
//! installs them.

mod missing;

use std::process::Command;

pub(crate) use missing::{NEED_ALL, goes_without, skip};

/// The programs that build those of [`crate::programs`] in OCaml.
pub(crate) const OCAML: &[&str] =
    &["ocamlopt", "ocamlfind", "dune", "/usr/lib/ocaml/lwt/unix/lwt_unix.cmxa"];

/// The programs that scripts use.
pub(crate) const SHELL: &[&str] = &["bash", "awk", "grep", "sed"];

/// Chromium without windows, menus and extensions: pages are drawn by the same code, and it takes half
/// of the processor's time. Who ends the script of this name in `/usr/bin` leaves the program running.
pub(crate) const CHROMIUM: &str = "/usr/lib/chromium/chromium-headless-shell";

/// The programs that show pictures.
pub(crate) const BROWSER: &[&str] = &[CHROMIUM, "chromedriver"];

/// Another browser.
pub(crate) const FIREFOX: &[&str] = &["firefox-esr"];

/// The programs that make and install packages.
#[cfg(target_os = "linux")]
pub(crate) const PACKAGERS: &[&str] =
    &["dpkg-deb", "xz", "strip", "readelf", "mandoc", "python3", "pip3"];

/// Python and its packages that read tables and schemas: [`crate::util::python`] finds it.
pub(crate) const READERS: &[&str] = &[
    "python3",
    concat!(env!("CARGO_TARGET_TMPDIR"), "/../python/pandas"),
    concat!(env!("CARGO_TARGET_TMPDIR"), "/../python/duckdb"),
    concat!(env!("CARGO_TARGET_TMPDIR"), "/../python/jsonschema"),
];

/// The program in which scripts/fleet runs.
pub(crate) const SPARK: &[&str] =
    &["java", "python3", concat!(env!("CARGO_TARGET_TMPDIR"), "/../spark/pyspark")];

/// The viewers that show in a browser what stack-export writes.
pub(crate) const VIEWERS: &[&str] = &[
    concat!(env!("CARGO_TARGET_TMPDIR"), "/../npm/node_modules/speedscope"),
    concat!(env!("CARGO_TARGET_TMPDIR"), "/../npm/node_modules/d3-flame-graph"),
];

/// Set in the second process of the test below.
const IS_SECOND: &str = "STACK_TOOLS_IS_SECOND";

#[test]
fn what_is_missing_is_skipped_aloud_unless_all_is_needed() {
    if std::env::var_os(IS_SECOND).is_some() {
        assert!(!goes_without(&[&["sh", "/"]]));
        assert!(goes_without(&[&["sh"], &["no-such-program", "/no/such/file"]]));
        return;
    }
    let name = std::thread::current().name().expect("that of the test").to_owned();
    let run = |needs_all: bool| {
        let mut second = Command::new(std::env::current_exe().expect("this program"));
        second.args(["--exact", &name]).env(IS_SECOND, "").env_remove(NEED_ALL);
        second.envs(needs_all.then_some((NEED_ALL, "1"))).output().expect("it starts")
    };
    let missing = "no-such-program, /no/such/file are missing";
    let skipped = run(false);
    assert!(skipped.status.success(), "{skipped:?}");
    let said = String::from_utf8_lossy(&skipped.stderr).into_owned();
    assert_eq!(said, format!("{name}: SKIPPED: {missing} (1 skipped so far)\n"));
    let failed = run(true);
    assert!(!failed.status.success(), "{failed:?}");
    let said = String::from_utf8_lossy(&failed.stdout).into_owned();
    assert!(said.contains(&format!("{missing}: scripts/test installs it")), "{said}");
}
