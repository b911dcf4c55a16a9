//! Backtraces, root first (src/backtrace_codec.ml).
//!
//! The part that a backtrace shares with the one before is not repeated. The rest is coded by a
//! cache of location codes, each with a guess of the code that follows it.

use super::codes::{CodeId, Codes};
use super::malformed::Malformed;
use super::packets::Verifier;
use crate::read::bytes::Bytes;

const BUCKETS: usize = 1 << 14;

/// The most codes of a stack: only a damaged trace has more.
const DEEPEST: usize = 1 << 24;

/// The state of one domain's writer.
#[derive(Debug)]
pub(super) struct Backtraces {
    /// The code in each bucket.
    codes: Vec<CodeId>,
    /// For each bucket, the one that followed it last time.
    next: Vec<u16>,
    last: Vec<CodeId>,
}

impl Backtraces {
    pub(super) fn new() -> Backtraces {
        let codes = vec![Codes::ZERO; BUCKETS];
        Backtraces { codes, next: vec![0; BUCKETS], last: Vec::new() }
    }

    /// The backtrace that was read last.
    pub(super) fn last(&self) -> &[CodeId] {
        &self.last
    }

    /// Checks that the writer's cache was the same.
    pub(super) fn verify(&self, verifier: &Verifier, codes: &Codes) -> Result<(), Malformed> {
        let bucket = usize::from(verifier.bucket);
        let is_same = self.next.get(bucket) == Some(&verifier.next)
            && codes.code(self.codes[bucket]) == verifier.code;
        if is_same { Ok(()) } else { Err(Malformed::Verifier) }
    }

    /// Reads a backtrace that starts with `common` codes of the one before and has `words` more
    /// code words. Returns how many codes are still those of the one before.
    pub(super) fn read(
        &mut self,
        common: u64,
        words: u16,
        bytes: &mut Bytes<'_>,
        codes: &mut Codes,
    ) -> Result<usize, Malformed> {
        let common = usize::try_from(common).unwrap_or(usize::MAX);
        if common <= self.last.len() {
            self.last.truncate(common);
            self.read_words(words, bytes, codes)?;
            return Ok(common);
        }
        // The one before was too long, so the writer cut off its leaves: the rest of it is kept.
        // The cache still learns.
        let kept = self.last.clone();
        self.read_words(words, bytes, codes)?;
        self.last = kept;
        Ok(self.last.len())
    }

    /// Reads code words: 14 bits of bucket, 2 bits of what follows.
    fn read_words(
        &mut self,
        words: u16,
        bytes: &mut Bytes<'_>,
        codes: &mut Codes,
    ) -> Result<(), Malformed> {
        let Backtraces { codes: cache, next, last } = self;
        let mut bucket = 0;
        for _ in 0..words {
            let word = bytes.u16()?;
            let previous = std::mem::replace(&mut bucket, usize::from(word >> 2));
            next[previous] = word >> 2;
            let guessed = match word & 3 {
                // A code that is not in the cache.
                3 => {
                    cache[bucket] = codes.id(bytes.u64()?);
                    0
                }
                2 => bytes.u8()?,
                // No more bytes: this is the number of right guesses.
                few => few as u8,
            };
            last.push(cache[bucket]);
            for _ in 0..guessed {
                bucket = usize::from(next[bucket]);
                last.push(cache[bucket]);
            }
            if last.len() > DEEPEST {
                return Err(Malformed::Depth);
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A cache miss: the code goes into `bucket`.
    fn miss(bucket: u16, code: u64) -> Vec<u8> {
        [&(bucket << 2 | 3).to_le_bytes()[..], &code.to_le_bytes()].concat()
    }

    fn hit(bucket: u16, guessed: u16) -> Vec<u8> {
        if guessed < 2 {
            return (bucket << 2 | guessed).to_le_bytes().to_vec();
        }
        [&(bucket << 2 | 2).to_le_bytes()[..], &[guessed as u8]].concat()
    }

    #[test]
    fn backtraces_are_built_from_cache_and_guesses() {
        let (mut backtraces, mut codes) = (Backtraces::new(), Codes::new());
        let mut read = |common: u64, words: &[Vec<u8>]| {
            let bytes = words.concat();
            let common =
                backtraces.read(common, words.len() as u16, &mut Bytes(&bytes), &mut codes)?;
            let last = backtraces.last().iter().map(|&id| codes.code(id));
            Ok((common, last.collect::<Vec<_>>()))
        };
        assert_eq!(read(0, &[miss(7, 70), miss(8, 80), miss(9, 90)]), Ok((0, vec![70, 80, 90])));
        assert_eq!(read(0, &[hit(7, 1)]), Ok((0, vec![70, 80])));
        assert_eq!(read(1, &[hit(9, 0)]), Ok((1, vec![70, 90])));
        assert_eq!(read(0, &[hit(7, 2)]), Ok((0, vec![70, 80, 90])));
        // The last one is shorter than what is said to be common.
        assert_eq!(read(5, &[miss(8, 81)]), Ok((3, vec![70, 80, 90])));
        assert_eq!(read(0, &[hit(8, 0)]), Ok((0, vec![81])));
        assert_eq!(read(0, &[hit(7, 0)[..1].to_vec()]), Err(Malformed::Short));
    }

    #[test]
    fn the_cache_is_verified() {
        let (mut backtraces, mut codes) = (Backtraces::new(), Codes::new());
        let words = [miss(7, 70), hit(8, 0)].concat();
        backtraces.read(0, 2, &mut Bytes(&words), &mut codes).expect("two words");
        let verify = |bucket, next, code| {
            backtraces.verify(&Verifier { bucket, next, code }, &codes).is_ok()
        };
        assert!(verify(7, 8, 70));
        assert!(verify(100, 0, 0));
        assert!(!verify(7, 8, 71));
        assert!(!verify(7, 9, 70));
        assert!(!verify(BUCKETS as u16, 0, 0));
    }
}
