//! Functions and the calls in them.

use std::collections::{HashMap, HashSet};

use ocaml_demangle::parts::{FlatSymbol, FunctionKind};

use super::call::{Call, CallFrame};
use super::descriptors::Tables;
use super::name::{self, KnownName, NamedFunctions};
use super::places::Places;
use super::same_calls::SameCalls;
use super::units::{Packs, Units, is_ocaml, unit_of};
use crate::executable::image::CodeSymbol;
use crate::executable::source_line::SourceLine;

/// The functions of OCaml in a program.
#[derive(Debug, Default)]
pub(crate) struct Functions<'a> {
    /// In the order of the code.
    functions: Vec<Function<'a>>,
}

/// A function, and the calls in its code that the frame tables list.
#[derive(Debug)]
pub(crate) struct Function<'a> {
    /// Its index in the code.
    code: usize,
    address: u64,
    /// In bytes; 0 if the symbol has no size.
    size: u64,
    pub(crate) symbol: FlatSymbol<'a>,
    /// One for each function that the tables name, in the order of the calls; rarely more than one.
    calls: Vec<SameCalls<'a>>,
    /// Whether its unit was compiled without `-g`: calls that were inlined from another unit then
    /// seem to be its own.
    pub(crate) lacks_g: bool,
    /// Its name, as far as the tables show it.
    pub(crate) name: KnownName,
}

impl<'a> Functions<'a> {
    /// Finds the functions of `code`, which must be sorted, and the calls in them. Sets the packs
    /// of the calls in `tables`.
    pub(crate) fn of(code: &[CodeSymbol<'a>], tables: &mut Tables<'a>) -> Functions<'a> {
        let units = Units::of(code);
        let ours = code.iter().enumerate();
        let ours = ours.filter(|(_, code)| code.is_function && is_ocaml(code.symbol));
        let functions = ours.filter_map(|(index, code)| {
            let CodeSymbol { address, size, .. } = *code;
            let symbol = units.split(code.symbol)?;
            let (calls, lacks_g, name) = (Vec::new(), false, KnownName::Unknown);
            Some(Function { code: index, address, size, symbol, calls, lacks_g, name })
        });
        let mut functions = Functions { functions: functions.collect() };
        functions.add_packs(&units, &mut tables.calls);
        for call in &tables.calls {
            if let Some(frame) = call.physical()
                && let Some(function) = functions.containing(call.return_address)
            {
                functions.functions[function].add(frame, call.is_allocation);
            }
        }
        functions.mark_units_without_g(tables);
        functions.set_names();
        functions
    }

    /// The function whose code has this index.
    pub(crate) fn get(&self, code: usize) -> Option<&Function<'a>> {
        let found = self.functions.binary_search_by_key(&code, |function| function.code).ok()?;
        self.functions.get(found)
    }

    /// The addresses at which their code begins.
    pub(crate) fn addresses(&self) -> HashSet<u64> {
        self.functions.iter().map(|function| function.address).collect()
    }

    /// The index of the function whose code returns to `return_address`.
    fn containing(&self, return_address: u64) -> Option<usize> {
        // A call may be the last instruction: its return address then belongs to the next function.
        let inside = return_address.checked_sub(1)?;
        let next = self.functions.partition_point(|function| function.address <= inside);
        let last = next.checked_sub(1)?;
        let Function { address, size, .. } = self.functions[last];
        (size == 0 || inside - address < size).then_some(last)
    }

    fn add_packs(&self, units: &Units<'a>, calls: &mut [Call<'a>]) {
        let frames = calls.iter().flat_map(|call| &call.frames);
        let packs = Packs::of(units, frames.map(|frame| unit_of(frame.function)).collect());
        for call in calls {
            let function = self.containing(call.return_address);
            let home = function.map_or(&b""[..], |index| self.functions[index].symbol.unit());
            for frame in &mut call.frames {
                frame.pack = packs.prefix(unit_of(frame.function), home);
            }
        }
    }

    fn set_names(&mut self) {
        let mut named = NamedFunctions::default();
        for function in &self.functions {
            named.add(&function.symbol, &function.calls);
        }
        for function in &mut self.functions {
            function.name = name::name_of(&function.symbol, &function.calls, &named);
        }
    }

    /// Finds the paths of functions that the calls in their code do not name, from the lines of
    /// their definitions. `definitions` has these lines by address.
    pub(crate) fn place(&mut self, calls: &[Call<'a>], definitions: &HashMap<u64, SourceLine>) {
        let mut places = Places::of(calls);
        for function in &self.functions {
            if let (Some(source), Some(path)) =
                (definitions.get(&function.address), function.exact_path())
            {
                places.add(function.symbol.unit(), source, path);
            }
        }
        places.sort();
        let mut named = Vec::new();
        for function in &mut self.functions {
            if let Some(source) = definitions.get(&function.address)
                && let Some(path) = function.place(&places, source)
            {
                named.push((function.symbol.unit(), source, path));
            }
        }
        for (unit, source, path) in named {
            places.add(unit, source, path);
        }
        places.sort();
        for function in &mut self.functions {
            if let Some(source) = definitions.get(&function.address) {
                function.place_anonymous(&places, source);
            }
        }
    }

    /// Finds the units that were compiled without `-g`, and drops their calls that were inlined
    /// from other units.
    fn mark_units_without_g(&mut self, tables: &Tables<'a>) {
        let unit = |address: u64| {
            let function = self.containing(address)?;
            Some(self.functions[function].symbol.unit())
        };
        let mut units: HashMap<&[u8], UnitDebugInfo> = HashMap::new();
        for call in &tables.calls {
            if let (Some(unit), Some(frame)) = (unit(call.return_address), call.physical()) {
                units.entry(unit).or_default().see(call, frame.is_in(unit));
            }
        }
        for unit in tables.bare_allocations.iter().filter_map(|&address| unit(address)) {
            units.entry(unit).or_default().bare_allocations += 1;
        }
        units.retain(|_, debug_info| debug_info.is_missing());
        let without: HashSet<&[u8]> = units.into_keys().collect();
        for function in self.functions.iter_mut().filter(|it| without.contains(it.symbol.unit())) {
            let unit = function.symbol.unit();
            function.lacks_g = true;
            function.calls.retain(|calls| calls.first.is_in(unit));
        }
    }
}

