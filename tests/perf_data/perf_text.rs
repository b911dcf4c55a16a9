//! What `perf script` prints, parsed without our parser: the shape
//! `-F comm,pid,tid,time,event,period,ip,sym,dso` of the recordings that it is compared with.

/// A sample as perf prints it.
#[derive(Debug)]
pub(super) struct Sample {
    pub(super) key: Key,
    /// The frames, leaf first.
    pub(super) frames: Vec<Frame>,
}

/// All data of a sample except its stack.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Key {
    /// In nanoseconds.
    pub(super) time: u64,
    pub(super) pid: String,
    pub(super) tid: String,
    pub(super) comm: String,
    pub(super) event: String,
    pub(super) period: String,
}

#[derive(Clone, Debug)]
pub(super) struct Frame {
    pub(super) address: String,
    pub(super) symbol: String,
    pub(super) object: String,
    pub(super) inlined: bool,
}

/// Parses all samples.
pub(super) fn samples(text: &str) -> Vec<Sample> {
    let mut samples: Vec<Sample> = Vec::new();
    for line in text.lines().filter(|line| !line.trim().is_empty()) {
        if let Some(frame) = line.strip_prefix('\t') {
            let sample = samples.last_mut().expect("a frame has a sample above it");
            sample.frames.push(frame_of(frame));
        } else {
            samples.push(sample_of(line));
        }
    }
    samples
}

/// `w0 worker 24731/24733  7004.739177993:    1001001 cpu-clock: `, followed by a frame if there is
/// no call chain.
fn sample_of(line: &str) -> Sample {
    let (head, rest) = line.split_once(": ").unwrap_or_else(|| panic!("a sample: {line}"));
    let mut words = head.split_whitespace().rev();
    let time = nanoseconds(words.next().expect("a time"));
    let (pid, tid) = words.next().and_then(|word| word.split_once('/')).expect("PID/TID");
    let comm = head[..head.find(&format!("{pid}/{tid}")).expect("as above")].trim();
    let (period, rest) = rest.trim_start().split_once(' ').expect("a period");
    let rest = rest.trim_start();
    // The name of an event may hold colons: `sched:sched_switch: `.
    let end = rest.find(": ").unwrap_or(rest.len() - 1);
    let frame = rest[end + 1..].trim();
    let [pid, tid, comm, event, period] = [pid, tid, comm, &rest[..end], period].map(str::to_owned);
    let key = Key { time, pid, tid, comm, event, period };
    Sample { key, frames: (!frame.is_empty()).then(|| frame_of(frame)).into_iter().collect() }
}

/// `1251 leaf (/home/someone/work/p/fpmulti)`, `12f4 inner (inlined)`
fn frame_of(text: &str) -> Frame {
    let (address, rest) = text.trim().split_once(' ').expect("an address");
    let (rest, inlined) = match rest.strip_suffix(" (inlined)") {
        Some(rest) => (rest, true),
        None => (rest, false),
    };
    let (symbol, object) = rest.rsplit_once(" (").unwrap_or((rest, ""));
    let object = object.strip_suffix(" (deleted)").unwrap_or(object);
    Frame {
        address: address.to_owned(),
        symbol: symbol.to_owned(),
        object: object.trim_end_matches(')').to_owned(),
        inlined,
    }
}

/// `7004.739177993`
pub(super) fn nanoseconds(seconds: &str) -> u64 {
    let (whole, digits) = seconds.split_once('.').expect("seconds with digits behind them");
    format!("{whole}{digits:0<9}").parse().expect("a number")
}
