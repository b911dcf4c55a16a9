//! Code that was compiled while the program ran: perf has its names from the file
//! /tmp/perf-PID.map, if the program's runtime writes one.

/// A runtime that compiles code and can write its names.
pub(super) struct Runtime {
    /// Names of its threads or frames.
    names: &'static [&'static str],
    /// The beginnings of such names.
    starts: &'static [&'static str],
    /// How to run a program so that it writes the names.
    pub(super) remedy: &'static str,
}

/// The runtimes that are known.
pub(super) static RUNTIMES: [Runtime; 3] = [
    Runtime {
        names: &["java", "JavaMain"],
        starts: &["java-", "[libjvm.so", "JavaCalls::", "JavaThread::"],
        remedy: "java -XX:+UnlockDiagnosticVMOptions -XX:+DumpPerfMapAtExit",
    },
    Runtime {
        names: &["node"],
        starts: &["node-", "[node]", "[node+", "[libnode.so", "node::", "v8::"],
        remedy: "node --perf-basic-prof",
    },
    Runtime {
        names: &["python"],
        starts: &["python3", "python-", "[python", "[libpython", "_PyEval_"],
        remedy: "python3 -X perf",
    },
];

impl Runtime {
    /// Whether a frame or a thread of this name is the runtime's.
    pub(super) fn has(&self, name: &[u8]) -> bool {
        self.names.iter().any(|known| known.as_bytes() == name)
            || self.starts.iter().any(|start| name.starts_with(start.as_bytes()))
    }
}

/// Whether a frame is code that was compiled at run time and has no name: `[perf-7539.map]`, and
/// with `--annotate` `[perf-7539.map]_[j]`.
pub(super) fn is_nameless(name: &[u8]) -> bool {
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
