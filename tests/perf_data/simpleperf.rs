//! Recordings of simpleperf, the perf of Android, by other projects. The numbers were counted by
//! a walk over the records that shares nothing with our code, and names were looked up by it.

use std::collections::BTreeMap;
use std::path::PathBuf;

use crate::needs::skip;
use crate::util::{command, stderr};

/// The recording with this name, if STACK_TOOLS_DATA is set.
fn recording(name: &str) -> Option<PathBuf> {
    let Some(data) = std::env::var_os("STACK_TOOLS_DATA") else {
        skip("STACK_TOOLS_DATA does not say where strangers/simpleperf is");
        return None;
    };
    Some(PathBuf::from(data).join("strangers/simpleperf").join(name))
}

/// The folded stacks, the weights of their leaves, and what is said about the recording.
struct Read {
    text: String,
    leaves: BTreeMap<String, u64>,
    said: String,
}

/// The weight of a folded stack; header lines do not end in a number.
fn weight(line: &str) -> Option<u64> {
    line.rsplit_once(' ')?.1.parse().ok()
}

impl Read {
    fn of(name: &str, args: &[&str]) -> Option<Read> {
        let recording = recording(name)?;
        let output = command("stack-parse").args(args).arg(recording).output();
        let output = output.expect("it starts");
        let said = stderr(&output);
        assert!(output.status.success(), "{said}");
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        let mut leaves = BTreeMap::new();
        for line in text.lines() {
            if let (Some(weight), Some((stack, _))) = (weight(line), line.rsplit_once(' ')) {
                let leaf = stack.rsplit(';').next().unwrap_or_default();
                *leaves.entry(leaf.to_owned()).or_default() += weight;
            }
        }
        Some(Read { text, leaves, said })
    }

    fn total(&self) -> u64 {
        self.leaves.values().sum()
    }
}

#[test]
fn functions_have_the_names_in_the_recording() {
    let Some(read) = Read::of("perf_with_symbols.data", &[]) else { return };
    assert_eq!(read.total(), 648_946_030);
    assert_eq!(read.leaves["main"], 396_992_312);
    assert_eq!(read.leaves["_Z5func2ii"], 249_872_035);
    // The rest is in the kernel, of which it lists no function.
    assert_eq!(read.leaves.len(), 3, "{:?}", read.leaves);
    assert!(!read.said.contains("/data/t2"), "{}", read.said);
    let Some(samples) = Read::of("perf_with_symbols.data", &["--weight", "samples"]) else {
        return;
    };
    assert_eq!(samples.total(), 935);
}

#[test]
fn samples_after_descriptions_of_tracepoints_are_read() {
    let name = "perf_with_tracepoint_event.data";
    let cycles = ["--event", "cpu-cycles"];
    let Some(read) = Read::of(name, &cycles) else { return };
    assert_eq!(read.total(), 5_642_436);
    assert_eq!(read.leaves["__clean_dcache_area_pou"], 5_571_673);
    assert!(read.leaves.keys().all(|leaf| !leaf.starts_with('[')), "{:?}", read.leaves);
    // The profile that simpleperf's own gecko_profile_generator made of it has 45 samples.
    let count = |event: &str| {
        let args = ["--weight", "samples", "--event", event];
        Read::of(name, &args).map(|read| read.leaves).unwrap_or_default()
    };
    let of_gecko = [
        ("__clean_dcache_area_pou", 1),
        ("__do_softirq", 1),
        ("__wait_on_bit_lock", 1),
        ("_raw_spin_unlock_irq", 3),
        ("_raw_spin_unlock_irqrestore", 1),
        ("filemap_fault", 2),
        ("generic_file_read_iter", 2),
        ("memcpy", 1),
        ("perf_event_exec", 1),
        ("schedule_timeout", 1),
    ];
    let of_gecko = of_gecko.map(|(leaf, count)| (leaf.to_owned(), count));
    assert_eq!(count("cpu-cycles"), BTreeMap::from(of_gecko));
    let switches = BTreeMap::from([("__schedule".to_owned(), 31)]);
    assert_eq!(count("sched:sched_switch"), switches);
}

const OFF_CPU: &str = "perf_with_trace_offcpu_v2.data.zst";

#[test]
fn code_of_a_jit_and_bytecode_have_names() {
    let args = ["--event", "cpu-clock:u", "--weight", "period"];
    let Some(read) = Read::of(OFF_CPU, &args) else { return };
    assert_eq!(read.total(), 52_000_000);
    for (leaf, weight) in [
        (
            "_ZN3art11interpreter20ExecuteSwitchImplCppILb0ELb0EEEvPNS0_17SwitchImplContextE",
            6_750_000,
        ),
        ("memset", 2_250_000),
        ("__kernel_clock_gettime", 250_000),
        // It is from the cache of ART's compiler.
        ("android.os.MessageQueue.next", 250_000),
    ] {
        assert_eq!(read.leaves.get(leaf), Some(&weight), "{leaf}");
    }
    let nameless = read.leaves.keys().filter(|leaf| leaf.starts_with('[')).count();
    assert_eq!(nameless, 0, "{:?}", read.leaves);
    // Of a caller in bytecode, the chain may have the first instruction of the method.
    let main = read.text.lines().filter(|line| line.contains("android.app.ActivityThread.main"));
    assert_eq!(main.filter_map(weight).sum::<u64>(), 31_750_000);
}

#[test]
fn blocked_time_is_that_up_to_the_next_switch_to_the_thread() {
    let Some(read) = Read::of(OFF_CPU, &["--off-cpu"]) else { return };
    let expected = [("__epoll_pwait", 136_581_577), ("__ioctl", 46_942_558)];
    let expected = expected.into_iter().chain([("syscall", 157_957_826)]);
    let expected: BTreeMap<_, _> = expected.map(|(leaf, ns)| (leaf.to_owned(), ns)).collect();
    assert_eq!(read.leaves, expected);
    for part in [
        "off-cpu: 7 switches away from threads that could go on left out",
        "off-cpu: 5 threads that did not come back left out",
    ] {
        assert!(read.said.contains(part), "{}", read.said);
    }
}
