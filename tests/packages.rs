//! What is published: the package of Debian, the archive with its installer, and the wheel, which are
//! installed and removed again; and the crates. `scripts/package --test` does so where nothing else
//! is.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::Command;

use regex::Regex;

use crate::needs::{PACKAGERS, goes_without, skip};
use crate::place::Place;
use crate::util::{TOOLS, stderr};

const VERSION: &str = env!("CARGO_PKG_VERSION");

/// Runs `command`, which must succeed, and returns its output.
fn done(command: &mut Command) -> String {
    let output = command.output().expect("it starts");
    assert!(output.status.success(), "{command:?}: {}", stderr(&output));
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// The target for which the tools are built where they are tested.
const TARGET: &str = "x86_64-linux-gnu";

/// Makes packages of the tested tools for `target`, without debug information.
fn package(place: &Place, target: &str) -> Command {
    let tools = place.folder.join("tools");
    fs::create_dir(&tools).expect("a new folder");
    for (name, path) in TOOLS {
        done(Command::new("strip").arg("-o").arg(tools.join(name)).arg(path));
    }
    let mut command = place.command("package");
    command.args(["--fast", "--target", target, "--from"]).arg(tools);
    command.arg("--to").arg(place.folder.join("dist"));
    command
}

#[test]
fn what_is_named_for_any_linux_has_no_program_that_needs_this_one() {
    if goes_without(&[PACKAGERS]) {
        return;
    }
    let place = Place::new("static");
    let output = package(&place, "x86_64-linux").output().expect("it starts");
    assert_eq!(output.status.code(), Some(2));
    let said = stderr(&output);
    let what = "it needs the libraries of this machine, expected a static program for x86_64-linux";
    assert!(said.ends_with(&format!("{}: {what}\n", TOOLS[0].0)), "{said}");
    assert_eq!(fs::read_dir(place.folder.join("dist")).expect("a folder").count(), 0);
}

/// The paths in an archive.
fn listed(archive: &Path) -> BTreeSet<String> {
    done(Command::new("tar").arg("-tf").arg(archive)).lines().map(str::to_owned).collect()
}

#[test]
fn packages_are_installed_run_and_removed() {
    if goes_without(&[PACKAGERS]) {
        return;
    }
    let place = Place::new("packages");
    done(&mut package(&place, TARGET));
    let dist = place.folder.join("dist");
    done(Command::new("sha256sum").args(["--check", "--strict", "SHA256SUMS"]).current_dir(&dist));
    the_archive_has_everything(&dist);
    the_crate_has_what_readers_need(&dist);
    recipes_are_filled(&dist);
    the_installer_installs_and_removes(&dist, &place.folder.join("installed"));
    the_installer_trusts_no_other_archive(&dist, &place.folder);
    pip_installs(&dist, &place.folder.join("pip"));
    if done(Command::new("id").arg("-u")) == "0\n" {
        debian_installs_and_removes(&dist, &place.folder.join("root"));
    } else {
        skip("dpkg installs only as root");
    }
}

fn the_archive_has_everything(dist: &Path) {
    let name = format!("stack-tools-{VERSION}-{TARGET}");
    let files = listed(&dist.join(format!("{name}.tar.xz")));
    for (tool, _) in TOOLS {
        for file in [
            format!("bin/{tool}"),
            format!("share/man/man1/{tool}.1"),
            format!("share/bash-completion/completions/{tool}"),
        ] {
            assert!(files.contains(&format!("{name}/{file}")), "{file}: {files:?}");
        }
    }
    for document in ["LICENSE-MIT", "LICENSE-APACHE", "third-party-licences", "README.md"] {
        assert!(files.contains(&format!("{name}/share/doc/stack-tools/{document}")), "{document}");
    }
}

/// The man pages and the script that installs them after `cargo install`; the README's pictures; no
/// recording.
fn the_crate_has_what_readers_need(dist: &Path) {
    let krate = dist.join(format!("stack-tools-{VERSION}.crate"));
    let files = listed(&krate);
    let has = |file: &str| files.contains(&format!("stack-tools-{VERSION}/{file}"));
    assert!(has("scripts/install") && has("man/stack-tools.7"), "{files:?}");
    let tests = format!("stack-tools-{VERSION}/tests/");
    assert!(!files.iter().any(|file| file.starts_with(&tests)), "{files:?}");
    let readme = include_str!("../README.md");
    let link = Regex::new(r"\]\(([^):]+)\)").expect("a pattern");
    let links: Vec<&str> = link.captures_iter(readme).map(|it| it.extract::<1>().1[0]).collect();
    assert!(links.contains(&"man/flame.svg"), "{links:?}");
    for link in links {
        assert!(has(link), "README.md links to {link}, which is not in the crate");
    }
}

fn recipes_are_filled(dist: &Path) {
    let placeholder = Regex::new("@[A-Z0-9]+@").expect("a pattern");
    let sums = fs::read_to_string(dist.join("SHA256SUMS")).expect("a list");
    let krate = sums.lines().find(|line| line.ends_with(".crate")).expect("the crate");
    for recipe in ["stack-tools.rb", "PKGBUILD", "stack-tools.nix", "Dockerfile", "install.sh"] {
        let text = fs::read_to_string(dist.join(recipe)).expect(recipe);
        assert!(!placeholder.is_match(&text), "{text}");
        assert!(text.contains(VERSION), "{text}");
        assert_eq!(text.contains(env!("CARGO_PKG_REPOSITORY")), recipe != "Dockerfile", "{text}");
        let of_crate = ["stack-tools.rb", "PKGBUILD"].contains(&recipe);
        assert_eq!(text.contains(&krate[..64]), of_crate, "{text}");
    }
}

/// Runs the installer, with the archives in this folder.
fn installer(dist: &Path, from: &Path, prefix: &Path) -> Command {
    let mut command = Command::new("sh");
    command.arg(dist.join("install.sh")).arg("--from").arg(from).arg("--prefix").arg(prefix);
    command
}

fn the_installer_installs_and_removes(dist: &Path, prefix: &Path) {
    fs::create_dir(prefix).expect("a new folder");
    fs::write(prefix.join("kept"), "").expect("a new file");
    // The second time it replaces what it installed, and removes what an older version had.
    done(&mut installer(dist, dist, prefix));
    let list = prefix.join("share/doc/stack-tools/installed");
    let listed = fs::read_to_string(&list).expect("what was installed");
    fs::write(&list, format!("{listed}bin/stack-old\n")).expect("a list");
    fs::write(prefix.join("bin/stack-old"), "").expect("a new file");
    done(&mut installer(dist, dist, prefix));
    assert!(!prefix.join("bin/stack-old").exists());
    assert_eq!(fs::read_to_string(&list).expect("what was installed"), listed);
    for (tool, _) in TOOLS {
        let version = done(Command::new(prefix.join("bin").join(tool)).arg("--version"));
        assert_eq!(version, format!("{tool} {VERSION}\n"));
    }
    assert!(prefix.join("share/man/man7/stack-tools.7").exists());
    done(installer(dist, dist, prefix).arg("--uninstall"));
    let left = fs::read_dir(prefix).expect("the folder is not ours").map(|it| it.expect("a file"));
    assert_eq!(left.map(|it| it.file_name()).collect::<Vec<_>>(), ["kept"]);
    let again = installer(dist, dist, prefix).arg("--uninstall").output().expect("it starts");
    assert_eq!(again.status.code(), Some(2));
    assert!(stderr(&again).contains("nothing is installed below"), "{}", stderr(&again));
}

fn the_installer_trusts_no_other_archive(dist: &Path, folder: &Path) {
    let (other, prefix) = (folder.join("other"), folder.join("not-installed"));
    fs::create_dir(&other).expect("a new folder");
    let name = format!("stack-tools-{VERSION}-{TARGET}.tar.xz");
    let mut archive = fs::read(dist.join(&name)).expect("the archive");
    let middle = archive.len() / 2;
    archive[middle] ^= 1;
    fs::write(other.join(&name), archive).expect("a new file");
    let output = installer(dist, &other, &prefix).output().expect("it starts");
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).ends_with(": nothing is installed\n"), "{}", stderr(&output));
    assert!(!prefix.exists());
}

