//! Code that was compiled while the program ran: perf has its names from the file
//! /tmp/perf-PID.map, if the program's runtime writes one.

use super::paths::file_name;

/// A runtime that compiles code and can write its names.
#[derive(Debug)]
pub(crate) struct Runtime {
    /// Names of its threads or frames.
    names: &'static [&'static str],
    /// The beginnings of such names.
    starts: &'static [&'static str],
    /// The beginnings of the names of its program or library.
    files: &'static [&'static str],
    /// How to run a program so that it writes the names.
    pub(crate) remedy: &'static str,
    /// How to run it so that copies of its stacks lead to the callers.
    pub(crate) with_callers: Option<&'static str>,
}

/// The runtimes that are known.
pub(crate) static RUNTIMES: [Runtime; 3] = [
    Runtime {
        names: &["java", "JavaMain"],
        starts: &["java-", "[libjvm.so", "JavaCalls::", "JavaThread::"],
        files: &["libjvm.so"],
        remedy: "java -XX:+UnlockDiagnosticVMOptions -XX:+DumpPerfMapAtExit",
        with_callers: Some("java -XX:+PreserveFramePointer"),
    },
    Runtime {
        names: &["node"],
        starts: &["node-", "[node]", "[node+", "[libnode.so", "node::", "v8::"],
        files: &["libnode.so"],
        remedy: "node --perf-basic-prof",
        with_callers: None,
    },
    Runtime {
        names: &["python"],
        starts: &["python3", "python-", "[python", "[libpython", "_PyEval_"],
        files: &["python3", "libpython3"],
        remedy: "python3 -X perf",
        with_callers: Some("python3 -X perf_jit"),
    },
];

impl Runtime {
    /// Whether a frame or a thread of this name is the runtime's.
    pub(crate) fn has(&self, name: &[u8]) -> bool {
        self.names.iter().any(|known| known.as_bytes() == name)
            || self.starts.iter().any(|start| name.starts_with(start.as_bytes()))
    }

    /// The runtime of a process that has mapped the code of the file at this path.
    pub(crate) fn of_file(path: &[u8]) -> Option<&'static Runtime> {
        let name = file_name(path);
        let begins = |start: &&str| name.starts_with(start.as_bytes());
        RUNTIMES.iter().find(|it| {
            it.names.iter().any(|known| known.as_bytes() == name) || it.files.iter().any(begins)
        })
    }
}

/// Whether a frame is code that was compiled at run time and has no name: `[perf-7539.map]`, and
/// with `--annotate` `[perf-7539.map]_[j]`.
pub(crate) fn is_nameless(name: &[u8]) -> bool {
    let name = name.strip_suffix(b"_[j]").unwrap_or(name);
    let is_map = name.starts_with(b"[perf-") && name.ends_with(b".map]");
    is_map || name.starts_with(b"[jitted-") && name.ends_with(b".so]")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runtimes_are_seen_in_threads_files_and_functions() {
        for (name, remedy) in [
            ("java", "java"),
            ("java-17/18", "java"),
            ("[libjvm.so+0x8be9cf]", "java"),
            ("JavaCalls::call_helper", "java"),
            ("[node+0xb0c01d]", "node"),
            ("v8::internal::Execution::Call", "node"),
            ("python3.12", "python3"),
            ("_PyEval_EvalFrameDefault", "python3"),
        ] {
            let runtime = RUNTIMES.iter().find(|runtime| runtime.has(name.as_bytes()));
            let found = runtime.and_then(|runtime| runtime.remedy.split(' ').next());
            assert_eq!(found, Some(remedy), "{name}");
        }
        for name in ["javac_like", "node_alloc", "pythonic", "[nodejs]", "main", ""] {
            assert!(!RUNTIMES.iter().any(|runtime| runtime.has(name.as_bytes())), "{name}");
        }
    }

    #[test]
    fn runtimes_are_known_by_the_files_of_a_process() {
        for (path, remedy) in [
            ("/usr/lib/jvm/java-17/lib/server/libjvm.so", Some("java")),
            ("/usr/bin/node", Some("node")),
            ("/usr/lib/x86_64-linux-gnu/libnode.so.108", Some("node")),
            ("/usr/bin/python3.12", Some("python3")),
            ("/opt/lib/libpython3.13.so.1.0", Some("python3")),
            ("/usr/bin/python", Some("python3")),
            ("/usr/bin/nodejs-tool", None),
            ("/home/node/app", None),
        ] {
            let found = Runtime::of_file(path.as_bytes());
            assert_eq!(found.and_then(|it| it.remedy.split(' ').next()), remedy, "{path}");
        }
    }

    #[test]
    fn only_compiled_code_without_a_name_is_nameless() {
        for (name, expected) in [
            ("[perf-7539.map]", true),
            ("[perf-7539.map]_[j]", true),
            ("[jitted-7-3.so]", true),
            ("JS:*work w.js:1", false),
            ("[perf]", false),
            ("[libc.so.6]", false),
        ] {
            assert_eq!(is_nameless(name.as_bytes()), expected, "{name}");
        }
    }
}
