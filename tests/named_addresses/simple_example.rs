//! samply's example of a program with four units: with split debug information on Linux, and with a
//! `.dSYM` folder on macOS.

use std::fs;
use std::path::{Path, PathBuf};

use super::profile::Recorded;
use super::{Code, Functions, copy, folder, named, parse};
use crate::needs::goes_without;
use crate::util::third_party;

const NEEDS: &[&str] = &["llvm-symbolizer"];

/// The files of the example called `name`, in a folder of this test's own.
fn example(test: &str, name: &str, files: &[&str]) -> Option<PathBuf> {
    let from = third_party("samply")?.join("other/simple-example/out").join(name);
    let folder = folder(test);
    files.iter().for_each(|file| copy(&from.join(file), &folder.join(file)));
    Some(folder)
}

fn functions(program: &Path, code: &Code, breakpad_id: &str) -> (Vec<Functions>, String) {
    let recorded = Recorded { breakpad_id, ..Recorded::new(program, &code.build_id) };
    let mut parse = parse();
    parse.write_stdin(recorded.profile(&code.addresses));
    named(parse)
}

/// LLVM does not find the `.dwo` files of a program that was moved; the two programs are the same
/// otherwise.
#[test]
fn split_debug_information_of_the_example_is_found() {
    if goes_without(&[NEEDS]) {
        return;
    }
    let dwo = ["main", "main.dwo", "file1.dwo", "file2.dwo", "file3.dwo"];
    let Some(with_dwo) = example("example-dwo", "with-dwo", &dwo) else { return };
    let Some(with_dwp) = example("example-dwp", "with-dwp", &["main", "main.dwp"]) else { return };
    let theirs = Code::of(&with_dwp.join("main")).by_llvm(&with_dwp.join("main"));
    assert!(theirs.iter().any(|functions| functions.len() > 1));
    for program in [with_dwo.join("main"), with_dwp.join("main")] {
        let code = Code::of(&program);
        let (ours, said) = functions(&program, &code, "");
        code.assert_same(&ours, &theirs);
        assert!(!said.contains("inlined functions"), "{said}");
    }
}

const DSYM: &str = "main.dSYM/Contents/Resources/DWARF/main";

#[test]
fn the_dsym_folder_of_the_example_is_found() {
    if goes_without(&[NEEDS]) {
        return;
    }
    let Some(folder) = example("example-dsym", "mac-dsym", &["main", DSYM]) else { return };
    let program = folder.join("main");
    let code = Code::of(&program);
    assert_eq!((code.base, code.addresses.len()), (0x1_0000_0000, 1372));
    let theirs = code.by_llvm(&program);
    let inlined = theirs.iter().filter(|functions| functions.len() > 1).count();
    assert!(inlined > 100, "{inlined}");
    // Profiles of macOS have a UUID, in Breakpad's form, as a code id, or both.
    let uuid = code.build_id.to_uppercase();
    let breakpad_id = format!("{uuid}0");
    let by_breakpad = Code { build_id: String::new(), addresses: code.addresses.clone(), ..code };
    assert_eq!(functions(&program, &by_breakpad, &breakpad_id), (theirs.clone(), String::new()));
    let by_both = Code { build_id: uuid, addresses: code.addresses.clone(), ..code };
    assert_eq!(functions(&program, &by_both, &breakpad_id), (theirs, String::new()));
    let other = Code { build_id: String::new(), addresses: code.addresses, ..code };
    let (ours, said) = functions(&program, &other, "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA0");
    assert!(ours.iter().all(|functions| functions.len() == 1 && functions[0].name.is_empty()));
    assert!(said.contains("its build-id is cf441af5bb7e35678d44451d69214d92"), "{said}");
}

/// Xcode puts the folder beside the bundle that contains the program.
#[test]
fn the_dsym_folder_is_found_beside_a_bundle() {
    let Some(folder) = example("example-bundle", "mac-dsym", &["main", DSYM]) else { return };
    let (program, debug) = (folder.join("main"), folder.join(DSYM));
    let in_bundle = folder.join("Demo.app/Contents/MacOS/main");
    copy(&program, &in_bundle);
    let alone = lines_of(&in_bundle);
    copy(&debug, &folder.join("Demo.app.dSYM/Contents/Resources/DWARF/main"));
    assert_eq!((alone, lines_of(&in_bundle)), (0, lines_of(&program)));
}

/// How many addresses of a program have a line.
fn lines_of(program: &Path) -> usize {
    let code = Code::of(program);
    let (ours, _) = functions(program, &code, "");
    ours.iter().filter(|functions| !functions[0].place.is_empty()).count()
}

#[test]
fn a_universal_file_holds_the_program_of_the_same_uuid() {
    let Some(folder) = example("example-universal", "mac-dsym", &["main", DSYM]) else { return };
    let program = folder.join("main");
    let code = Code::of(&program);
    let expected = functions(&program, &code, "");
    assert!(expected.0.iter().any(|functions| functions.len() > 1));
    for file in ["main", DSYM] {
        let own = fs::read(folder.join(file)).expect("a program");
        fs::write(folder.join(file), universal(&own, &code.build_id)).expect("a writable folder");
    }
    assert_eq!(functions(&program, &code, ""), expected);
}

/// A universal file with two programs: this one with another UUID, and this one.
fn universal(program: &[u8], uuid: &str) -> Vec<u8> {
    const ALIGNED: usize = 1 << 14;
    let digit = |at: usize| u8::from_str_radix(&uuid[at..at + 2], 16).expect("a digit");
    let uuid: Vec<u8> = (0..uuid.len()).step_by(2).map(digit).collect();
    let mut other = program.to_vec();
    let at = memchr::memmem::find(&other, &uuid).expect("the UUID");
    other[at..at + uuid.len()].fill(0xaa);
    let size = program.len().next_multiple_of(ALIGNED);
    let word = |number: usize| u32::try_from(number).expect("a small file").to_be_bytes();
    // FAT_MAGIC, the number of programs; for each: processor, subtype, offset, size, alignment.
    let mut file = [0xcafe_babe_u32.to_be_bytes(), word(2)].concat();
    for (processor, kind, place) in [(0x100_000c, 0, ALIGNED), (0x100_000c, 2, ALIGNED + size)] {
        file.extend([processor, kind, place, program.len(), 14].map(word).concat());
    }
    for part in [&other[..], program] {
        file.resize(file.len().next_multiple_of(ALIGNED), 0);
        file.extend_from_slice(part);
    }
    file
}
