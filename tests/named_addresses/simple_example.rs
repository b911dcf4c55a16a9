//! samply's example of a program of four units: with split debug information on Linux, and with a
//! `.dSYM` folder on macOS.

use std::path::{Path, PathBuf};

use super::profile::Recorded;
use super::{Code, Functions, copy, folder, named, parse};
use crate::needs::goes_without;
use crate::util::third_party;

const NEEDS: &[&str] = &["llvm-symbolizer"];

/// The files of the example in a folder of its own.
fn example(name: &str, files: &[&str]) -> Option<PathBuf> {
    let from = third_party("samply")?.join("other/simple-example/out").join(name);
    let folder = folder(name);
    files.iter().for_each(|file| copy(&from.join(file), &folder.join(file)));
    Some(folder)
}

fn functions(program: &Path, code: &Code, breakpad_id: &str) -> (Vec<Functions>, String) {
    let recorded = Recorded { breakpad_id, ..Recorded::new(program, &code.build_id) };
    let mut parse = parse();
    parse.write_stdin(recorded.profile(&code.addresses));
    named(parse)
}

/// LLVM finds no `.dwo` files of a program that was moved, but the two programs are the same.
#[test]
fn split_debug_information_of_the_example_is_found() {
    if goes_without(&[NEEDS]) {
        return;
    }
    let dwo = ["main", "main.dwo", "file1.dwo", "file2.dwo", "file3.dwo"];
    let Some(with_dwo) = example("with-dwo", &dwo) else { return };
    let Some(with_dwp) = example("with-dwp", &["main", "main.dwp"]) else { return };
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
    let Some(folder) = example("mac-dsym", &["main", DSYM]) else { return };
    let program = folder.join("main");
    let code = Code::of(&program);
    assert_eq!((code.base, code.addresses.len()), (0x1_0000_0000, 1372));
    let theirs = code.by_llvm(&program);
    let inlined = theirs.iter().filter(|functions| functions.len() > 1).count();
    assert!(inlined > 100, "{inlined}");
    // Profiles of macOS have a UUID, as Breakpad writes it or as a code's identity or both.
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
