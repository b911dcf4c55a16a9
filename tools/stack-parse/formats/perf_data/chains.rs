//! Call chains that do not stand in their sample as they are: those that the
//! processor kept as branches (LBR), and those of programs that the kernel writes
//! later.

use super::bytes::{Bytes, U64s};
use super::sample::{RawSample, context};

/// A chain that is being made.
#[derive(Debug, Default)]
pub(super) struct Chain {
    bytes: Vec<u8>,
}

impl Chain {
    pub(super) fn get(&self) -> U64s<'_> {
        U64s::new(&self.bytes)
    }

    fn set(&mut self, chain: U64s<'_>) {
        self.bytes.clear();
        self.bytes.extend_from_slice(chain.bytes());
    }

    fn push(&mut self, number: u64) {
        self.bytes.extend_from_slice(&number.to_le_bytes());
    }

    /// The kernel's part of the sample's chain, then where its branches went: calls
    /// that did not return yet, the latest first. False where the sample has none or
    /// was not taken in a program, then its own chain is right.
    pub(super) fn set_branches(&mut self, sample: &RawSample<'_>) -> bool {
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

    /// The kernel's part of a chain, then the program's, which was written later.
    pub(super) fn merge(&mut self, kernel: U64s<'_>, user: U64s<'_>) {
        self.set(kernel);
        if user.get(0).is_some_and(|number| number < context::FIRST) {
            self.push(context::USER);
        }
        self.bytes.extend_from_slice(user.bytes());
    }
}

/// The part of a chain that is there, and the number by which the record is found
/// that holds the program's part: it stands behind a marker at the end.
pub(super) fn deferred(chain: U64s<'_>) -> Option<(U64s<'_>, u64)> {
    let kernel = chain.len().checked_sub(2)?;
    let is_deferred = chain.get(kernel)? == context::USER_DEFERRED;
    is_deferred.then(|| (chain.first(kernel), chain.get(kernel + 1).unwrap_or(0)))
}

/// The program's part of the chains of all samples with the same number, from
/// `PERF_RECORD_CALLCHAIN_DEFERRED`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct UserChain<'a> {
    /// What the samples have behind their marker.
    pub(super) cookie: u64,
    pub(super) chain: U64s<'a>,
}

impl<'a> UserChain<'a> {
    /// `None` if there are too few bytes.
    pub(super) fn parse(body: &'a [u8]) -> Option<UserChain<'a>> {
        let mut body = Bytes(body);
        let (cookie, length) = (body.u64()?, body.u64()?);
        Some(UserChain { cookie, chain: body.u64s(length)? })
    }
}
