//! Many stacks in little memory: frames are numbers, stacks are paths in a tree or
//! runs of numbers. Here they are summed and sorted.

mod counting;
mod counts;
mod distinct;
mod frame_table;
mod heaviest;
mod line_texts;
mod overflows;
mod room;
mod run_order;
mod shared;
mod sorted;
mod stack_ids;
mod tree;

pub(crate) use counting::Counting;
pub use counts::StackCounts;
pub use frame_table::{FrameId, FrameTable};
pub use heaviest::{HeaviestTree, TreeNode};
pub use overflows::Overflows;
pub use room::{Room, filled, with_room};
pub use shared::shared_prefix;
pub use sorted::{FrameWeights, SortedStack, SortedStacks};
pub use stack_ids::StackIds;
pub use tree::{NodeId, StackTree};
