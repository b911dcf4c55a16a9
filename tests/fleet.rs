//! scripts/fleet: Spark sums the stacks of many files as stack-merge does.

use std::fs;
use std::path::Path;
use std::process::Output;

use crate::needs::{READERS, SPARK, goes_without};
use crate::packers::packed;
use crate::place::{Place, folder_of_tools};
use crate::util::{filter_bytes, output, python, recording, stderr};

const NEEDS: &[&[&str]] = &[SPARK, READERS];

/// A JVM that compiles little, and that does not verify the classes of Spark, which is faster for a
/// short run.
const JVM: &str = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC \
    -XX:+UnlockDiagnosticVMOptions -XX:-BytecodeVerificationRemote";

/// Settings for little data: no page that shows progress, and not 200 tasks for each sum. The JVM
/// takes the classes that it can from `archive`, where that is. As options and not as a file: with a
/// folder of settings among the places of classes, a JVM takes nothing from an archive.
fn settings(archive: &Path) -> String {
    let classes = format!("-XX:SharedArchiveFile={} -Xlog:disable", archive.display());
    let settings = [
        "spark.ui.enabled=false",
        "spark.sql.shuffle.partitions=4",
        &format!("spark.driver.extraJavaOptions={classes}"),
        &format!("spark.executor.extraJavaOptions={classes}"),
    ];
    settings.map(|it| format!("--conf '{it}' ")).concat() + "pyspark-shell"
}

/// Runs scripts/fleet.
fn fleet(place: &Place, master: &str, args: &[&str]) -> Output {
    let spark = Path::new(env!("CARGO_TARGET_TMPDIR")).with_file_name("spark");
    let path = std::env::var("PATH").expect("a PATH");
    let mut command = place.command("fleet");
    command
        .env("PATH", format!("{}:{}:{path}", place.folder.display(), folder_of_tools()))
        .env("PYSPARK_SUBMIT_ARGS", settings(&spark.join("classes.jsa")))
        .env("PYTHONPATH", spark)
        .env("JDK_JAVA_OPTIONS", JVM)
        .args(["--master", master, "-o", "sum"])
        .args(args);
    command.output().expect("it starts")
}

/// The contents of the parts that Spark wrote to `folder`, one after the other.
fn parts(place: &Place, folder: &str) -> Vec<u8> {
    let entries = fs::read_dir(place.folder.join(folder)).expect(folder);
    let mut paths: Vec<_> = entries.map(|entry| entry.expect("an entry").path()).collect();
    paths.sort();
    paths.retain(|path| path.file_name().is_some_and(|name| name.as_encoded_bytes()[0] == b'p'));
    paths.iter().flat_map(|path| fs::read(path).expect("a part")).collect()
}

/// `folded` below the frames `root`; a header stays unchanged.
fn below(root: &str, folded: &[u8]) -> Vec<u8> {
    let lines = folded.split_inclusive(|&byte| byte == b'\n');
    let root = |line: &[u8]| match line.starts_with(b"# ") {
        true => line.to_vec(),
        false => [root.as_bytes(), b";", line].concat(),
    };
    lines.flat_map(root).collect()
}

#[test]
fn the_sum_is_that_of_stack_merge_and_files_with_errors_are_named() {
    if goes_without(NEEDS) {
        return;
    }
    let place = Place::new("fleet");
    let perf = recording("formats/perf-script/treegc-4.13.1-fp.gz");
    let packed =
        packed("gzip", b"# unit: samples\nmain;caf\xe9;_ZN3foo3barEv 5\nmain;z\xc3\xa9ro 1\n");
    let files: [(&str, &str, &[u8]); 5] = [
        ("monday/web-1/cpu.folded", "web-1;monday", b"# unit: samples\nmain;caf\xe9 3\nmain 2\n"),
        ("tuesday/web-1/cpu.folded.gz", "web-1;tuesday", &packed),
        ("tuesday/web-2/perf.script", "web-2;tuesday", &perf),
        ("tuesday/w;eb 3/cut.folded", "w:eb 3;tuesday", b"main;read 7\nmain;wri"),
        ("tuesday/web-4/empty.folded", "web-4;tuesday", b""),
    ];
    let mut merged = Vec::new();
    for (file, root, bytes) in files {
        let path = place.folder.join("days").join(file);
        fs::create_dir_all(path.parent().expect("a folder")).expect("a new folder");
        fs::write(&path, bytes).expect("a new file");
        // A damaged file contributes the part that can be read.
        let parsed = output("stack-parse", &[], bytes).stdout;
        let alone = place.folder.join(root.replace(';', "-"));
        let filtered = output("stack-demangle", &[], parsed).stdout;
        fs::write(&alone, below(root, &filtered)).expect("a new file");
        merged.push(alone.to_str().expect("UTF-8").to_owned());
    }
    let merged: Vec<&str> = merged.iter().map(String::as_str).collect();
    let expected = filter_bytes("stack-merge", &merged, "");

    let roots = ["--root", "path:2", "--root", "path:3"];
    let pipe = ["--pipe", "stack-demangle", "days/monday", "days/t*/*/*", "days/sunday"];
    let output = fleet(&place, "local[2]", &[&roots[..], &pipe].concat());
    let said = stderr(&output);
    assert_eq!(output.status.code(), Some(2), "{said}");
    let folder = place.folder.display();
    let cut = format!("fleet: {folder}/days/tuesday/w;eb 3/cut.folded: stack-parse: <stdin>:2: ");
    assert!(said.contains(&cut), "{said}");
    assert!(said.contains("fleet: days/sunday: [PATH_NOT_FOUND] "), "{said}");
    assert!(said.contains("fleet: stack-parse: <stdin>: the input is empty (1 files)\n"), "{said}");
    assert!(said.ends_with("\nfleet: 5 files, 1 empty, 1 with trouble\n"), "{said}");

    let folded = parts(&place, "sum/folded");
    assert!(folded == expected, "{}", String::from_utf8_lossy(&folded));
    assert_eq!(output.stdout, filter_bytes("stack-top", &[], &folded));
    assert_eq!(output.stdout, parts(&place, "sum/top"));
    assert_eq!(
        table(&place),
        "w:eb 3;tuesday 7\nweb-1;monday 5\nweb-1;tuesday 6\nweb-2;tuesday 2029\n"
    );
}

