//! Which files are read: a profile may be somebody else's.

use std::fs::File;
use std::os::unix::fs::symlink;
use std::process::Command;

use super::*;

const SECRET: &str = "the secret of the reader";

/// The folder `here` with a source, and the folder `private` beside it with a file that is none.
fn folders() -> TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    for name in ["here/src", "private"] {
        fs::create_dir_all(folder.path().join(name)).expect("a new folder");
    }
    fs::write(folder.path().join("here/src/t.c"), TREE).expect("a new file");
    fs::write(folder.path().join("private/key"), SECRET).expect("a new file");
    let link = folder.path().join("here/src/link.c");
    symlink("../../private/key", link).expect("a new name");
    folder
}

/// What is printed and said of a file that a profile names, run in the folder `here`.
fn shown(folder: &Path, args: &[&str], path: &str) -> [String; 2] {
    let output = run_in(&folder.join("here"), args, &format!("f ({path}:1) 3\n"));
    assert_eq!(output.status.code(), Some(0), "{path}");
    [output.stdout, output.stderr].map(|it| String::from_utf8(it).expect("UTF-8"))
}

#[test]
fn a_profile_cannot_name_any_file_of_the_reader() {
    let folder = folders();
    let root = folder.path().canonicalize().expect("it is there");
    let [here, private] = ["here", "private"].map(|it| root.join(it).display().to_string());
    for path in [
        format!("{private}/key"),
        format!("file://{private}/key"),
        format!("{here}/src/../../private/key"),
        format!("{here}/src/link.c"),
        "../private/key".to_owned(),
        "src/link.c".to_owned(),
    ] {
        for args in [&[][..], &["--markdown"], &["--json"], &["--tsv"], &["--path", ""]] {
            let [out, said] = shown(&root, args, &path);
            assert!(!out.contains(SECRET), "{path} {args:?}: {out}");
            let expected = format!(
                "stack-source: the source of {path} is not below this folder and was not read: \
                 --source-path {private} allows it\n"
            );
            assert_eq!(said, expected, "{args:?}");
        }
        let [out, said] = shown(&root, &["--source-path", &private], &path);
        assert!(out.contains(SECRET) && said.is_empty(), "{path}: {out}{said}");
    }
    // What is looked for elsewhere does not leave that folder either.
    for path in ["/x/../../private/key", "/gone/src/link.c", "/x/../private/key"] {
        let [out, said] = shown(&root, &["--source-path", "src"], path);
        assert!(!out.contains(SECRET), "{path}: {out}");
        assert!(said.contains(": --source-path DIR says where it is\n"), "{path}: {said}");
    }
    let [out, said] = shown(&root, &[], &format!("{here}/src/t.c"));
    assert!(out.contains("int less(int a, int b)") && said.is_empty(), "{out}{said}");
}

#[test]
fn files_that_never_end_are_not_read() {
    const MIB: u64 = 1 << 20;
    let folder = folders();
    let src = folder.path().join("here/src");
    for (name, size) in [("whole.c", 16 * MIB), ("large.c", 16 * MIB + 1), ("huge.c", 5 << 30)] {
        let file = File::create(src.join(name)).expect("a new file");
        file.set_len(size).expect("a sparse file");
    }
    let made = Command::new("mkfifo").arg(src.join("pipe.c")).status();
    assert!(made.is_ok_and(|status| status.success()), "a new pipe");
    for name in ["large.c", "huge.c"] {
        let [out, said] = shown(folder.path(), &[], &format!("src/{name}"));
        assert!(out.lines().count() < 6, "{out}");
        let expected = format!("the source of src/{name} is over 16 MiB and was not read");
        assert_eq!(said, format!("stack-source: {expected}\n"));
    }
    assert_eq!(shown(folder.path(), &[], "src/whole.c")[1], "");
    let [_, said] = shown(folder.path(), &[], "src/pipe.c");
    assert!(said.contains("no source of src/pipe.c: "), "{said}");
    // To read it would wait for the kernel's next message.
    let [_, said] = shown(folder.path(), &["--source-path", "/proc"], "/proc/kmsg");
    assert!(said.len() < 200, "{said}");
}
