//! What is wrong with a recording of perf, seen from its stacks: one line each, with
//! the share of the weight and the remedy.

mod jit;

use common::{FrameTable, Pipe, StackTree};

use crate::samples::Recorded;
use jit::RUNTIMES;

/// Fewer samples prove nothing.
const FEWEST_SAMPLES: u128 = 20;

/// Where perf and the kernel stop counting frames, unless told otherwise.
const FRAME_LIMIT: u32 = 127;

/// Weights of stacks with a trouble.
#[derive(Debug, Default)]
struct Health {
    total: u128,
    /// More than half of the frames have no name, and none was compiled at run time.
    unknown: u128,
    /// Some frame was compiled at run time and has no name.
    jit: u128,
    /// Of these, those in which a runtime of [`RUNTIMES`] is seen.
    runtimes: [u128; RUNTIMES.len()],
    /// Exactly as deep as the limit.
    at_limit: u128,
    beyond_limit: bool,
    /// Roots where only the runtime of OCaml 5 can be.
    cut_ocaml: u128,
    /// Deeper than one frame.
    chained: u128,
}

/// Says what is wrong with the stacks.
pub(crate) fn advise(recorded: &Recorded<'_>, pipe: &mut Pipe) {
    if recorded.samples < FEWEST_SAMPLES {
        return;
    }
    let Recorded { tree, frames, root_frames, .. } = *recorded;
    let health = examine(tree, frames, root_frames);
    if health.total == 0 {
        return;
    }
    let share = |weight: u128| 100.0 * weight as f64 / health.total as f64;
    if health.chained == 0 {
        pipe.note("no sample has a call chain: record with 'perf record -g'");
        return;
    }
    if share(health.unknown) >= 10.0 {
        pipe.note(format_args!(
            "{:.1} % of the weight is in stacks of mostly unknown functions: \
             install debug symbols, or record with frame pointers or --call-graph dwarf",
            share(health.unknown)
        ));
    }
    if share(health.jit) >= 10.0 {
        pipe.note(format_args!(
            "{:.1} % of the weight is in stacks with unknown functions that were compiled at run \
             time, which perf has from /tmp/perf-PID.map: {}",
            share(health.jit),
            health.jit_remedy()
        ));
    }
    if !health.beyond_limit && share(health.at_limit) >= 0.1 {
        pipe.note(format_args!(
            "{:.1} % of the weight is in stacks cut at {FRAME_LIMIT} frames, which lack their roots: \
             use 'perf script --max-stack 2048', and raise kernel.perf_event_max_stack to record",
            share(health.at_limit)
        ));
    }
    if share(health.cut_ocaml) >= 5.0 {
        pipe.note(format_args!(
            "{:.1} % of the weight is in stacks cut at OCaml's runtime: OCaml 5 has stacks of its \
             own, which --call-graph dwarf misses; use a compiler with frame pointers and 'perf record -g'",
            share(health.cut_ocaml)
        ));
    }
}

impl Health {
    /// Adds a stack whose call chain has as many frames.
    fn add(&mut self, seen: &Seen, chain: u32, weight: u128) {
        if weight == 0 {
            return;
        }
        let weight_if = |condition: bool| if condition { weight } else { 0 };
        self.total += weight;
        self.unknown += weight_if(seen.unknown * 2 > chain && !seen.jit);
        self.jit += weight_if(seen.jit);
        if let (true, Some(runtime)) = (seen.jit, seen.runtime) {
            self.runtimes[usize::from(runtime)] += weight;
        }
        self.at_limit += weight_if(chain == FRAME_LIMIT);
        self.beyond_limit |= chain > FRAME_LIMIT;
        self.cut_ocaml += weight_if(seen.rooted);
        self.chained += weight_if(chain > 1);
    }

    /// What writes the names, as far as the stacks tell in what they run.
    fn jit_remedy(&self) -> String {
        let weights = self.runtimes.iter().zip(&RUNTIMES);
        match weights.max_by_key(|(weight, _)| **weight) {
            Some((weight, runtime)) if *weight > 0 => format!("run '{}'", runtime.remedy),
            _ => {
                let remedies = RUNTIMES.each_ref().map(|runtime| format!("'{}'", runtime.remedy));
                format!("run {}, or what does it in your language", remedies.join(", "))
            }
        }
    }
}

/// What is known of a node of the tree and those above it.
#[derive(Clone, Copy, Default)]
struct Seen {
    depth: u32,
    unknown: u32,
    /// The root is the runtime of OCaml.
    rooted: bool,
    /// Some frame was compiled at run time and has no name.
    jit: bool,
    /// Which of [`RUNTIMES`] is the last that was seen.
    runtime: Option<u8>,
}

/// What the name of a frame tells.
struct Named {
    is_unknown: bool,
    is_ocaml_runtime: bool,
    is_jit: bool,
    runtime: Option<u8>,
}

impl Named {
    fn new(name: &[u8]) -> Named {
        Named {
            is_unknown: is_unknown(name),
            is_ocaml_runtime: is_ocaml_runtime(name),
            is_jit: jit::is_nameless(name),
            runtime: (0u8..).zip(&RUNTIMES).find(|(_, it)| it.has(name)).map(|(at, _)| at),
        }
    }
}

fn examine(tree: &StackTree, frames: &FrameTable, root_frames: u32) -> Health {
    let names: Vec<Named> =
        (0..frames.len() as u32).map(|id| Named::new(frames.name(id))).collect();
    let mut health = Health::default();
    let mut seen = vec![Seen::default(); tree.len()];
    for node in 1..tree.len() as u32 {
        let (above, frame) = (seen[tree.parent(node) as usize], &names[tree.frame(node) as usize]);
        let depth = above.depth + 1;
        let is_chain = depth > root_frames;
        let this = Seen {
            depth,
            unknown: above.unknown + u32::from(is_chain && frame.is_unknown),
            rooted: above.rooted || depth == root_frames + 1 && frame.is_ocaml_runtime,
            jit: above.jit || is_chain && frame.is_jit,
            runtime: frame.runtime.or(above.runtime),
        };
        seen[node as usize] = this;
        health.add(&this, depth.saturating_sub(root_frames), u128::from(tree.self_weight(node)));
    }
    health
}

/// `[unknown]`, `[libc.so.6]`; kernel and vdso are named so by right.
fn is_unknown(name: &[u8]) -> bool {
    let is_bare = matches!(name, [b'[', .., b']']);
    is_bare && !name.starts_with(b"[kernel.") && name != b"[vdso]" && name != b"[no stack]"
}

/// Where OCaml 5 switches from one of its own stacks to the system's.
fn is_ocaml_runtime(name: &[u8]) -> bool {
    matches!(name, b"caml_call_gc" | b"caml_start_program" | b"caml_c_call" | b"caml_runstack")
}
