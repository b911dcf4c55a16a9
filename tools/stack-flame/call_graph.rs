//! How perf finds the callers: by frame pointers, or by copies of the stack.

use std::path::{Path, PathBuf};

use common::reason;
use symbolize::executable::{
    FramePointers, Unreadable, Unwinding, frame_pointers, is_go_with_debug_frames, unwinding,
};

use crate::What;
use crate::own_code::comes_compiled;
use crate::python::Python;
use crate::said::explain;

/// What `--call-graph` of `perf record` is, unless the user says it, and why.
#[derive(Debug)]
pub(crate) struct Choice {
    pub(crate) kind: &'static str,
    why: String,
}

impl Choice {
    fn by_frame_pointers(why: impl Into<String>) -> Choice {
        Choice { kind: "fp", why: why.into() }
    }

    fn by_dwarf(why: impl Into<String>) -> Choice {
        Choice { kind: "dwarf", why: why.into() }
    }

    /// Frame pointers cost least, but few compilers keep them. Without them, stacks have
    /// lost their callers; a copy of the stack for each sample takes much room.
    pub(crate) fn of(what: &What, python: Option<&Python>) -> Choice {
        let executable = match (what, python) {
            (What::System(_) | What::File(_), _) => {
                return Choice::by_frame_pointers(
                    "copies of the stacks of all programs take much room",
                );
            }
            (_, Some(python)) => Some(python.path.clone()),
            (What::Program(program), None) => program.interpreters().pop(),
            (What::Process(pid), None) => Some(PathBuf::from(format!("/proc/{pid}/exe"))),
        };
        executable.map_or_else(|| Choice::by_dwarf(""), |path| Choice::of_executable(&path))
    }

    fn of_executable(path: &Path) -> Choice {
        let bytes = match common::io::map_executable(path) {
            Ok(bytes) => bytes,
            Err(error) => {
                return Choice::by_dwarf(format!(
                    "{} cannot be read: {}",
                    path.display(),
                    reason(&error)
                ));
            }
        };
        match unwinding(bytes) {
            Ok(Unwinding::FramePointers) => Choice::by_frame_pointers("this OCaml keeps them"),
            Ok(Unwinding::Dwarf) => Choice::by_dwarf("OCaml 4 without frame pointers"),
            Ok(Unwinding::LastBranches) => Choice::by_frame_pointers(
                "OCaml 5 without frame pointers, callers will be missing, see man stack-tools",
            ),
            Err(_) if is_go_with_debug_frames(bytes) => {
                Choice::by_dwarf("in Go, frame pointers miss what called functions in assembly")
            }
            Err(_) => {
                let is_own = |symbol: &[u8]| !comes_compiled(symbol);
                Choice::of_functions(&file_name(path), frame_pointers(bytes, is_own))
            }
        }
    }

    fn of_functions(name: &str, found: Result<FramePointers, Unreadable>) -> Choice {
        match found {
            Ok(FramePointers { kept, of }) if 2 * kept > of => {
                Choice::by_frame_pointers(format!("{kept} of {of} functions of {name} keep them"))
            }
            Ok(FramePointers { kept, of }) => {
                Choice::by_dwarf(format!("{kept} of {of} functions of {name} keep frame pointers"))
            }
            // Most programs of a distribution are stripped.
            Err(_) => {
                Choice::by_dwarf(format!("{name} does not show whether it keeps frame pointers"))
            }
        }
    }

    pub(crate) fn is_by_frame_pointers(&self) -> bool {
        self.kind == "fp"
    }

    /// Says what was chosen and why, in one line.
    pub(crate) fn tell(&self) {
        let how = if self.is_by_frame_pointers() { "frame pointers" } else { "DWARF" };
        explain(format_args!("finding callers by {how}: {}", self.why));
    }
}

fn file_name(path: &Path) -> String {
    // A process's executable is `/proc/PID/exe`, a link to it.
    let path = path.canonicalize().unwrap_or_else(|_| path.to_path_buf());
    path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned()
}
