use super::super::elf::Elf;
use super::super::testing::{Library, read};
use super::*;
use crate::missing::goes_without;

/// The names at `offsets` in the code of a library: `.text` of the source begins with the bytes
/// `c0de c0de`, and the code follows.
fn names(bytes: &'static [u8], table: &SymbolTable, offsets: &[u64]) -> Vec<String> {
    let elf = Elf::parse(bytes).expect("a library");
    let start = memmem::find(bytes, b"\xc0\xde\xc0\xde").expect("the mark") as u64 + 4;
    let name = |offset: &u64| {
        let address = elf.address_at(start + offset).expect("loaded code");
        let name = table.name(address).unwrap_or_default();
        String::from_utf8(name.into_owned()).expect("UTF-8")
    };
    offsets.iter().map(name).collect()
}

/// The names at these offsets after the mark, of a library with this source.
fn named(source: &str, offsets: &[u64]) -> Vec<String> {
    let source = format!(".text\n.byte 0xc0, 0xde, 0xc0, 0xde\n{source}");
    let bytes = Library::new(&source, &[]).bytes();
    names(bytes, &SymbolTable::read(bytes, None), offsets)
}

/// The directives for a symbol of this type, binding and size, in bytes.
fn symbol(name: &str, kind: &str, binding: &str, size: u32) -> String {
    let binding = if binding == "local" { String::new() } else { format!(".{binding} {name}\n") };
    format!("{binding}.type {name}, @{kind}\n.size {name}, {size}\n{name}:\n")
}

fn function(name: &str, size: u32) -> String {
    symbol(name, "function", "globl", size)
}

#[test]
fn aliases_are_chosen_as_perf_does() {
    for (winner, loser) in [
        (function("a", 16), function("no_size_is_worse", 0)),
        (symbol("a", "function", "local", 16), symbol("weak", "function", "weak", 16)),
        (function("a", 16), symbol("local_is_worse", "function", "local", 16)),
        (function("_a", 16), function("__underscores", 16)),
        (function("longer", 16), function("short", 16)),
        (symbol("a", "function", "local", 16), symbol("label", "notype", "globl", 16)),
    ] {
        for aliases in [format!("{winner}{loser}"), format!("{loser}{winner}")] {
            // The next symbol does not give a size to the last of those without one.
            let next = function("next", 16);
            let found = named(&format!("{aliases}.skip 16\n{next}.skip 16\n"), &[0, 15, 16]);
            assert!(winner.contains(&format!("{}:", found[0])), "{found:?} of {aliases}");
            assert_eq!(found[1..], [found[0].clone(), "next".to_owned()]);
        }
    }
}

#[test]
fn an_ocaml_function_has_its_own_name() {
    // As ocamlopt writes them: the label is longer, and global.
    let source = ".globl camlTree__code_begin\ncamlTree__code_begin:\n".to_owned()
        + &function("camlTree__ins_84", 16)
        + ".skip 16\n"
        + &function("camlTree__sum_90", 8)
        + ".skip 8\n.globl camlTree__code_end\ncamlTree__code_end:\n.skip 8\n";
    let expected = ["camlTree__ins_84", "camlTree__ins_84", "camlTree__sum_90"];
    assert_eq!(named(&source, &[0, 15, 16]), expected);
}

#[test]
fn a_function_without_size_ends_where_the_next_begins() {
    // The linker keeps the order of local symbols.
    let function = |name| symbol(name, "function", "local", 0);
    let [first, longer, last, third] = ["first", "longer", "last", "third"].map(function);
    let source = format!("{first}.skip 16\n{longer}{last}.skip 16\n{third}.skip 4\n");
    // Of aliases only the last gets the size, and so the name.
    let expected = ["first", "first", "last", "third", "third"];
    assert_eq!(named(&source, &[0, 15, 16, 32, 35]), expected);
}

#[test]
fn what_is_behind_a_function_has_no_name() {
    let source = function("f", 8) + ".skip 16\n" + &function("g", 8) + ".skip 8\n";
    assert_eq!(named(&source, &[7, 8, 15, 16]), ["f", "", "", "g"]);
}

#[test]
fn a_function_within_a_function_is_named_and_the_outer_one_behind_it() {
    let source = function("outer", 32) + ".skip 8\n" + &function("inner", 8) + ".skip 24\n";
    assert_eq!(named(&source, &[7, 8, 15, 16, 31]), ["outer", "inner", "inner", "outer", "outer"]);
}

