//! Tests that need a missing program are skipped with a message. The unit tests of the crates
//! include this file by its path.

use std::collections::BTreeSet;
use std::env;
use std::io::{self, Write};
use std::path::Path;
use std::sync::Mutex;
use std::thread;

/// If this variable is set, a missing program fails the tests that need it.
pub(crate) const NEED_ALL: &str = "STACK_TOOLS_NEED_ALL";

/// Whether one of `needs` is missing, each a program in PATH or the path of a file. Then this
/// prints that the current test is skipped, and the test must return.
///
/// # Panics
///
/// If [`NEED_ALL`] is set, as in `scripts/test`, which installs what is missing.
pub(crate) fn goes_without(needs: &[&[&str]]) -> bool {
    let needs = needs.iter().copied().flatten().copied();
    let missing: Vec<&str> = needs.filter(|need| !is_there(need)).collect();
    if missing.is_empty() {
        return false;
    }
    let are = if missing.len() > 1 { "are" } else { "is" };
    let why = format!("{} {are} missing", missing.join(", "));
    let may_skip = env::var_os(NEED_ALL).is_none();
    assert!(may_skip, "{why}: scripts/test installs it, --no-install does without");
    skip(&why);
    true
}

fn is_there(need: &str) -> bool {
    if need.contains('/') {
        return Path::new(need).exists();
    }
    let path = env::var_os("PATH").unwrap_or_default();
    env::split_paths(&path).any(|folder| folder.join(need).is_file())
}

/// Prints that the current test is skipped, and how many tests were skipped so far. The test runner
/// hides what `eprintln!` prints in a test that passes, but not what is written to standard error
/// directly.
pub(crate) fn skip(why: &str) {
    static SKIPPED: Mutex<BTreeSet<String>> = Mutex::new(BTreeSet::new());
    let thread = thread::current();
    let test = thread.name().unwrap_or("a test");
    let mut skipped = SKIPPED.lock().expect("no panic");
    skipped.insert(test.to_owned());
    let count = skipped.len();
    let _ = writeln!(io::stderr(), "{test}: SKIPPED: {why} ({count} skipped so far)");
}
