//! Names addresses in a program, as `addr2line -fi` does: inlined functions first.
//!
//! ```text
//! cargo run --example addresses -- PROGRAM 0x1139 0x1150
//! ```
//!
//! Addresses are those that `nm` prints.

use std::error::Error;

use symbolize::{Detail, Location, MappedObject, Objects, Options};

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args_os().skip(1);
    let program = arguments.next().ok_or("expected a program and addresses in it")?;
    let program = std::fs::canonicalize(program)?;
    let mut objects = Objects::new(Options::default());
    let path = program.as_os_str().as_encoded_bytes();
    let object = objects.intern(&MappedObject { path, ..Default::default() });
    let elf = objects.elf(object).ok_or("expected a program that can be read")?;
    let mut batch = Vec::new();
    for argument in arguments {
        let address = argument.to_str().and_then(|text| text.strip_prefix("0x"));
        let address = u64::from_str_radix(address.ok_or("expected an address: 0x1139")?, 16)?;
        let offset = elf.offset_at(address).ok_or("expected an address in the program's code")?;
        batch.push(Location { object, address: offset });
    }
    let resolved = objects.resolve(&batch, Detail { inlines: true, lines: true }, 1);
    for function in (0..batch.len()).flat_map(|index| resolved.frames(index)) {
        println!("{}\n{}", function.name.escape_ascii(), function.source.escape_ascii());
    }
    Ok(())
}
