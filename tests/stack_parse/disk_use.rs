//! Sizes of files, as the programs of this system list them.

use std::fs;
use std::os::unix::fs::{MetadataExt, symlink};
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::needs::goes_without;
use crate::util::{filter, filter_bytes, output, stderr, weight};

/// A folder with files of odd names; one file has two names.
fn tree(name: &str) -> PathBuf {
    let folder: PathBuf = [env!("CARGO_TARGET_TMPDIR"), name].iter().collect();
    // An earlier run may have left it.
    let _ = fs::remove_dir_all(&folder);
    for (path, size) in [
        ("tree/a.bin", 33_000),
        ("tree/dir with space/  b 12", 3),
        ("tree/semi;colon/c\\d", 2),
        ("tree/größe/new\nline.txt", 1),
        ("tree/größe/deep/big", 409_600),
        ("tree/größe/deep/tab\tand -> arrow", 5000),
        ("tree/größe/deep/empty", 0),
    ] {
        let path = folder.join(path);
        fs::create_dir_all(path.parent().expect("a folder")).expect("a writable target directory");
        fs::write(path, vec![b'x'; size]).expect("a new file");
    }
    fs::hard_link(folder.join("tree/a.bin"), folder.join("tree/größe/hard")).expect("a new name");
    symlink("../a.bin", folder.join("tree/größe/link")).expect("a new name");
    folder
}

/// The output of a command in a folder.
fn listed(folder: &Path, command: &str) -> Vec<u8> {
    let mut shell = Command::new("sh");
    let output = shell.args(["-c", command]).current_dir(folder).output().expect("sh");
    assert!(output.status.success(), "{command}: {}", stderr(&output));
    output.stdout
}

/// The files and folders below a folder, with itself.
fn files(path: &Path) -> Vec<fs::Metadata> {
    let about = path.symlink_metadata().expect("it is there");
    let mut files = vec![about.clone()];
    if about.is_dir() {
        let inside = fs::read_dir(path).expect("our own folder");
        files.extend(inside.flat_map(|entry| self::files(&entry.expect("an entry").path())));
    }
    files
}

#[test]
fn what_the_programs_list_weighs_what_the_system_says() {
    if goes_without(&[&["du", "find", "tar", "ls"]]) {
        return;
    }
    let folder = tree("disk-use");
    let files = files(&folder.join("tree"));
    let sizes: u64 = files.iter().map(MetadataExt::size).sum();
    let of_files: u64 = files.iter().filter(|file| file.is_file()).map(MetadataExt::size).sum();
    // A file with two names is one file.
    let (bytes, blocks) = (sizes - 33_000, files.iter().map(MetadataExt::blocks).sum::<u64>());
    let hard =
        files.iter().find(|file| file.nlink() == 2 && file.is_file()).expect("hard").blocks();
    let kilobytes = (blocks - hard) / 2;
    let folders = files.iter().filter(|file| file.is_dir()).map(MetadataExt::size).sum::<u64>();
    let top = folder.join("tree").metadata().expect("it is there").size();
    for (command, expected) in [
        ("du -a0 tree", kilobytes),
        ("du -a tree", kilobytes),
        ("du -k tree", kilobytes),
        ("du -ab0 tree", bytes),
        ("du -ab --time tree", bytes),
        ("du -ab tree | sort -rn", bytes),
        ("du -abc tree", bytes),
        ("find tree -printf '%s %p\\0'", sizes),
        ("find tree -printf '%s\\t%y\\t%P\\0'", sizes),
        ("find tree -ls", bytes),
        ("LC_ALL=C tar cf - tree | LC_ALL=C tar tv", of_files - 33_000),
        ("tar cf - tree | tar tv --full-time --numeric-owner", of_files - 33_000),
        ("ls -lbR tree", of_files + folders - top + 8),
    ] {
        let output = output("stack-parse", &[], listed(&folder, command));
        let folded = String::from_utf8_lossy(&output.stdout);
        let said = stderr(&output);
        assert_eq!(weight(&output.stdout), u128::from(expected), "{command}: {folded}\n{said}");
        assert!(output.status.success(), "{command}: {said}");
        if command != "du -k tree" {
            assert!(folded.contains("größe;deep;big 4"), "{command}: {folded}");
            assert!(!said.contains("expected"), "{command}: {said}");
        }
    }
}

