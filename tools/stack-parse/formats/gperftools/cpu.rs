//! The processor's profile: words of four or eight bytes in either byte order.

use std::io::Read;

use bstr::ByteSlice;
use common::{Error, Result, io::Input};

use crate::format::Head;
use crate::options::Options;
use crate::read::addresses::{Addresses, Unnamed};
use crate::read::bad_weights::note_bad_weights;
use crate::read::bytes::{Bytes, Endian};
use crate::samples::Samples;
use crate::samples::events::Measure;

/// The measures of a sample.
const MEASURES: [Measure<'static>; 2] =
    [Measure { name: b"samples", unit: b"samples" }, Measure { name: b"cpu", unit: b"ns" }];

/// How `google-pprof --raw` begins, and what it writes before the profile.
const SYMBOLS: &[u8] = b"--- symbol\n";
const PROFILE: &[u8] = b"\n--- profile\n";

/// Whether an input begins as a profile does, or with the names of its addresses.
pub(super) fn detect(head: &Head<'_>) -> bool {
    let is_raw = || head.bytes.starts_with(SYMBOLS) && head.bytes.contains_str(PROFILE);
    Words::of(head.bytes).is_some() || is_raw()
}

/// Words of one size and order.
#[derive(Clone, Copy, Debug)]
struct Words<'a> {
    bytes: Bytes<'a>,
    /// In bytes.
    size: usize,
    endian: Endian,
}

impl<'a> Words<'a> {
    /// Words that begin as a profile: 0, 3, a version, the period and 0.
    fn of(bytes: &'a [u8]) -> Option<Words<'a>> {
        use Endian::{Big, Little};
        [(8, Little), (8, Big), (4, Little), (4, Big)].into_iter().find_map(|(size, endian)| {
            let words = Words { bytes: Bytes(bytes), size, endian };
            let header: Vec<u64> = words.take(5).collect();
            matches!(header[..], [0, 3, 0 | 1, period, 0] if period > 0).then_some(words)
        })
    }
}

impl Iterator for Words<'_> {
    type Item = u64;

    fn next(&mut self) -> Option<u64> {
        self.bytes.sized(self.size, self.endian).ok()
    }
}

/// Reads one input to its end.
///
/// # Errors
///
/// [`Error::Input`], [`Error::Unknown`] where it is cut short, after what came before
/// was read; or what adding samples returns.
pub(super) fn parse(input: &mut Input, options: &Options, samples: &mut Samples<'_>) -> Result<()> {
    let name = input.name().to_owned();
    let mut bytes = Vec::new();
    let broken = input.read_to_end(&mut bytes).err();
    let mut addresses = Addresses::default();
    let start = bytes.find(PROFILE).map_or(0, |at| at + PROFILE.len());
    for line in bytes[..start].lines() {
        addresses.line(line, samples);
    }
    let Some(mut words) = Words::of(&bytes[start..]) else {
        let what = "expected the header of a processor profile of gperftools".to_owned();
        return Err(Error::Unknown { name, what });
    };
    let period = words.nth(3).unwrap_or_default();
    let _padding = words.next();
    // 'google-pprof --raw' writes 1 in place of the period, and then the time is not known.
    let period = Some(period).filter(|period| start == 0 || *period != 1);
    let measures = if period.is_some() { &MEASURES[..] } else { &MEASURES[..1] };
    samples.events.set_measures_with(measures, measures.len() - 1);
    if let Some(period) = period {
        samples.facts.note_interval(period.saturating_mul(1000));
    }
    let (unnamed, bad_weights, has_end) = read_samples(&mut words, period);
    note_bad_weights(bad_weights, samples);
    // 'google-pprof --raw' writes no end.
    let is_whole = has_end || start > 0 && words.bytes.is_empty();
    let at = bytes.len() - words.bytes.len();
    for line in words.bytes.0.lines().take_while(|_| is_whole) {
        addresses.line(line, samples);
    }
    addresses.add_samples(unnamed, false, options, samples)?;
    match broken {
        Some(source) => Err(Error::Input { name, source }),
        None if !is_whole => {
            let what = format!(
                "expected a sample or the end of samples at byte {at}; what came before is kept"
            );
            Err(Error::Unknown { name, what })
        }
        None => Ok(()),
    }
}

/// Reads the samples: a count, a depth and as many addresses; 0, 1 and 0 end them. Returns them,
/// how many were left out because their time does not fit into 64 bits, and whether the end was
/// there. `period` is in microseconds; without one they have no time.
fn read_samples(words: &mut Words<'_>, period: Option<u64>) -> (Vec<Unnamed>, u64, bool) {
    let (mut unnamed, mut bad_weights) = (Vec::new(), 0);
    loop {
        let mut ahead = *words;
        let (Some(count), Some(depth)) = (ahead.next(), ahead.next()) else {
            return (unnamed, bad_weights, false);
        };
        let room = ahead.bytes.len() / ahead.size;
        let Some(depth) = usize::try_from(depth).ok().filter(|depth| *depth <= room) else {
            return (unnamed, bad_weights, false);
        };
        let mut addresses: Vec<u64> = ahead.by_ref().take(depth).collect();
        *words = ahead;
        if (count, &addresses[..]) == (0, &[0]) {
            return (unnamed, bad_weights, true);
        }
        // The leaf may be there twice: from the signal and from the stack.
        if let [leaf, caller, ..] = addresses[..]
            && leaf == caller
        {
            addresses.remove(0);
        }
        let time = |period: u64| period.checked_mul(1000)?.checked_mul(count);
        match period.map(time) {
            None => unnamed.push(Unnamed { addresses, weights: vec![count] }),
            Some(Some(time)) => unnamed.push(Unnamed { addresses, weights: vec![count, time] }),
            Some(None) => bad_weights += 1,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_any_size_and_order() {
        use Endian::{Big, Little};
        for (size, endian) in [(8, Little), (8, Big), (4, Little), (4, Big)] {
            let bytes: Vec<u8> = [0u64, 3, 0, 10_000, 0, 7, 2, 0x1234, 0x5678, 0, 1, 0, 9]
                .iter()
                .flat_map(|word| match endian {
                    Big => word.to_be_bytes()[8 - size..].to_vec(),
                    Little => word.to_le_bytes()[..size].to_vec(),
                })
                .collect();
            let mut words = Words::of(&bytes).expect("a profile");
            assert_eq!((words.size, words.endian), (size, endian));
            words.nth(4);
            let (unnamed, bad_weights, is_whole) = read_samples(&mut words, Some(1000));
            assert!(is_whole && bad_weights == 0);
            assert_eq!(unnamed.len(), 1);
            assert_eq!(unnamed[0].addresses, [0x1234, 0x5678]);
            assert_eq!(unnamed[0].weights, [7, 7_000_000]);
            assert_eq!(words.next(), Some(9));
        }
        assert!(Words::of(&[0; 64]).is_none());
    }
}
