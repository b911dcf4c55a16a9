//! Addresses of a profile and what is known of them: names that stand in the profile
//! itself, and the files that were mapped there.

use std::borrow::Cow;

use bstr::ByteSlice;
use common::{FrameId, Result, hexadecimal, is_digits};
use hashbrown::HashMap;

use crate::frame::Frame;
use crate::options::Options;
use crate::read::java::place_in_package;
use crate::read::mapped_code::{self, Mapping, mapping};
use crate::read::own_labels::with_object;
use crate::samples::Samples;
use crate::samples::sample::Sample;

/// What is known of addresses.
#[derive(Debug, Default)]
pub(super) struct Addresses {
    mappings: Vec<Mapping>,
    /// The functions at an address, root first.
    symbols: HashMap<u64, Vec<FrameId>>,
}

/// A stack of addresses, leaf first, and its weights.
#[derive(Debug)]
pub(super) struct Unnamed {
    pub(super) addresses: Vec<u64>,
    pub(super) weights: Vec<u64>,
}

impl Addresses {
    /// Reads a line behind the samples: a mapping, or a name,
    /// `0x00007f5e2ff81961 __memcmp_evex` or `0x0000006 f (source.java:06)`. False if
    /// it is neither.
    pub(super) fn line(&mut self, line: &[u8], samples: &mut Samples<'_>) -> bool {
        let line = line.trim_ascii();
        if let Some(mapping) = mapping(line) {
            self.mappings.push(mapping);
            return true;
        }
        let symbol = line.split_once_str(" ").filter(|_| line.starts_with(b"0x"));
        let Some((address, name)) = symbol else { return false };
        let Some(address) = hexadecimal(address) else { return false };
        self.symbols.insert(address, symbol_frames(name.trim_ascii(), samples));
        true
    }

    /// Adds samples whose frames are to be named. All but the leaf are return
    /// addresses; so is the leaf if `leaf_is_call`.
    pub(super) fn add_samples(
        mut self,
        mut unnamed: Vec<Unnamed>,
        leaf_is_call: bool,
        options: &Options,
        samples: &mut Samples<'_>,
    ) -> Result<()> {
        self.mappings.sort_by_key(|mapping| mapping.start);
        // As `FixCallerAddresses` of google-pprof does: an address in the call. The names of a
        // profile are those of its own addresses.
        if self.symbols.is_empty() {
            let first_call = usize::from(!leaf_is_call);
            for stack in &mut unnamed {
                for address in stack.addresses.iter_mut().skip(first_call) {
                    *address = address.saturating_sub(1);
                }
            }
        }
        let all = unnamed.iter().flat_map(|stack| &stack.addresses);
        let nameless = all.filter(|address| !self.symbols.contains_key(*address));
        let nameless = nameless.map(|&address| (address, self.mapping_of(address)));
        let names = mapped_code::name_addresses(nameless, options, samples);
        let mut frames = Vec::new();
        for Unnamed { addresses, weights } in &unnamed {
            frames.clear();
            for address in addresses.iter().rev() {
                match self.symbols.get(address) {
                    Some(symbol) => frames.extend_from_slice(symbol),
                    None => frames.extend_from_slice(names.frames(*address)),
                }
            }
            let leaf = addresses.first().and_then(|&leaf| self.mapping_of(leaf));
            let labels = with_object(&[], leaf.map_or(b"", |mapping| &mapping.path));
            samples.add(&Sample { weights, labels: &labels, ..Sample::default() }, &frames)?;
        }
        Ok(())
    }

    fn mapping_of(&self, address: u64) -> Option<&Mapping> {
        let behind = self.mappings.partition_point(|mapping| mapping.start <= address);
        self.mappings[..behind].last().filter(|mapping| mapping.contains(address))
    }
}

/// The frames of a name. `google-pprof --raw` writes those that were inlined behind
/// the function that has them, with `--` between, and where a name is not the only one
/// its address: `outer(int)<0000000000002376>--inl1--inl2`. C++ has `operator--`.
fn symbol_frames(name: &[u8], samples: &mut Samples<'_>) -> Vec<FrameId> {
    let (name, source) = match name.strip_suffix(b")").and_then(|it| it.rsplit_once_str(" (")) {
        Some((name, source)) if is_source(source) => (name, source),
        _ => (name, &b""[..]),
    };
    let is_java = source.rsplit_once_str(":").is_some_and(|(file, _)| file.ends_with(b".java"));
    let source: Cow<'_, [u8]> =
        if is_java { place_in_package(name, source).into() } else { source.into() };
    let root_first: Vec<&[u8]> = match name.contains_str("operator--") {
        true => vec![name],
        false => name.split_str("--").filter(|name| !name.is_empty()).collect(),
    };
    let mut frames = Vec::new();
    for (depth, name) in root_first.iter().enumerate() {
        let frame = Frame {
            name: without_address(name),
            source: &source,
            inlined: depth > 0,
            ..Frame::default()
        };
        samples.frames(&frame, &mut frames);
    }
    frames
}

/// Whether this is a place in the source, `source.java:06`.
fn is_source(text: &[u8]) -> bool {
    let line = text.rsplit_once_str(":").map_or(&b""[..], |(_, line)| line);
    is_digits(line)
}

/// `fib(unsigned long)` of `fib(unsigned long)<0000000000002343>`.
fn without_address(name: &[u8]) -> &[u8] {
    let Some((before, address)) = name.strip_suffix(b">").and_then(|it| it.rsplit_once_str("<"))
    else {
        return name;
    };
    let is_address = address.len() == 16 && address.iter().all(u8::is_ascii_hexdigit);
    if is_address && !before.is_empty() { before } else { name }
}