#[test]
fn labels_are_functions_unless_they_are_in_one() {
    let source = ".globl start\nstart:\n.skip 8\n".to_owned()
        + &function("f", 16)
        + ".skip 8\nloop:\n.skip 8\n.globl end\nend:\n.skip 8\n";
    assert_eq!(named(&source, &[0, 7, 8, 16, 23, 24]), ["start", "start", "f", "f", "f", "end"]);
}

#[test]
fn hidden_labels_are_no_functions() {
    let source = ".text\n.byte 0xc0, 0xde, 0xc0, 0xde\nlabel:\n.skip 8\n";
    let mut bytes = Library::new(source, &[]).bytes().to_vec();
    let named = |bytes: &[u8]| {
        let bytes: &'static [u8] = bytes.to_vec().leak();
        names(bytes, &SymbolTable::read(bytes, None), &[0])
    };
    assert_eq!(named(&bytes), ["label"]);
    let file: ElfFile<elf::FileHeader64<LittleEndian>> =
        ElfFile::parse(&bytes[..]).expect("a library");
    let table = file.elf_symbol_table();
    let is_label = |symbol: &&elf::Sym64<LittleEndian>| {
        symbol.name(LittleEndian, table.strings()).is_ok_and(|name| name == b"label")
    };
    let label = table.iter().find(is_label).expect("the label");
    let place = std::ptr::from_ref(label).addr() - bytes.as_ptr().addr();
    // The linker makes hidden symbols local instead; others keep the visibility.
    bytes[place + 5] = elf::STV_HIDDEN.0;
    assert_eq!(named(&bytes), [""]);
}

#[test]
fn labels_of_other_sections_than_text_are_none() {
    let source = ".byte 0\n.section .plain, \"ax\"\n.byte 0xc0, 0xde, 0xc0, 0xdf\n.globl label\nlabel:\n.skip 8\n";
    let source = source.to_owned() + &function("f", 8) + ".skip 8\n";
    let bytes = Library::new(&source, &[]).bytes();
    let elf = Elf::parse(bytes).expect("a library");
    let start = memmem::find(bytes, b"\xc0\xde\xc0\xdf").expect("the mark") as u64 + 4;
    let table = SymbolTable::read(bytes, None);
    let name = |offset| table.name(elf.address_at(start + offset).expect("loaded"));
    assert_eq!([name(0), name(8)], [None, Some(b"f".as_slice().into())]);
}

#[test]
fn mapping_symbols_name_nothing() {
    let source =
        ".text\n.byte 0xc0, 0xde, 0xc0, 0xde\n$x:\n.skip 8\n$d.7:\n.skip 8\n$y:\n.skip 8\n";
    let mut bytes = Library::new(source, &[]).bytes().to_vec();
    // The machine in the header of an ELF file: AArch64.
    bytes[18] = 183;
    let bytes = bytes.leak();
    let table = SymbolTable::read(bytes, None);
    assert_eq!(names(bytes, &table, &[0, 8, 16]), ["", "", "$y"]);
}

/// One function that other files can call, and one that they cannot.
fn exported_and_hidden() -> String {
    let start = ".text\n.byte 0xc0, 0xde, 0xc0, 0xde\n";
    let local = symbol("hidden", "function", "local", 8);
    format!("{start}{}.skip 8\n{local}.skip 8\n", function("exported", 8))
}

#[test]
fn a_stripped_library_has_what_it_exports() {
    let bytes = Library::new(&exported_and_hidden(), &["-s"]).bytes();
    let table = SymbolTable::read(bytes, None);
    assert!(table.is_stripped);
    assert_eq!(names(bytes, &table, &[0, 8]), ["exported", ""]);
}

#[test]
fn a_debug_file_has_the_symbols_of_a_stripped_library() {
    if goes_without(&[&["objcopy", "strip"]]) {
        return;
    }
    let library = Library::new(&exported_and_hidden(), &[]);
    library.run("objcopy", &["--only-keep-debug", "lib.so", "lib.debug"]);
    library.run("strip", &["lib.so"]);
    let bytes = library.bytes();
    let table = SymbolTable::read(bytes, Some(read(&library.path("lib.debug"))));
    assert!(!table.is_stripped);
    assert_eq!(names(bytes, &table, &[0, 8]), ["exported", "hidden"]);
}

