use std::fs;
use std::path::PathBuf;

use crate::util::{filter, tool};

#[test]
fn nothing_to_draw_is_status_1_and_no_file() {
    let folder = Folder::new("nothing");
    for input in ["", "\n# a comment\n", "a;b 0\n"] {
        let output = tool("stack-svg").write_stdin(input).output().expect("it starts");
        assert_eq!((output.status.code(), output.stdout.len()), (Some(1), 0), "{input:?}");
        let path = folder.path("no.svg");
        tool("stack-svg").arg("-o").arg(&path).write_stdin(input).assert().code(1);
        assert_eq!(folder.names(), [""; 0], "{input:?}");

        let old = folder.path("old.svg");
        fs::write(&old, "old").expect("a writable folder");
        tool("stack-svg").arg("-o").arg(&old).write_stdin(input).assert().code(1);
        assert_eq!(fs::read_to_string(&old).expect("the file"), "old");
        fs::remove_file(&old).expect("the file");
    }
}

#[test]
fn a_file_is_the_same_picture() {
    let folder = Folder::new("same");
    let path = folder.path("new.svg");
    tool("stack-svg").arg("-o").arg(&path).write_stdin("a;b 1\n").assert().success().stdout("");
    let expected = filter("stack-svg", &[], "a;b 1\n");
    assert_eq!(fs::read_to_string(&path).expect("the file"), expected);
    assert_eq!(folder.names(), ["new.svg"]);
    assert_eq!(filter("stack-svg", &["-o", "-"], "a;b 1\n"), expected);
    assert_eq!(filter("stack-svg", &["-o", "/dev/stdout"], "a;b 1\n"), expected);
}

#[cfg(unix)]
#[test]
fn a_file_keeps_its_mode_and_the_links_to_it() {
    use std::os::unix::fs::{PermissionsExt, symlink};

    let folder = Folder::new("mode");
    let (path, link) = (folder.path("target.svg"), folder.path("link.svg"));
    fs::write(&path, "old").expect("a writable folder");
    fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).expect("our own file");
    symlink("target.svg", &link).expect("a writable folder");
    tool("stack-svg").arg("-o").arg(&link).write_stdin("a 1\n").assert().success();
    assert!(fs::read_to_string(&path).expect("the file").contains("<svg"));
    assert!(fs::symlink_metadata(&link).expect("the link").is_symlink());
    assert_eq!(fs::metadata(&path).expect("the file").permissions().mode() & 0o777, 0o640);
    assert_eq!(folder.names(), ["link.svg", "target.svg"]);
}

#[cfg(unix)]
#[test]
fn a_stream_that_was_opened_for_us_is_added_to() {
    use std::process::Stdio;

    let folder = Folder::new("stream");
    let path = folder.path("log");
    fs::write(&path, "before\n").expect("a writable folder");
    let log = fs::OpenOptions::new().append(true).open(&path).expect("our own file");
    let (_, binary) = crate::util::TOOLS.iter().find(|(name, _)| *name == "stack-svg").expect("it");
    let input = folder.path("in");
    fs::write(&input, "a 1\n").expect("a writable folder");
    let status = std::process::Command::new(binary)
        .args(["-o", "/dev/stdout"])
        .arg(&input)
        .stdout(Stdio::from(log))
        .status();
    assert!(status.expect("it starts").success());
    let text = fs::read_to_string(&path).expect("the file");
    assert!(text.starts_with("before\n<?xml") && text.ends_with("</svg>\n"));
    assert_eq!(folder.names(), ["in", "log"]);
}

#[cfg(target_os = "linux")]
#[test]
fn a_failed_write_leaves_nothing_and_names_the_file() {
    let folder = Folder::new("failed");
    for (path, why) in [
        ("/dev/full".into(), "no space left on device"),
        (folder.path("none/x.svg"), "no such file or directory"),
        (folder.path("."), "is a directory"),
        (folder.path(""), "is a directory"),
    ] {
        let output = tool("stack-svg").arg("-o").arg(&path).write_stdin("a 1\n").output();
        let output = output.expect("it starts");
        let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(2), "{}: {stderr}", path.display());
        assert_eq!(stderr, format!("stack-svg: {}: {why}\n", path.display()));
        assert_eq!(folder.names(), [""; 0]);
    }
}

/// A limit of 512 bytes for files stands for a full disk.
#[cfg(target_os = "linux")]
#[test]
fn a_write_that_fails_half_way_leaves_the_old_file() {
    let folder = Folder::new("half");
    let path = folder.path("x.svg");
    fs::write(&path, "old").expect("a writable folder");
    let (_, binary) = crate::util::TOOLS.iter().find(|(name, _)| *name == "stack-svg").expect("it");
    let limited = r#"trap "" XFSZ; ulimit -f 1; echo "a 1" | "$0" -o "$1""#;
    let output = std::process::Command::new("sh").args(["-c", limited, binary]).arg(&path).output();
    let output = output.expect("sh starts");
    let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(2), "{stderr}");
    assert_eq!(stderr, format!("stack-svg: {}: file too large\n", path.display()));
    assert_eq!(fs::read_to_string(&path).expect("the file"), "old");
    assert_eq!(folder.names(), ["x.svg"]);
}

/// A folder for one test.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Folder {
        let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("stack-svg-{name}"));
        let _ = fs::remove_dir_all(&path);
        fs::create_dir_all(&path).expect("a writable target folder");
        Folder(path)
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }

    /// The names of all files in it, hidden ones too.
    fn names(&self) -> Vec<String> {
        let entries = fs::read_dir(&self.0).expect("our folder");
        let mut names: Vec<_> = entries
            .map(|entry| entry.expect("an entry").file_name().into_string().expect("UTF-8"))
            .collect();
        names.sort();
        names
    }
}