/// Which debug information the code of a unit has.
///
/// Even without `-g` most calls have a line. But then no allocation has one, and a call that was
/// inlined from another unit only has its line there.
#[derive(Clone, Copy, Debug, Default)]
struct UnitDebugInfo {
    /// Whether there is a line that only exists with `-g`.
    only_with_g: bool,
    /// Whether there is a call in a function of another unit.
    foreign: bool,
    bare_allocations: u32,
}

/// With `-g`, few allocations of a unit have no line, those of its classes; units with no other
/// allocations had at most two of them.
const MANY_ALLOCATIONS: u32 = 4;

impl UnitDebugInfo {
    /// Notes a call; `is_own` says whether the function that holds it is one of the unit.
    fn see(&mut self, call: &Call, is_own: bool) {
        self.only_with_g |= call.is_allocation || is_own && call.frames.len() > 1;
        self.foreign |= !is_own;
    }

    fn is_missing(self) -> bool {
        let least = if self.foreign { 1 } else { MANY_ALLOCATIONS };
        !self.only_with_g && self.bare_allocations >= least
    }
}

impl<'a> Function<'a> {
    fn add(&mut self, call: &CallFrame<'a>, is_allocation: bool) {
        match self.calls.iter_mut().find(|same| same.include(call)) {
            Some(same) => same.add(call, is_allocation),
            None => self.calls.push(SameCalls::new(call, is_allocation)),
        }
    }

    /// Its path in its unit, `.Make.add`, if its name is exact; `None` if it is a copy from another
    /// unit, or the code that a unit runs at the start.
    fn exact_path(&self) -> Option<Vec<u8>> {
        let KnownName::Exact(name) = &self.name else { return None };
        let path = name.strip_prefix(&self.unit()[..])?;
        let is_function = self.symbol.function() != Some(FunctionKind::Toplevel);
        (is_function && path.starts_with(b".")).then(|| path.to_vec())
    }

    /// Finds its path in the unit, if only the symbol names the function.
    fn place(&mut self, places: &Places, source: &SourceLine) -> Option<Vec<u8>> {
        let Some(FunctionKind::Named(identifier)) = self.symbol.function() else { return None };
        if self.name != KnownName::Unknown {
            return None;
        }
        let path = places.path_of(self.symbol.unit(), source, &name::written(identifier))?;
        self.name = KnownName::Placed([&self.unit()[..], &path].concat());
        Some(path)
    }

    /// Finds the function or module that it is in, if it is anonymous and has no exact name.
    fn place_anonymous(&mut self, places: &Places, source: &SourceLine) {
        let is_anonymous = self.symbol.function() == Some(FunctionKind::Anonymous);
        if is_anonymous
            && !matches!(self.name, KnownName::Exact(_))
            && let Some(outer) = places.outer_of(self.symbol.unit(), source)
        {
            self.name = KnownName::Within([&self.unit()[..], &outer].concat());
        }
    }

    /// The module path of its unit.
    pub(crate) fn unit(&self) -> Vec<u8> {
        let mut unit = Vec::new();
        self.symbol.write_unit(&mut unit);
        unit
    }

