//! The addresses of a profile in text, and how they are named: by names in the profile itself, or
//! by the files that were mapped there.

use std::borrow::Cow;

use bstr::ByteSlice;
use common::numbers::{hexadecimal, is_digits};
use common::{Result, stacks::FrameId};
use hashbrown::HashMap;

use super::java::place_in_package;
use super::mapped_code::{self, Mapping, Names, mapping};
use super::own_labels::with_object;
use crate::frame::Frame;
use crate::options::Options;
use crate::samples::Samples;
use crate::samples::sample::Sample;

/// The names and mappings that a profile has.
#[derive(Debug, Default)]
pub(crate) struct Addresses {
    mappings: Vec<Mapping>,
    /// The functions at an address, root first.
    symbols: HashMap<u64, Vec<FrameId>>,
}

/// Addresses whose frames are all known.
#[derive(Debug)]
pub(crate) struct NamedAddresses {
    addresses: Addresses,
    names: Names<u64>,
}

/// A stack of addresses, leaf first, and its weights.
#[derive(Debug)]
pub(crate) struct Unnamed {
    pub(crate) addresses: Vec<u64>,
    pub(crate) weights: Vec<u64>,
}

impl Addresses {
    /// Reads a line outside the samples: a mapping, or a name, `0x00007f5e2ff81961 __memcmp_evex`
    /// or `0x0000006 f (source.java:06)`. False if it is neither.
    pub(crate) fn line(&mut self, line: &[u8], samples: &mut Samples<'_>) -> bool {
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

    /// Names the frames of samples and adds them. All addresses but the leaf are return addresses;
    /// so is the leaf if `leaf_is_call`.
    pub(crate) fn add_samples(
        self,
        mut unnamed: Vec<Unnamed>,
        leaf_is_call: bool,
        options: &Options,
        samples: &mut Samples<'_>,
    ) -> Result<()> {
        // Moves return addresses into the call, like `FixCallerAddresses` of google-pprof. If the
        // profile has names, they are for its addresses as they are.
        if self.symbols.is_empty() {
            let first_call = usize::from(!leaf_is_call);
            for stack in &mut unnamed {
                for address in stack.addresses.iter_mut().skip(first_call) {
                    *address = address.saturating_sub(1);
                }
            }
        }
        let all = unnamed.iter().flat_map(|stack| &stack.addresses);
        let named = self.name(all.copied(), options, samples);
        let mut frames = Vec::new();
        for Unnamed { addresses, weights } in &unnamed {
            frames.clear();
            named.push_root_first(addresses.iter().copied(), &mut frames);
            let labels = with_object(&[], named.object_of_leaf(addresses.first().copied()));
            samples.add(&Sample { weights, labels: &labels, ..Sample::default() }, &frames)?;
        }
        Ok(())
    }

    /// Names addresses, once all lines of the profile are read; an address may come several times.
    pub(crate) fn name(
        mut self,
        addresses: impl Iterator<Item = u64>,
        options: &Options,
        samples: &mut Samples<'_>,
    ) -> NamedAddresses {
        self.mappings.sort_by_key(|mapping| mapping.start);
        let nameless = addresses.filter(|address| !self.symbols.contains_key(address));
        let nameless = nameless.map(|address| (address, self.mapping_of(address)));
        let names = mapped_code::name_addresses(nameless, options, samples);
        NamedAddresses { addresses: self, names }
    }

    /// Whether the profile itself has a name for an address.
    pub(crate) fn has_symbol(&self, address: u64) -> bool {
        self.symbols.contains_key(&address)
    }

    fn mapping_of(&self, address: u64) -> Option<&Mapping> {
        let behind = self.mappings.partition_point(|mapping| mapping.start <= address);
        self.mappings[..behind].last().filter(|mapping| mapping.contains(address))
    }
}

impl NamedAddresses {
    /// Appends the frames of a stack, root first; its addresses are leaf first.
    pub(crate) fn push_root_first(
        &self,
        leaf_first: impl DoubleEndedIterator<Item = u64>,
        frames: &mut Vec<FrameId>,
    ) {
        for address in leaf_first.rev() {
            match self.addresses.symbols.get(&address) {
                Some(symbol) => frames.extend_from_slice(symbol),
                None => frames.extend_from_slice(self.names.frames(address)),
            }
        }
    }

    /// The file with the code of a leaf; empty if it is not known.
    pub(crate) fn object_of_leaf(&self, leaf: Option<u64>) -> &[u8] {
        let mapping = leaf.and_then(|leaf| self.addresses.mapping_of(leaf));
        mapping.map_or(b"", |mapping| &mapping.path)
    }
}

/// The frames of a name, root first. `google-pprof --raw` writes inlined functions after the one
/// that contains them, with `--` between, and adds the address to a name that several functions
/// share: `outer(int)<0000000000002376>--inl1--inl2`. C++ has `operator--`.
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
