//! The addresses of leaves, and the functions that they are in.

use std::collections::BTreeMap;
use std::ops::Range;
use std::path::{Path, PathBuf};

use bstr::ByteSlice;
use common::names::{printable, symbol_name};
use common::{folded::FoldedLine, io::map_executable, numbers::hexadecimal};
use hashbrown::HashMap;
use symbolize::executable::Symbols;
use symbolize::{below_root, section_bytes};

/// What the leaves at each address of each object weigh.
#[derive(Default)]
pub(crate) struct Objects {
    addresses: HashMap<Object, BTreeMap<u64, u64>>,
}

/// A file as it was recorded.
#[derive(PartialEq, Eq, Hash)]
struct Object {
    path: Vec<u8>,
    /// In hexadecimal; empty if it is not known.
    build_id: Vec<u8>,
}

/// A function of a file that was found.
pub(crate) struct Function {
    pub(crate) name: Vec<u8>,
    pub(crate) file: PathBuf,
    pub(crate) addresses: Range<u64>,
    /// By address.
    pub(crate) weights: BTreeMap<u64, u64>,
}

impl Function {
    /// What all its instructions weigh.
    pub(crate) fn weight(&self) -> u64 {
        self.weights.values().sum()
    }
}

impl Objects {
    /// Adds the leaf of a line, if the labels say where it is.
    pub(crate) fn add(&mut self, line: &FoldedLine<'_>) {
        let label = |key: &str| line.labels.get(key.as_bytes());
        let address = label("addr").and_then(hexadecimal);
        let (Some(path), Some(address)) = (label("object"), address) else { return };
        let build_id = label("build_id").unwrap_or_default().to_vec();
        let object = Object { path: path.to_vec(), build_id };
        *self.addresses.entry(object).or_default().entry(address).or_default() += line.count;
    }

    /// Whether no line had the labels.
    pub(crate) fn is_empty(&self) -> bool {
        self.addresses.is_empty()
    }

    /// The functions of all files that were found, the heaviest first, and a message about the
    /// others.
    pub(crate) fn into_functions(self, symfs: Option<&Path>) -> (Vec<Function>, Option<String>) {
        let mut functions = Vec::new();
        let mut missing = Vec::new();
        for (object, weights) in self.addresses {
            match object.find(symfs) {
                Some((file, symbols)) => functions.extend(split(&file, &symbols, weights)),
                None => missing.push(object.path),
            }
        }
        functions.sort_by(|one: &Function, other| {
            other.weight().cmp(&one.weight()).then_with(|| one.name.cmp(&other.name))
        });
        (functions, hint(missing))
    }
}

impl Object {
    /// The file that was recorded, and its functions.
    fn find(&self, symfs: Option<&Path>) -> Option<(PathBuf, Symbols)> {
        let file = match symfs {
            Some(symfs) => below_root(symfs, &self.path),
            // Which folder a relative path counts from was not recorded.
            None => Some(self.path.to_path_lossy()).filter(|it| it.is_absolute())?.into_owned(),
        };
        let bytes = map_executable(&file).ok()?;
        let is_it = self.build_id.is_empty() || build_id(bytes) == self.build_id;
        let symbols = is_it.then(|| Symbols::parse(bytes).ok()).flatten()?;
        Some((file, symbols))
    }
}

/// The build-id of an executable in hexadecimal: what follows 12 bytes of sizes and `GNU`.
fn build_id(bytes: &[u8]) -> Vec<u8> {
    let note = section_bytes(bytes, ".note.gnu.build-id").unwrap_or_default();
    let id = note.get(16..).unwrap_or_default();
    id.iter().flat_map(|byte| format!("{byte:02x}").into_bytes()).collect()
}

/// The functions of a file that these addresses are in. A function ends where the next one starts.
fn split(file: &Path, symbols: &Symbols, weights: BTreeMap<u64, u64>) -> Vec<Function> {
    let mut functions: BTreeMap<u64, Function> = BTreeMap::new();
    let starts: Vec<u64> = symbols.functions.iter().map(|function| function.address).collect();
    for (address, weight) in weights {
        let after = starts.partition_point(|&start| start <= address);
        let Some(symbol) = after.checked_sub(1).map(|at| &symbols.functions[at]) else { continue };
        let function = functions.entry(symbol.address).or_insert_with(|| Function {
            name: symbol_name(symbol),
            file: file.to_owned(),
            addresses: symbol.address..starts.get(after).copied().unwrap_or(u64::MAX),
            weights: BTreeMap::new(),
        });
        function.weights.insert(address, weight);
    }
    functions.into_values().collect()
}

fn hint(mut missing: Vec<Vec<u8>>) -> Option<String> {
    missing.sort_unstable();
    let first = missing.first()?;
    let others = match missing.len() - 1 {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    Some(format!(
        "not the file that was recorded, or without symbols: {}{others}: --symfs DIR says where it is",
        printable(first)
    ))
}