/// pip checks the hashes of all files of the wheel.
fn pip_installs(dist: &Path, folder: &Path) {
    let wheel = dist.join(format!("stack_tools-{VERSION}-py3-none-linux_x86_64.whl"));
    let mut pip = Command::new("python3");
    pip.args(["-m", "pip", "--quiet", "--disable-pip-version-check", "install", "--no-index"]);
    done(pip.arg("--target").arg(folder).arg(wheel));
    for (tool, _) in TOOLS {
        let version = done(Command::new(folder.join("bin").join(tool)).arg("--version"));
        assert_eq!(version, format!("{tool} {VERSION}\n"));
    }
    for file in ["man/man1/stack-svg.1", "bash-completion/completions/stack-svg"] {
        assert!(folder.join("share").join(file).exists(), "{file}");
    }
}

#[test]
fn the_address_of_the_source_is_that_of_cargo() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/README.md");
    let readme = include_str!("../README.md");
    let clone = Regex::new(r"git clone (\S+)").expect("a pattern");
    let written = &clone.captures(readme).expect("how to get the source")[1];
    let expected = env!("CARGO_PKG_REPOSITORY");
    if std::env::var_os("BLESS").is_some() {
        fs::write(path, readme.replace(written, expected)).expect("README.md can be written");
    } else {
        assert_eq!(written, expected);
        let release = Regex::new(r"(\S+)/releases/").expect("a pattern");
        let of_release = release.captures(readme).expect("how to get the installer");
        assert_eq!(&of_release[1], expected);
    }
}

/// The folder has only this package, not the C library that it depends on.
const OPTIONS: [&str; 2] = ["--log=/dev/null", "--force-depends"];

fn debian_installs_and_removes(dist: &Path, root: &Path) {
    fs::create_dir_all(root.join("var/lib/dpkg/updates")).expect("a new folder");
    fs::create_dir_all(root.join("var/lib/dpkg/info")).expect("a new folder");
    fs::write(root.join("var/lib/dpkg/status"), "").expect("a new file");
    let dpkg = |action: &str, what: &Path| {
        let mut command = Command::new("dpkg");
        done(command.arg("--root").arg(root).args(OPTIONS).arg(action).arg(what));
    };
    dpkg("--install", &dist.join(format!("stack-tools_{VERSION}_amd64.deb")));
    let mut merge = Command::new(root.join("usr/bin/stack-merge"));
    let version = done(merge.arg("--version"));
    assert_eq!(version, format!("stack-merge {VERSION}\n"));
    let page = root.join("usr/share/man/man1/stack-merge.1.gz");
    let page = done(Command::new("mandoc").args(["-T", "ascii"]).arg(page));
    assert!(page.contains("STACK-MERGE(1)"), "{page}");
    dpkg("--remove", Path::new("stack-tools"));
    assert!(!root.join("usr/bin").exists() && !root.join("usr/share/man").exists());
}
