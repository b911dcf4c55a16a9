//! Symbols in the trace, for code that had no names when it was recorded.

use hashbrown::HashMap;

use super::code::{Code, Codes, NO_TEXT};
use super::messages::{
    address_symbols, deobfuscation_mapping, line, module_symbols, obfuscated_class as class,
    obfuscated_member as member,
};
use crate::read::protobuf::{Malformed, repeated};

/// Functions by file, build-id and address, and full names of Java by the obfuscated ones in the
/// code.
#[derive(Default)]
pub(super) struct Symbols {
    lines: HashMap<(u32, u32, u64), Vec<Line>>,
    /// The full names of classes and methods, by the obfuscated ones: `a.b` to `org.demo.Main.run`.
    plain: HashMap<u32, Vec<u8>>,
}

/// A function and its source line.
#[derive(Clone, Copy, Debug)]
pub(super) struct Line {
    pub(super) name: u32,
    pub(super) source: u32,
    pub(super) number: u32,
}

impl Symbols {
    /// The functions at the address of a frame, innermost first.
    pub(super) fn lines(&self, code: &Code) -> &[Line] {
        let key = (code.mapping.path, code.mapping.build_id, code.address);
        self.lines.get(&key).map(Vec::as_slice).unwrap_or_default()
    }

    /// The full name of a method, if its name is obfuscated.
    pub(super) fn plain(&self, name: u32) -> Option<&[u8]> {
        self.plain.get(&name).map(Vec::as_slice)
    }

    /// Adds the symbols of one file.
    pub(super) fn add(&mut self, message: &[u8], codes: &mut Codes) -> Result<(), Malformed> {
        let said = module_symbols::read(message)?;
        let path = codes.text(said.bytes(module_symbols::PATH));
        let build_id = codes.text(said.bytes(module_symbols::BUILD_ID));
        for symbols in repeated(message, module_symbols::ADDRESS_SYMBOLS) {
            let symbols = symbols?;
            let address = address_symbols::read(symbols)?.number(address_symbols::ADDRESS);
            let mut lines = Vec::new();
            for it in repeated(symbols, address_symbols::LINES) {
                let it = line::read(it?)?;
                let name = codes.text(it.bytes(line::FUNCTION_NAME));
                let source = codes.text(it.bytes(line::SOURCE_FILE_NAME));
                let number = u32::try_from(it.number(line::LINE_NUMBER)).unwrap_or_default();
                lines.push(Line { name, source, number });
            }
            if lines.iter().any(|line| line.name != NO_TEXT) {
                self.lines.insert((path, build_id, address), lines);
            }
        }
        Ok(())
    }

    /// Adds the full names of classes.
    pub(super) fn add_plain(&mut self, message: &[u8], codes: &mut Codes) -> Result<(), Malformed> {
        for class in repeated(message, deobfuscation_mapping::OBFUSCATED_CLASSES) {
            let class = class?;
            let names = class::read(class)?;
            let short = names.bytes(class::OBFUSCATED_NAME);
            let long = names.bytes(class::DEOBFUSCATED_NAME);
            for it in repeated(class, class::OBFUSCATED_METHODS) {
                let it = member::read(it?)?;
                let name = [short, b".", it.bytes(member::OBFUSCATED_NAME)].concat();
                let name = codes.text(&name);
                let plain = it.bytes(member::DEOBFUSCATED_NAME);
                // A member of another class has a fully qualified name.
                let plain = match plain.contains(&b'.') {
                    true => plain.to_vec(),
                    false => [long, b".", plain].concat(),
                };
                self.plain.insert(name, plain);
            }
        }
        Ok(())
    }
}
