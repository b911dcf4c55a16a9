//! Programs that tests need beside Rust; `scripts/test` has the list and installs them.

use crate::util::skip;

/// What builds the programs of [`crate::programs`] that are written in OCaml.
pub(crate) const OCAML: &[&str] =
    &["ocamlopt", "ocamlfind", "dune", "/usr/lib/ocaml/lwt/unix/lwt_unix.cmxa"];

/// What shows pictures.
pub(crate) const BROWSER: &[&str] = &["chromium", "chromedriver"];

/// What shows them as well.
pub(crate) const FIREFOX: &[&str] = &["firefox-esr"];

/// What makes and installs a package of Debian.
#[cfg(target_os = "linux")]
pub(crate) const DEBIAN: &[&str] = &["dpkg-deb", "xz", "strip", "mandoc"];

/// Whether one of `programs` is missing and `scripts/test --no-install` runs: then the test that
/// runs now says that it is skipped, and must return. Without `--no-install` a missing program
/// fails the test that starts it.
pub(crate) fn goes_without(programs: &[&[&str]]) -> bool {
    let missing = std::env::var("STACK_TOOLS_MISSING").unwrap_or_default();
    let missing: Vec<&str> = missing.split_whitespace().collect();
    let programs = programs.iter().copied().flatten().copied();
    let missing: Vec<&str> = programs.filter(|program| missing.contains(program)).collect();
    if !missing.is_empty() {
        let are = if missing.len() > 1 { "are" } else { "is" };
        skip(&format!("{} {are} missing", missing.join(", ")));
    }
    !missing.is_empty()
}
