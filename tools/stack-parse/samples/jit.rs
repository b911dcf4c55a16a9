//! Code that was compiled while the program ran: perf has its names from the file
//! /tmp/perf-PID.map, if the program's runtime writes one.

/// A runtime that compiles code and can write its names.
pub(super) struct Runtime {
    /// What it is called: the name of a thread or a frame.
    names: &'static [&'static str],
    /// How such names begin.
    starts: &'static [&'static str],
    /// How to run a program so that it writes the names.
    pub(super) remedy: &'static str,
}

/// The runtimes that are known.
pub(super) static RUNTIMES: [Runtime; 3] = [
    Runtime {
        names: &["java", "[libjvm.so]", "JavaMain"],
        starts: &["java-", "JavaCalls::", "JavaThread::"],
        remedy: "java -XX:+UnlockDiagnosticVMOptions -XX:+DumpPerfMapAtExit",
    },
    Runtime {
        names: &["node", "[node]"],
        starts: &["node-", "node::", "v8::", "[libnode.so"],
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

/// Whether a frame is such code without a name: `[perf-7539.map]`, and with
/// `--annotate` `[perf-7539.map]_[j]`.
pub(super) fn is_nameless(name: &[u8]) -> bool {
    let name = name.strip_suffix(b"_[j]").unwrap_or(name);
    let is_map = name.starts_with(b"[perf-") && name.ends_with(b".map]");
    is_map || name.starts_with(b"[jitted-") && name.ends_with(b".so]")
}
