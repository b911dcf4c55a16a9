//! Many stacks in little memory: frames as numbers, stacks as trees or as runs
//! of numbers, their sums and their order.

mod counting;
mod counts;
mod distinct;
mod frame_table;
mod line_texts;
mod run_order;
mod sorted;
mod stack_ids;
mod tree;

pub(crate) use counting::Counting;
pub use counts::StackCounts;
pub use frame_table::{FrameId, FrameTable};
pub use sorted::{SortedStack, SortedStacks};
pub use stack_ids::StackIds;
pub use tree::{NodeId, StackTree};
