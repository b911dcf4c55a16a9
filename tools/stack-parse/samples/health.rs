//! What is wrong with a recording, seen from its stacks: one line each, with
//! the share of the weight and the remedy.

use common::{FrameTable, Pipe, StackTree};

/// Fewer samples prove nothing.
pub(crate) const FEWEST_SAMPLES: u64 = 20;

/// Where perf and the kernel stop counting frames, unless told otherwise.
const FRAME_LIMIT: u32 = 127;

/// Weights of stacks with a trouble.
#[derive(Debug, Default)]
struct Health {
    total: u128,
    /// More than half of the frames have no name.
    unknown: u128,
    /// Exactly as deep as the limit.
    at_limit: u128,
    beyond_limit: bool,
    /// Roots where only the runtime of OCaml 5 can be.
    cut_ocaml: u128,
    /// Deeper than one frame.
    chained: u128,
}

/// Says what is wrong with the stacks of `tree`, whose roots are the
/// `root_frames` that no call chain has.
pub(crate) fn report(tree: &StackTree, frames: &FrameTable, root_frames: u32, pipe: &mut Pipe) {
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

fn examine(tree: &StackTree, frames: &FrameTable, root_frames: u32) -> Health {
    let ids = 0..frames.len() as u32;
    let is_unknown: Vec<bool> = ids.clone().map(|id| is_unknown(frames.name(id))).collect();
    let is_runtime: Vec<bool> = ids.map(|id| is_ocaml_runtime(frames.name(id))).collect();
    let mut health = Health::default();
    // Of each node: how deep, how many unknown, rooted in the runtime.
    let mut marks = vec![(0u32, 0u32, false); tree.len()];
    for node in 1..tree.len() as u32 {
        let (above, unknown, rooted) = marks[tree.parent(node) as usize];
        let (depth, frame) = (above + 1, tree.frame(node) as usize);
        let is_chain = depth > root_frames;
        let unknown = unknown + u32::from(is_chain && is_unknown[frame]);
        let rooted = rooted || depth == root_frames + 1 && is_runtime[frame];
        marks[node as usize] = (depth, unknown, rooted);
        let weight = u128::from(tree.self_weight(node));
        if weight == 0 {
            continue;
        }
        let chain = depth.saturating_sub(root_frames);
        let weight_if = |condition: bool| if condition { weight } else { 0 };
        health.total += weight;
        health.unknown += weight_if(unknown * 2 > chain);
        health.at_limit += weight_if(chain == FRAME_LIMIT);
        health.beyond_limit |= chain > FRAME_LIMIT;
        health.cut_ocaml += weight_if(rooted);
        health.chained += weight_if(chain > 1);
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
