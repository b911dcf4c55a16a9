use std::fs;
use std::path::PathBuf;

use crate::util::{command, filter, scratch, stderr, tool};

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
}

#[cfg(unix)]
#[test]
fn standard_output_has_a_second_name() {
    let expected = filter("stack-svg", &[], "a;b 1\n");
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

/// A limit of 512 bytes for files simulates a full disk.
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

/// The system sends SIGXFSZ at the limit; it is not ignored here, so it ends the tool.
#[cfg(target_os = "linux")]
#[test]
fn a_signal_leaves_no_temporary_file() {
    let folder = Folder::new("signal");
    let path = folder.path("x.svg");
    fs::write(&path, "old").expect("a writable folder");
    let limited = r#"ulimit -c 0; ulimit -f 1; echo "a 1" | exec "$0" -o "$1""#;
    let binary = crate::util::binary("stack-svg");
    let status = std::process::Command::new("sh")
        .args(["-c", limited, binary])
        .arg(&path)
        .stderr(std::process::Stdio::null())
        .status();
    assert!(!status.expect("sh starts").success());
    assert_eq!(fs::read_to_string(&path).expect("the file"), "old");
    assert_eq!(folder.names(), ["x.svg"]);
}

/// Names are long, so that the file is large and takes time to write.
#[cfg(target_os = "linux")]
#[test]
fn a_tool_that_is_stopped_while_it_writes_leaves_no_temporary_file() {
    use std::process::{Command, Stdio};
    use std::thread;
    use std::time::Duration;

    let folder = Folder::new("stopped");
    let path = folder.path("x.svg");
    let input = folder.path("in");
    let stacks = (0..50).map(|number| format!("{number}{} 1\n", "x".repeat(400_000)));
    fs::write(&input, stacks.collect::<String>()).expect("a writable folder");
    for signal in ["TERM", "INT", "HUP"] {
        let mut child = Command::new(crate::util::binary("stack-svg"))
            .arg("-o")
            .args([&path, &input])
            .stderr(Stdio::null())
            .spawn()
            .expect("it starts");
        while folder.names() == ["in"] {
            assert_eq!(child.try_wait().expect("our child"), None, "it ended before it wrote");
            // The others need the processor, too.
            thread::sleep(Duration::from_millis(1));
        }
        let kill = format!("kill -s {signal} {}", child.id());
        Command::new("sh").args(["-c", &kill]).status().expect("a shell");
        child.wait().expect("our child");
        let text = fs::read_to_string(&path).unwrap_or_default();
        assert!(text.is_empty() || text.ends_with("</svg>\n"), "{signal}: a part of the picture");
        let _ = fs::remove_file(&path);
        assert_eq!(folder.names(), ["in"], "{signal}");
    }
}

#[test]
fn names_may_be_as_long_as_names_can_be() {
    let folder = Folder::new("long");
    let name = format!("{}.svg", "x".repeat(251));
    tool("stack-svg").arg("-o").arg(folder.path(&name)).write_stdin("a 1\n").assert().success();
    assert_eq!(folder.names(), [name]);
}

/// A folder in which no files can be created, with a file that may be written.
#[cfg(unix)]
#[test]
fn where_a_file_cannot_be_replaced_it_is_written_in_place() {
    use std::os::unix::fs::{MetadataExt, PermissionsExt};
    use std::os::unix::process::CommandExt;
    use std::process::{Command, Stdio};

    let folder = Folder(std::env::temp_dir().join(format!("in-place-{}", std::process::id())));
    let _ = fs::remove_dir_all(&folder.0);
    fs::create_dir(&folder.0).expect("a writable temporary folder");
    let mode = |path: &std::path::Path, mode| {
        fs::set_permissions(path, fs::Permissions::from_mode(mode)).expect("our own file");
    };
    let (path, input, binary) = (folder.path("x.svg"), folder.path("in"), folder.path("stack-svg"));
    // Longer than the picture.
    fs::write(&path, "old ".repeat(100_000)).expect("a writable folder");
    fs::write(&input, "a 1\n").expect("a writable folder");
    // Copied by another process: a file that this process has open for writing may also be open in
    // a process that another test starts just then, and then it cannot be executed.
    let copied = Command::new("cp").arg(crate::util::binary("stack-svg")).arg(&binary).status();
    assert!(copied.expect("cp").success());
    mode(&path, 0o666);
    // Root alone is not restricted by modes, and can create files for another user: then the tool
    // runs as `nobody`.
    let root = fs::metadata(&path).expect("the file").uid() == 0;
    for folder_mode in if root { &[0o755, 0o777][..] } else { &[0o555] } {
        mode(&folder.0, *folder_mode);
        let mut command = Command::new(&binary);
        if root {
            command.uid(65534).gid(65534);
        }
        let before = fs::metadata(&path).expect("the file");
        let output = command.arg("-o").args([&path, &input]).stdin(Stdio::null()).output();
        let output = output.expect("it starts");
        assert_eq!(String::from_utf8_lossy(&output.stderr), "", "{folder_mode:o}");
        assert!(fs::read_to_string(&path).expect("the file").ends_with("</svg>\n"));
        let after = fs::metadata(&path).expect("the file");
        assert_eq!((after.uid(), after.mode()), (before.uid(), before.mode()), "{folder_mode:o}");
        assert_eq!(after.ino(), before.ino(), "{folder_mode:o}");
        assert_eq!(folder.names(), ["in", "stack-svg", "x.svg"]);
    }
    mode(&folder.0, 0o755);
    fs::remove_dir_all(&folder.0).expect("our own folder");
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

    /// The names of all files in it, with hidden ones.
    fn names(&self) -> Vec<String> {
        let entries = fs::read_dir(&self.0).expect("our folder");
        let mut names: Vec<_> = entries
            .map(|entry| entry.expect("an entry").file_name().into_string().expect("UTF-8"))
            .collect();
        names.sort();
        names
    }
}

#[test]
fn a_picture_does_not_take_the_place_of_its_input() {
    let folded = scratch("svg-over-input", "main;work 3\n");
    let path = folded.to_str().expect("UTF-8");
    for operands in [&["-", path][..], &["-"], &[]] {
        let input = fs::File::open(&folded).expect("a file");
        let output = command("stack-svg").args(["-o", path]).args(operands).stdin(input).output();
        let output = output.expect("it starts");
        let said = stderr(&output);
        assert!(said.starts_with(&format!("stack-svg: -o {path}: it is also an input")), "{said}");
        assert_eq!(output.status.code(), Some(2));
        assert_eq!(fs::read_to_string(&folded).expect("it is there"), "main;work 3\n");
    }
    // Another file than the one that is read may be replaced.
    let other = scratch("svg-over-other", "main;work 4\n");
    let input = fs::File::open(&folded).expect("a file");
    let output = command("stack-svg").arg("-o").arg(&other).stdin(input).output();
    assert!(output.expect("it starts").status.success());
    assert!(fs::read(&other).expect("the picture").starts_with(b"<?xml"));
}