    /// The line of its first call, of those that do not belong to other functions.
    pub(crate) fn first_call(&self) -> Option<SourceLine> {
        name::first_call(&self.symbol, &self.calls)?.source()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn call<'a>(return_address: u64, frames: &[&'a str]) -> Call<'a> {
        let frames = frames.iter().map(|name| CallFrame::new(name, "f.ml", 1)).collect();
        Call { return_address, is_allocation: false, frames }
    }

    fn code(address: u64, symbol: &str, size: u64) -> CodeSymbol<'_> {
        let is_function = !symbol.ends_with("code_begin");
        CodeSymbol { address, symbol: symbol.as_bytes(), size, is_function }
    }

    /// The names according to the calls, in the order of the code.
    fn names(code: &[CodeSymbol], calls: Vec<Call>, bare_allocations: &[u64]) -> Vec<String> {
        let mut tables = Tables { calls, bare_allocations: bare_allocations.to_vec() };
        let functions = Functions::of(code, &mut tables);
        let names = (0..code.len()).filter_map(|index| functions.get(index));
        let names = names.map(|function| match &function.name {
            KnownName::Exact(name) => String::from_utf8(name.clone()).expect("ASCII"),
            KnownName::Placed(_) => "placed".to_owned(),
            KnownName::Within(_) => "within".to_owned(),
            KnownName::Unknown if function.lacks_g => "without -g".to_owned(),
            KnownName::Unknown => "?".to_owned(),
        });
        names.collect()
    }

    #[test]
    fn a_call_is_in_the_function_that_it_returns_to() {
        let code = [
            code(10, "camlA__f_1", 10),
            code(20, "camlA__g_2", 0),
            code(30, "caml_c", 5),
            code(40, "camlA__leaf_3", 10),
        ];
        let calls = vec![
            // The last instruction of f is a call: 20 is where g starts.
            call(20, &["A.M.f"]),
            call(22, &["B.inlined", "A.N.g"]),
            // Before all code, and after the end of leaf.
            call(5, &["A.leaf"]),
            call(0, &["A.leaf"]),
            call(60, &["A.leaf"]),
        ];
        assert_eq!(names(&code, calls, &[]), ["A.M.f", "A.N.g", "?"]);
    }

    #[test]
    fn the_marks_of_units_tell_where_the_name_of_a_unit_ends() {
        let code = [code(10, "camlFoo___code_begin", 0), code(10, "camlFoo___bar_81", 10)];
        assert_eq!(names(&code, vec![call(12, &["Foo_.M.bar"])], &[]), ["Foo_.M.bar"]);
        assert_eq!(names(&code[1..], vec![call(12, &["Foo_.M.bar"])], &[]), ["?"], "Foo._bar");
    }

    #[test]
    fn a_packed_unit_is_told_from_one_of_the_same_name() {
        for (pack, separator) in [("Outer__Irmin", "__"), ("Irmin", "."), ("Irmin", "$")] {
            let own =
                [format!("camlInode{separator}code_begin"), format!("camlInode{separator}f_1")];
            let packed = format!("caml{pack}{separator}Inode{separator}");
            let packed = [format!("{packed}code_begin"), format!("{packed}f_1")];
            let code = [
                code(10, &own[0], 0),
                code(10, &own[1], 10),
                code(20, &packed[0], 0),
                code(20, &packed[1], 10),
            ];
            let calls = vec![call(12, &["Inode.f"]), call(22, &["Inode.f"])];
            let pack = pack.replace("__", ".");
            assert_eq!(names(&code, calls, &[]), ["Inode.f".to_owned(), format!("{pack}.Inode.f")]);
        }
    }

    #[test]
    fn a_packed_unit_is_known_where_it_was_inlined() {
        let code = [
            code(10, "camlIrmin__Inode__code_begin", 0),
            code(10, "camlIrmin__Inode__f_1", 10),
            code(20, "camlMain__code_begin", 0),
            code(20, "camlMain__g_1", 10),
        ];
        let calls = vec![call(12, &["Inode.f"]), call(22, &["Inode.f", "Main.g"])];
        let mut tables = Tables { calls, bare_allocations: Vec::new() };
        Functions::of(&code, &mut tables);
        let names = tables.calls[1].frames.iter().map(CallFrame::readable);
        assert_eq!(names.collect::<Vec<_>>(), [&b"Irmin.Inode.f"[..], b"Main.g"]);
    }

    #[test]
    fn what_was_inlined_into_a_unit_without_g_is_not_its_own() {
        let code = [
            code(10, "camlA__code_begin", 0),
            code(10, "camlA__print_1", 10),
            code(20, "camlA__f_2", 10),
        ];
        let calls = || vec![call(12, &["Stdlib.print"]), call(22, &["A.M.f"])];
        assert_eq!(names(&code, calls(), &[23]), ["without -g", "A.M.f"]);
        // With -g, this is a copy that flambda made.
        let with_g = ["Stdlib.print", "A.M.f"];
        assert_eq!(names(&code, calls(), &[]), with_g);
        let allocation = Call { is_allocation: true, ..call(25, &["A.M.f"]) };
        for other in [allocation, call(25, &["Stdlib.print", "A.M.f"])] {
            let calls = [&calls()[..], &[other]].concat();
            assert_eq!(names(&code, calls, &[23]), with_g);
        }
        // Nothing is inlined; the compiler makes up allocations for a class.
        let own = || vec![call(22, &["A.M.f"])];
        assert_eq!(names(&code, own(), &[23, 24]), ["?", "A.M.f"]);
        assert_eq!(names(&code, own(), &[22, 23, 24, 25]), ["without -g", "A.M.f"]);
    }
}
