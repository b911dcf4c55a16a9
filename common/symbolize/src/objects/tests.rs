use std::fs;

use super::testing::Library;
use super::*;

/// A library with functions `a` and `b` of 16 bytes, in a folder that is used as `/`.
fn library(build_id: &str) -> Library {
    let function = |name| {
        format!(".globl {name}\n.type {name}, @function\n{name}:\n.skip 16\n.size {name}, 16\n")
    };
    let source = format!(".text\n.byte 0xc0, 0xde, 0xc0, 0xde\n{}{}", function("a"), function("b"));
    Library::new(&source, &[&format!("-Wl,--build-id=0x{build_id}")])
}

/// The offset of the functions in the file.
fn code(library: &Library) -> u64 {
    let bytes = library.bytes();
    memchr::memmem::find(bytes, b"\xc0\xde\xc0\xde").expect("the mark") as u64 + 4
}

fn objects(library: &Library) -> Objects {
    let root = Some(library.folder.path().to_owned());
    Objects::new(Options { root, ..Options::default() })
}

fn mapped(path: &str) -> MappedObject<'_> {
    MappedObject { path: path.as_bytes(), pid: Some(7), ..MappedObject::default() }
}

/// The names of locations, each of which is one function.
fn names(objects: &mut Objects, batch: &[Location], threads: usize) -> Vec<String> {
    let resolved = objects.resolve(batch, Detail::default(), threads);
    let name = |index| {
        let frames: Vec<_> = resolved.frames(index).collect();
        assert!(frames.len() == 1 && !frames[0].inlined && frames[0].source.is_empty());
        String::from_utf8(frames[0].name.to_vec()).expect("UTF-8")
    };
    (0..batch.len()).map(name).collect()
}

fn write(library: &Library, file: &str, text: impl AsRef<[u8]>) {
    let file = library.path(file);
    fs::create_dir_all(file.parent().expect("a folder")).expect("a writable folder");
    fs::write(file, text).expect("a writable folder");
}

#[test]
fn any_order_and_any_number_of_threads_give_the_same_names() {
    let library = library("01");
    let code = code(&library);
    write(&library, "tmp/perf-7.map", "100 10 jitted\n");
    for threads in [1, 2, 5] {
        let mut objects = objects(&library);
        let [file, missing, anonymous] =
            ["/lib.so", "/gone.so", "//anon"].map(|path| objects.intern(&mapped(path)));
        let at = |object, address| Location { object, address };
        let batch = [
            at(anonymous, 0x100),
            at(file, code + 16),
            at(missing, 0x10),
            at(file, code),
            at(anonymous, 0x200),
            at(file, 0xffff_ffff),
            at(file, code + 31),
        ];
        assert_eq!(names(&mut objects, &batch, threads), ["jitted", "b", "", "a", "", "", "b"]);
        assert!(names(&mut objects, &[], threads).is_empty());
    }
}

#[test]
fn an_object_is_one_however_often_it_is_met() {
    let library = library("01");
    let mut objects = objects(&library);
    let file = objects.intern(&mapped("/lib.so"));
    assert_eq!(objects.intern(&MappedObject { pid: Some(8), ..mapped("/lib.so") }), file);
    let other = objects.intern(&MappedObject { build_id: Some(&[9]), ..mapped("/lib.so") });
    assert_ne!(other, file);
    let anonymous = objects.intern(&mapped("//anon"));
    assert_eq!(objects.intern(&mapped("/dev/zero (deleted)")), anonymous);
    assert_ne!(objects.intern(&MappedObject { pid: Some(8), ..mapped("//anon") }), anonymous);
}

#[test]
fn the_build_id_of_a_path_is_that_of_this_input() {
    let library = library("0102");
    let code = code(&library);
    let mut objects = objects(&library);
    let name = |objects: &mut Objects| {
        let object = objects.intern(&mapped("/lib.so"));
        let name = names(objects, &[Location { object, address: code }], 1).remove(0);
        (name, objects.is_against_list(object), objects.has_proof(object))
    };
    // The file is below the folder that the user named, so it is used.
    objects.set_build_id(b"/lib.so", &[1, 3]);
    assert_eq!(name(&mut objects), ("a".to_owned(), true, false));
    // Older versions of perf pad it to 20 bytes.
    let mut padded = [0; 20];
    padded[..16].fill(7);
    assert_eq!(without_padding(&padded), [7; 16]);
    assert_eq!(without_padding(&[0; 20]), [0; 0]);
    assert_eq!(without_padding(&[7; 20]), [7; 20]);
    assert_eq!(without_padding(&[1, 2]), [1, 2]);
}

#[test]
fn locations_are_in_the_file_or_in_memory() {
    let library = library("01");
    let mut objects = objects(&library);
    let kernel = MappedObject {
        is_kernel: true,
        pid: None,
        offset: 1 << 63,
        ..mapped("[kernel.kallsyms]_text")
    };
    for (mapped, path, address, origin) in [
        (mapped("/lib.so"), "/lib.so", 5, CodeOrigin::File),
        (mapped("[vdso]"), "[vdso]", 5, CodeOrigin::File),
        (mapped("//anon"), "/tmp/perf-7.map", 99, CodeOrigin::Memory),
        (mapped("[heap]"), "[heap]", 99, CodeOrigin::Memory),
        (mapped("/memfd:code (deleted)"), "/memfd:code (deleted)", 99, CodeOrigin::Memory),
        (
            MappedObject { build_id: Some(&[1]), ..mapped("/memfd:exe (deleted)") },
            "/memfd:exe (deleted)",
            5,
            CodeOrigin::File,
        ),
        (mapped("/SYSV00000000 (deleted)"), "/SYSV00000000 (deleted)", 99, CodeOrigin::Memory),
        (kernel, "[kernel.kallsyms]", 99, CodeOrigin::Kernel),
        (
            MappedObject { is_kernel: true, ..mapped("/lib/modules/6.1/nft.ko.xz") },
            "/lib/modules/6.1/nft.ko.xz",
            99,
            CodeOrigin::Kernel,
        ),
        (
            MappedObject { is_kernel: true, ..mapped("[nf_tables]") },
            "[nf_tables]",
            99,
            CodeOrigin::Kernel,
        ),
    ] {
        let object = objects.intern(&mapped);
        assert_eq!(objects.locate(object, 99, 5, None), Location { object, address });
        assert_eq!(objects.path(object), path.as_bytes());
        assert_eq!(objects.origin(object), origin, "{path}");
    }
}