/// The weight of each host that pandas and DuckDB read from the table, in the order of the names.
fn table(place: &Place) -> String {
    let script = "\
import duckdb
rows = duckdb.sql(\"from 'sum/table/*.parquet'\").df()
assert list(rows.columns) == ['stack', 'leaf', 'host', 'weight', 'bytes'], rows.columns
lossy = rows[rows['bytes'].notna()]
assert [bytes(it) for it in lossy['bytes']] == [b'main;caf\\xe9', b'main;caf\\xe9;foo::bar()'], lossy
assert list(lossy['stack']) == ['main;caf\\ufffd', 'main;caf\\ufffd;foo::bar()'], lossy
assert list(lossy['leaf']) == ['caf\\ufffd', 'foo::bar()'], lossy
for host, weight in rows.groupby('host').weight.sum().items():
    print(host, weight)
";
    let output =
        python().args(["-c", script]).current_dir(&place.folder).output().expect("python3");
    assert!(output.status.success(), "{}", stderr(&output));
    String::from_utf8(output.stdout).expect("UTF-8")
}

#[test]
fn a_single_worker_counts_all_files() {
    if goes_without(NEEDS) {
        return;
    }
    let place = Place::new("fleet-single");
    for (file, folded) in [("a.folded", "main;read 3\n"), ("b.folded", "main;read 2\nmain 1\n")] {
        fs::write(place.folder.join(file), folded).expect("a file");
    }
    let output = fleet(&place, "local[1]", &["*.folded"]);
    let said = stderr(&output);
    assert!(output.status.success(), "{said}");
    assert!(said.ends_with("\nfleet: 2 files, 0 empty, 0 with trouble\n"), "{said}");
    assert_eq!(parts(&place, "sum/folded"), b"main 1\nmain;read 5\n");
}

/// Passes its input on, but kills the JVM that runs it the third time.
#[cfg(target_os = "linux")]
const KILLER: &str = r#"#!/bin/bash
cd FOLDER || exit
if mkdir first || mkdir second; then exec cat; fi 2> /dev/null
if mkdir killed 2> /dev/null; then
    parent=$$
    until grep -q CoarseGrainedExecutorBackend "/proc/$parent/cmdline"; do
        parent=$(awk '/^PPid:/ { print $2 }' "/proc/$parent/status")
    done
    kill -9 "$parent"
fi
exec cat
"#;

#[test]
#[cfg(target_os = "linux")]
fn a_worker_that_is_killed_loses_nothing() {
    if goes_without(NEEDS) {
        return;
    }
    let place = Place::new("fleet-killed");
    place.program("killer", &KILLER.replace("FOLDER", &place.folder.display().to_string()));
    let mut files = Vec::new();
    for host in 0..6 {
        let file = place.folder.join(format!("host-{host}.folded"));
        fs::write(&file, format!("main;work {}\nmain;idle-{host} 1\n", host + 1)).expect("a file");
        files.push(file.to_str().expect("UTF-8").to_owned());
    }
    let files: Vec<&str> = files.iter().map(String::as_str).collect();
    let output = fleet(&place, "local-cluster[2,1,1024]", &["--pipe", "killer", "host-*.folded"]);
    let said = stderr(&output);
    assert!(output.status.success(), "{said}");
    assert!(place.folder.join("killed").exists());
    assert!(said.contains(" Lost executor "), "{said}");
    assert!(said.contains("\nfleet: 6 files, 0 empty, 0 with trouble\n"), "{said}");
    assert_eq!(parts(&place, "sum/folded"), filter_bytes("stack-merge", &files, ""));
}
