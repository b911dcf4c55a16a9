//! Programs of macOS, as samply records them: made by hand, since no compiler here builds them.

use std::fs;

use super::{output, parse_command, said};

const UUID: [u8; 16] = [0x3e; 16];

/// Where the program's `__TEXT` is loaded.
const BASE: u64 = 0x1_0000_0000;

// The kinds of symbols.
const LOCAL: u8 = 0x0e;
const EXPORTED: u8 = 0x0f;

/// A program of macOS with one section of code and these symbols: kind, address, name.
fn program(symbols: &[(u8, u64, &str)]) -> Vec<u8> {
    let (header, segment, uuid, symtab) = (32, 72 + 80, 24, 24);
    let commands = segment + uuid + symtab;
    let symbols_at = header + commands;
    let mut names = vec![0];
    let mut table = Vec::new();
    for (kind, address, name) in symbols {
        table.extend(u32::try_from(names.len()).expect("short names").to_le_bytes());
        table.extend([*kind, 1, 0, 0]);
        table.extend((BASE + address).to_le_bytes());
        names.extend([name.as_bytes(), b"\0"].concat());
    }
    let names_at = symbols_at + u32::try_from(table.len()).expect("few symbols");
    let name = |name: &str| {
        let mut bytes = name.as_bytes().to_vec();
        bytes.resize(16, 0);
        bytes
    };
    let halves = |number: u64| [number as u32, (number >> 32) as u32];
    let (text, code) = (halves(BASE), halves(BASE + 0x1000));
    let counts = [symbols.len(), names.len()].map(|it| u32::try_from(it).expect("few symbols"));
    [
        words(&[0xfeed_facf, 0x0100_000c, 0, 2, 3, commands, 0, 0]),
        words(&[0x19, segment]),
        name("__TEXT"),
        words(&[text[0], text[1], 0x4000, 0, 0, 0, 0x4000, 0, 5, 5, 1, 0]),
        name("__text"),
        name("__TEXT"),
        words(&[code[0], code[1], 0x1000, 0, 0x1000, 2, 0, 0, 0x8000_0400, 0, 0, 0]),
        words(&[0x1b, uuid]),
        UUID.to_vec(),
        words(&[2, symtab, symbols_at, counts[0], names_at, counts[1]]),
        table,
        names,
    ]
    .concat()
}

fn words(words: &[u32]) -> Vec<u8> {
    words.iter().flat_map(|word| word.to_le_bytes()).collect()
}

#[test]
fn a_stripped_program_of_macos_needs_its_dsym() {
    let folder = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join("lost-names/macos");
    // An earlier run may have left a folder; before the first one there is none.
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).expect("a writable target directory");
    let app = folder.join("app");
    let id = "3E".repeat(16);
    let profile = format!(
        r#"{{"meta":{{"interval":1,"startTime":0,"version":24,"preprocessedProfileVersion":47,
          "processType":0}},
        "libs":[{{"name":"app","path":"{}","debugName":"app","breakpadId":"{id}0","codeId":"{id}"}}],
        "threads":[{{"name":"main","pid":"7","tid":7,
          "samples":{{"length":1,"stack":[0],"time":[1],"weight":[1],"weightType":"samples"}},
          "stackTable":{{"length":1,"prefix":[null],"frame":[0]}},
          "frameTable":{{"length":1,"func":[0],"address":[4112]}},
          "funcTable":{{"length":1,"name":[0],"resource":[0]}},
          "resourceTable":{{"length":1,"type":[1],"name":[1],"lib":[0]}},
          "stringArray":["0x1010","app"]}}]}}"#,
        app.display()
    );
    let file = folder.join("profile.json");
    fs::write(&file, profile).expect("a writable folder");
    let parsed = || {
        let output = output(parse_command().arg(&file));
        (String::from_utf8_lossy(&output.stdout).into_owned(), said(&output))
    };
    let whole = program(&[(LOCAL, 0x1000, "_work"), (EXPORTED, 0x1800, "_exported")]);
    fs::write(&app, &whole).expect("a writable folder");
    assert_eq!(parsed(), ("work 1\n".to_owned(), Vec::new()));
    fs::write(&app, program(&[(EXPORTED, 0x1800, "_exported")])).expect("a writable folder");
    let why = format!(
        "{}: no symbols for 100.0 % of all frames: it is stripped, and no app.dSYM with its UUID \
         was found: put that beside the file, or name its folder with --debug-dir",
        app.display()
    );
    assert_eq!(parsed(), ("[app+0x1010] 1\n".to_owned(), vec![why]));
    // The suggested remedy works.
    let dsym = folder.join("app.dSYM/Contents/Resources/DWARF");
    fs::create_dir_all(&dsym).expect("a writable folder");
    fs::write(dsym.join("app"), whole).expect("a writable folder");
    assert_eq!(parsed(), ("work 1\n".to_owned(), Vec::new()));
}