#[test]
fn code_in_memory_has_the_names_of_its_process() {
    let library = library("01");
    write(&library, "tmp/perf-7.map", "100 10 of_seven\n");
    write(&library, "tmp/perf-8.map", "100 10 of_eight\n");
    let mut objects = objects(&library);
    let mut name = |path, pid| {
        let object = objects.intern(&MappedObject { pid: Some(pid), ..mapped(path) });
        let location = objects.locate(object, 0x108, 8, None);
        names(&mut objects, &[location], 1).remove(0)
    };
    assert_eq!(name("//anon", 7), "of_seven");
    assert_eq!(name("/anon_hugepage (deleted)", 8), "of_eight");
    assert_eq!(name("/memfd:doublemapper (deleted)", 8), "of_eight");
    assert_eq!(name("//anon", 9), "");
}

#[test]
fn a_map_that_grows_is_read_again_for_the_next_batch() {
    let library = library("01");
    write(&library, "tmp/perf-7.map", "100 10 first\n");
    let mut objects = objects(&library);
    let object = objects.intern(&mapped("//anon"));
    let [first, second] = [0x100, 0x200].map(|address| Location { object, address });
    assert_eq!(names(&mut objects, &[first], 1), ["first"]);
    write(&library, "tmp/perf-7.map", "100 10 first\n200 10 second\n");
    assert_eq!(names(&mut objects, &[second], 1), ["second"]);
}

/// A dump of process 7, in which a function of 16 bytes is at 256 since time 50.
fn dump() -> Vec<u8> {
    let words = |numbers: &[u64]| -> Vec<u8> {
        numbers.iter().flat_map(|number| number.to_le_bytes()).collect()
    };
    let header = words(&[1 << 32 | 0x4a69_5444, 62 << 32 | 40, 7 << 32, 0, 0]);
    let size = 16 + 40 + 8 + 16;
    let load = words(&[size << 32, 50, 7 << 32 | 7, 256, 256, 16, 0]);
    [header, load, b"dumped_\0".to_vec(), vec![0xcc; 16]].concat()
}

#[test]
fn a_dump_names_the_code_of_its_process() {
    let library = library("01");
    write(&library, "home/me/jit-7.dump", dump());
    write(&library, "tmp/perf-7.map", "110 10 mapped\n");
    let mut objects = objects(&library);
    let anonymous = objects.intern(&mapped("//anon"));
    let before = objects.locate(anonymous, 256, 0, Some(60));
    assert_eq!(before, Location { object: anonymous, address: 256 });
    let dump = objects.intern(&mapped("/home/me/jit-7.dump"));
    let dumped = objects.locate(anonymous, 260, 0, Some(60));
    assert_eq!(dumped.object, dump);
    let in_map = objects.locate(anonymous, 0x110, 0, Some(60));
    assert_eq!(in_map.object, anonymous);
    assert_eq!(names(&mut objects, &[dumped, in_map], 1), ["dumped_", "mapped"]);
    // The dump does not matter for another process.
    let other = objects.intern(&MappedObject { pid: Some(8), ..mapped("//anon") });
    assert_eq!(objects.locate(other, 260, 0, Some(60)).object, other);
}

#[test]
fn the_kernel_and_its_modules_have_the_symbols_below_the_root() {
    let library = library("01");
    let listed =
        "ffffffff81000000 T _text\nffffffff81000100 t work\nffffffffc0000000 t module_work\t[m]\n";
    write(&library, "proc/kallsyms", listed);
    let mut objects = objects(&library);
    let text = 0xffff_ffff_8100_0000;
    let kernel = |path, offset| MappedObject { is_kernel: true, pid: None, offset, ..mapped(path) };
    let [kernel, module, program] = [
        objects.intern(&kernel("[kernel.kallsyms]_text", text)),
        objects.intern(&kernel("[m]", 0)),
        objects.intern(&kernel("bpf_prog_0123_filter", 0)),
    ];
    let batch = [
        Location { object: kernel, address: text + 0x101 },
        Location { object: module, address: 0xffff_ffff_c000_0000 },
        Location { object: program, address: 0xffff_ffff_d000_0000 },
    ];
    assert_eq!(names(&mut objects, &batch, 2), ["work", "module_work", "bpf_prog_0123_filter"]);
}

#[test]
fn what_has_no_names_says_why() {
    let library = library("01");
    let mut objects = objects(&library);
    let [file, missing] = ["/lib.so", "/gone.so"].map(|path| objects.intern(&mapped(path)));
    let batch = [file, missing].map(|object| Location { object, address: 1 });
    assert_eq!(objects.why_nameless(missing), None, "not looked for yet");
    assert_eq!(names(&mut objects, &batch, 1), ["", ""]);
    // No reason is given for an address without a name in a file with symbols.
    assert_eq!(objects.why_nameless(file), None);
    assert_eq!(objects.why_nameless(missing), Some(NoSymbols::NotFound));
}
