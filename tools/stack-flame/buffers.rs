//! How large the buffers are, one for each processor, from which perf takes what the kernel
//! recorded: what does not fit in while other processes keep perf from running is lost.

use std::iter;

use crate::kernel_files::{field, processors, read};

/// The most for all buffers, in bytes, and as a part of the memory that is free.
const MOST: u64 = 512 << 20;
const PART_OF_FREE: u64 = 8;

/// The most for one buffer where each record is small, in bytes: several seconds of samples whose
/// callers are found by frame pointers.
const MOST_OF_SMALL_RECORDS: u64 = 8 << 20;

/// In bytes. perf's own choice is 512 KiB for each processor.
const LEAST: u64 = 1 << 20;

/// Each buffer has a page more, in which perf and the kernel say how far they are.
const PAGE: u64 = 4096;

/// The size of one buffer, in bytes.
#[derive(Debug)]
pub(crate) enum Sizes {
    /// No limit holds for this user.
    Sure(u64),
    /// The largest first: other recordings of this user may have a share of what is allowed. Where
    /// none works, perf chooses.
    ToTry(Vec<u64>),
}

/// What limits the buffers on this machine.
#[derive(Clone, Copy, Debug)]
struct Limits {
    processors: u64,
    /// The memory that is free, in bytes.
    free: u64,
    /// How much of it the user may lock, in bytes; `None` without a limit.
    locked: Option<u64>,
}

/// `has_copies` says whether copies of stacks are recorded, or events that may be many.
pub(crate) fn sizes(has_copies: bool) -> Sizes {
    Limits::of_this_machine().sizes(has_copies)
}

impl Limits {
    fn of_this_machine() -> Limits {
        let free = field(&read("/proc/meminfo"), "MemAvailable:").and_then(kibibytes);
        Limits { processors: processors(), free: free.unwrap_or_default(), locked: locked() }
    }

    fn sizes(self, has_copies: bool) -> Sizes {
        let of_each = |all: u64| all / self.processors.max(1);
        let locked = self.locked.map_or(u64::MAX, |all| of_each(all).saturating_sub(PAGE));
        let each = of_each(MOST.min(self.free / PART_OF_FREE)).min(locked);
        let most = if has_copies { each } else { each.min(MOST_OF_SMALL_RECORDS) };
        match most.checked_ilog2().map(|power| 1 << power) {
            Some(largest) if self.locked.is_none() && largest >= LEAST => Sizes::Sure(largest),
            largest => {
                let smaller = |size: &u64| Some(size / 2);
                let sizes = iter::successors(largest, smaller).take_while(|size| *size >= LEAST);
                Sizes::ToTry(sizes.collect())
            }
        }
    }
}

/// How much memory the user may lock for buffers, as the kernel's `perf_mmap` decides: a sum for each
/// processor, and what a process may lock besides. `None` for root, and where everybody may.
fn locked() -> Option<u64> {
    /// The bit of `CAP_IPC_LOCK`.
    const MAY_LOCK: u32 = 14;
    let status = read("/proc/self/status");
    let may = field(&status, "CapEff:").and_then(|it| u64::from_str_radix(it, 16).ok());
    let may = may.is_some_and(|may| may >> MAY_LOCK & 1 == 1);
    let paranoid = read("/proc/sys/kernel/perf_event_paranoid");
    if may && is_of_machine(&read("/proc/self/uid_map")) || paranoid.trim() == "-1" {
        return None;
    }
    let of_processor = kibibytes(&read("/proc/sys/kernel/perf_event_mlock_kb")).unwrap_or_default();
    let limits = read("/proc/self/limits");
    // Max locked memory         8388608              8388608              bytes
    let soft = field(&limits, "Max locked memory").and_then(|it| it.split_whitespace().next());
    let of_process = match soft {
        Some("unlimited") => return None,
        soft => soft.and_then(|it| it.parse().ok()).unwrap_or_default(),
    };
    Some(of_processor.saturating_mul(processors()).saturating_add(of_process))
}

/// Whether the users are those of the machine. In a container that a user may start, root has all
/// capabilities, which the kernel does not count for buffers.
///
/// `         0          0 4294967295`, and in such a container `         0       1000          1`
fn is_of_machine(users: &str) -> bool {
    users.split_whitespace().eq(["0", "0", "4294967295"])
}

/// The bytes in `16307972 kB` or `516`.
fn kibibytes(text: &str) -> Option<u64> {
    text.split_whitespace().next()?.parse::<u64>().ok()?.checked_mul(1024)
}

#[cfg(test)]
mod tests {
    use super::*;

    const MIB: u64 = 1 << 20;

    #[test]
    fn buffers_are_as_large_as_memory_and_the_user_allow() {
        for (processors, free, locked, has_copies, expected) in [
            // Half a gigabyte in all.
            (2, 24 << 30, None, true, Some(256 * MIB)),
            (8, 24 << 30, None, true, Some(64 * MIB)),
            (96, 24 << 30, None, true, Some(4 * MIB)),
            (2, 24 << 30, None, false, Some(8 * MIB)),
            (96, 24 << 30, None, false, Some(4 * MIB)),
            // An eighth of what is free.
            (2, 1 << 30, None, true, Some(64 * MIB)),
            (8, 64 << 20, None, true, Some(MIB)),
            (8, 32 << 20, None, true, None),
            // 516 KiB for each processor, and 8 MiB.
            (2, 24 << 30, Some(2 * 516 * 1024 + 8 * MIB), true, Some(4 * MIB)),
            (8, 24 << 30, Some(8 * 516 * 1024 + 8 * MIB), true, Some(MIB)),
            (8, 24 << 30, Some(8 * 516 * 1024), true, None),
            (0, 0, None, true, None),
        ] {
            let sizes = match (Limits { processors, free, locked }).sizes(has_copies) {
                Sizes::Sure(size) => {
                    assert_eq!(locked, None, "{size}");
                    vec![size]
                }
                Sizes::ToTry(sizes) => {
                    assert!(locked.is_some() || sizes.is_empty(), "{sizes:?}");
                    assert!(sizes.last().is_none_or(|last| *last == LEAST), "{sizes:?}");
                    sizes
                }
            };
            assert_eq!(sizes.first().copied(), expected, "{processors} {free} {locked:?}");
            assert!(sizes.windows(2).all(|two| two[0] == 2 * two[1]), "{sizes:?}");
        }
    }

    #[test]
    fn users_of_a_container_may_not_be_those_of_the_machine() {
        assert!(is_of_machine("         0          0 4294967295\n"));
        for users in ["0 1000 1\n", "0 1000 1\n1 100000 65536\n", "0 0 65536\n", ""] {
            assert!(!is_of_machine(users), "{users}");
        }
    }

    #[test]
    fn numbers_of_the_kernel_are_in_kibibytes() {
        assert_eq!(kibibytes("16307972 kB"), Some(16_307_972 * 1024));
        assert_eq!(kibibytes("516\n"), Some(516 * 1024));
        assert_eq!(kibibytes(""), None);
    }
}
