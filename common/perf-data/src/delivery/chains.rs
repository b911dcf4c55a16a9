//! Call chains that samples do not hold themselves: those that the processor kept as branches
//! (LBR), and the programs' parts that the kernel writes later.

use crate::bytes::{Bytes, U64s};
use crate::sample::{RawSample, context};

/// A chain that is joined from several parts, in memory that is used again.
#[derive(Debug, Default)]
pub(crate) struct MadeChain {
    bytes: Vec<u8>,
}

impl MadeChain {
    pub(crate) fn get(&self) -> U64s<'_> {
        U64s::new(&self.bytes)
    }

    fn set(&mut self, chain: U64s<'_>) {
        self.bytes.clear();
        self.bytes.extend_from_slice(chain.bytes());
    }

    fn push(&mut self, number: u64) {
        self.bytes.extend_from_slice(&number.to_le_bytes());
    }

    /// Joins the kernel's part of the sample's chain and the branches, which are calls that have
    /// not returned yet, the latest first. Returns false if the sample has no branches or was not
    /// taken in a program: then its own chain is right.
    pub(crate) fn set_branches(&mut self, sample: &RawSample<'_>) -> bool {
        let Some(branches) = sample.branches.filter(|branches| branches.iter().len() > 0) else {
            return false;
        };
        let Some(user) = sample.chain.iter().position(|number| number == context::USER) else {
            return false;
        };
        self.set(sample.chain.first(user + 1));
        for (index, (from, to)) in branches.iter().enumerate() {
            if index == 0 {
                self.push(to);
            }
            self.push(from);
        }
        true
    }

    /// Joins the kernel's part of a chain and the program's, which was written later.
    pub(crate) fn merge(&mut self, kernel: U64s<'_>, user: U64s<'_>) {
        self.set(kernel);
        if user.get(0).is_some_and(|number| number < context::FIRST) {
            self.push(context::USER);
        }
        self.bytes.extend_from_slice(user.bytes());
    }
}

/// For a chain that ends in the marker of a program's part that comes later: the chain before the
/// marker, and the cookie after it, which is also in the later record.
pub(crate) fn deferred(chain: U64s<'_>) -> Option<(U64s<'_>, u64)> {
    let kernel = chain.len().checked_sub(2)?;
    let is_deferred = chain.get(kernel)? == context::USER_DEFERRED;
    is_deferred.then(|| (chain.first(kernel), chain.get(kernel + 1).unwrap_or(0)))
}

/// The program's part of the chains of all samples with the same number, from
/// `PERF_RECORD_CALLCHAIN_DEFERRED`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct UserChain<'a> {
    /// The number after the marker in the chains of these samples.
    pub(crate) cookie: u64,
    pub(crate) chain: U64s<'a>,
}

impl<'a> UserChain<'a> {
    /// `None` if there are too few bytes.
    pub(crate) fn parse(body: &'a [u8]) -> Option<UserChain<'a>> {
        let mut body = Bytes(body);
        let (cookie, length) = (body.u64()?, body.u64()?);
        Some(UserChain { cookie, chain: body.u64s(length)? })
    }
}