#[test]
#[cfg(target_arch = "x86_64")]
fn a_library_of_32_bits_has_symbols_too() {
    let bytes = Library::new(&exported_and_hidden(), &["-m32"]).bytes();
    assert_eq!(bytes[4], 1, "the class of an ELF file of 32 bits");
    let table = SymbolTable::read(bytes, None);
    assert_eq!(names(bytes, &table, &[0, 8]), ["exported", "hidden"]);
}

/// Calls functions of another library; the address of one is also taken.
#[cfg(target_arch = "x86_64")]
const CALLS: &str = "
.text
.globl calls
.type calls, @function
calls:
    call alpha@plt
    call beta@plt
    mov beta@gotpcrel(%rip), %rax
    call *gamma@gotpcrel(%rip)
    call delta@plt
    ret
.size calls, .-calls
";

#[test]
#[cfg(target_arch = "x86_64")]
fn a_stub_is_called_after_its_function() {
    for options in [&["-Wl,-z,lazy"][..], &["-Wl,-z,now"], &["-Wl,-z,ibtplt"]] {
        let library = Library::new(CALLS, options);
        let bytes = library.bytes();
        let table = SymbolTable::read(bytes, None);
        // Follow the calls: e8 and the distance from the next instruction.
        let calls = memmem::find(bytes, &[0x48, 0x8b, 0x05]).expect("the move") - 10;
        let elf = Elf::parse(bytes).expect("a library");
        let called = [calls, calls + 5].map(|call| {
            assert_eq!(bytes[call], 0xe8);
            let distance = bytes[call + 1..].first_chunk().copied().expect("a call");
            let next = elf.address_at(call as u64).expect("loaded code") + 5;
            let stub = next.wrapping_add_signed(i32::from_le_bytes(distance).into());
            table.name(stub).map(Cow::into_owned).unwrap_or_default()
        });
        assert_eq!(called, [b"alpha@plt".to_vec(), b"beta@plt".to_vec()], "{options:?}");
    }
}

#[test]
#[cfg(target_arch = "x86_64")]
fn stubs_of_other_machines_are_in_the_order_of_their_slots() {
    let mut bytes = Library::new(CALLS, &["-Wl,-z,lazy"]).bytes().to_vec();
    let file: ElfFile<elf::FileHeader64<LittleEndian>> =
        ElfFile::parse(&bytes[..]).expect("a library");
    let plt = file.elf_section_table().section_by_name(LittleEndian, b".plt").expect("stubs");
    let start = plt.1.sh_addr(LittleEndian);
    let names = |bytes: &[u8], stubs: u64| {
        let table = SymbolTable::read(bytes.to_vec().leak(), None);
        [stubs, stubs + 16].map(|address| table.name(address).map(Cow::into_owned))
    };
    let by_jumps = names(&bytes, start + 16);
    assert!(by_jumps.iter().flatten().all(|name| name.ends_with(b"@plt")), "{by_jumps:?}");
    // An AArch64, whose stubs begin after 32 bytes.
    bytes[18] = 183;
    assert_eq!(names(&bytes, start + 32), by_jumps);
    assert_eq!(names(&bytes, start + 16)[0], None);
}

#[test]
fn damage_is_no_trouble() {
    #[cfg(target_arch = "x86_64")]
    let bytes = Library::new(CALLS, &[]).bytes();
    #[cfg(not(target_arch = "x86_64"))]
    let bytes = Library::new(&exported_and_hidden(), &[]).bytes();
    // The headers of sections, which end the file, have addresses and sizes.
    for place in bytes.len() - 40 * 64..bytes.len() - 8 {
        if place % 8 == 0 {
            let mut damaged = bytes.to_vec();
            damaged[place..place + 8].fill(0xff);
            SymbolTable::read(damaged.leak(), None).name(0x1000);
        }
    }
    for place in 0..bytes.len() {
        let mut damaged = bytes.to_vec();
        damaged[place] ^= 0xff;
        // Each copy stays in memory: take few.
        if place % 53 == 0 {
            let damaged: &'static [u8] = damaged.leak();
            SymbolTable::read(damaged, None).name(0x1000);
            SymbolTable::read(&damaged[..place], Some(damaged)).name(0x1000);
        }
    }
}