#[test]
fn names_are_those_of_the_files() {
    if goes_without(&[&["du", "find", "tar"]]) {
        return;
    }
    let folder = tree("disk-use-names");
    for command in [
        "du -ab0 tree",
        "du -ab tree",
        "find tree -printf '%s %p\\0'",
        "find tree -ls",
        "LC_ALL=C tar cf - tree | LC_ALL=C tar tv",
    ] {
        let folded = output("stack-parse", &[], listed(&folder, command)).stdout;
        let folded = String::from_utf8_lossy(&folded).into_owned();
        for line in [
            "tree;a.bin 33000\n",
            "tree;dir with space;  b 12 3\n",
            "tree;semi:colon;c\\d 2\n",
            "tree;größe;new line.txt 1\n",
            "tree;größe;deep;tab and -> arrow 5000\n",
        ] {
            assert!(folded.contains(line), "{command}: {line}{folded}");
        }
    }
}

#[test]
fn files_can_be_counted() {
    let list = "4096 a\n7 a/b\n8 a/c\n9 a/c/d\n";
    assert_eq!(
        filter("stack-parse", &["--weight", "samples"], list),
        "a 1\na;b 1\na;c 1\na;c;d 1\n"
    );
}

#[test]
fn rounded_sizes_are_refused() {
    let rounded = "4.0K\ttree/a\n8.0K\ttree\n";
    for options in [&[][..], &["--format", "du"]] {
        let output = output("stack-parse", options, rounded);
        assert_eq!(output.status.code(), Some(2));
        let said = stderr(&output);
        assert!(said.contains("rounded") && said.contains("run 'du -ab'"), "{said}");
    }
}

/// Numbers and paths that may be anything.
#[test]
fn what_is_not_surely_a_list_of_files_is_taken_for_none() {
    for text in [
        "1\t/usr/bin/a\n2\t/usr/bin\n3\t/usr/lib\n",
        "12 /index.html\n3 /about.html\n",
        "7\t/a\n9\t/b\n",
    ] {
        let unsure = output("stack-parse", &[], text);
        assert_eq!(unsure.status.code(), Some(2), "{text}");
        assert!(stderr(&unsure).contains("'--format du'"), "{}", stderr(&unsure));
        assert!(!output("stack-parse", &["--format", "find"], text).stdout.is_empty());
    }
    for (text, format) in [
        ("a/b 12\na 7\n", "folded"),
        ("12 a/b 12\n7 a 7\n", "folded"),
        ("4096 /usr 4\n12 /usr/lib 5\n", "folded"),
        ("main;/usr/lib/a.so 12\nmain;x 7\n", "folded"),
    ] {
        let header = filter("stack-parse", &["--header"], text);
        assert!(header.starts_with(&format!("# source: {format}\n")), "{text}: {header}");
    }
}

#[test]
fn what_files_have_more_than_their_folder_is_reported() {
    let rounded = "1\ta/b\n1\ta/c\n1\ta/d\n2\ta\n";
    let output = output("stack-parse", &["--format", "du"], rounded);
    assert_eq!(output.stdout, b"a;b 1\na;c 1\na;d 1\n");
    assert!(
        stderr(&output).contains("files weigh 1 more than their folders"),
        "{}",
        stderr(&output)
    );
}

#[test]
fn folders_that_are_not_listed_are_frames_all_the_same() {
    let listed = "5\ta/b/c\n7\ta/b/d/e\n20\ta\n";
    let folded = filter_bytes("stack-parse", &["--format", "du"], listed);
    assert_eq!(folded, b"a 8\na;b;c 5\na;b;d;e 7\n");
}

#[test]
fn files_of_a_hundred_thousand_folders_are_read() {
    let path = vec!["f"; 100_000].join("/");
    let folded = filter("stack-parse", &["--format", "du"], format!("7\t{path}\n"));
    assert!(folded == format!("{} 7\n", path.replace('/', ";")));
}
