//! `--table`, read by the programs that it is made for.

use serde::Deserialize;

use crate::needs::{READERS, goes_without};
use crate::util::{filter, output, python, recording, scratch, weight};

/// What a reader found in a table.
#[derive(Debug, Deserialize, PartialEq)]
struct Read {
    columns: Vec<String>,
    rows: u128,
    weight: u128,
    /// The thread's name and the stack of each row.
    names: Vec<(Option<String>, String)>,
}

/// The file name of a table, its input, and the options.
struct Table<'a> {
    name: &'a str,
    script: Vec<u8>,
    args: &'a [&'a str],
}

/// The content of each table according to pandas and DuckDB, which must agree.
fn read<const TABLES: usize>(tables: &[Table; TABLES]) -> [Read; TABLES] {
    let mut command = python();
    command.arg([env!("CARGO_MANIFEST_DIR"), "/tests/oracle/table.py"].concat());
    for Table { name, script, args } in tables {
        let args = [&["--table"], *args].concat();
        let table = output("stack-parse", &args, script).stdout;
        command.arg(scratch(&format!("{name}.tsv"), table));
    }
    let output = command.output().expect("python3");
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "scripts/test installs what is needed: {stderr}");
    let stdout = String::from_utf8(output.stdout).expect("UTF-8");
    let mut found = stdout.lines().map(|line| serde_json::from_str(line).expect("JSON"));
    std::array::from_fn(|table| {
        let pandas: Read = found.next().expect("what pandas read");
        let duckdb = found.next().expect("what DuckDB read");
        assert_eq!(pandas, duckdb, "{}: pandas (left) and DuckDB", tables[table].name);
        pandas
    })
}

#[test]
fn a_table_has_a_row_per_sample() {
    let script = "a \"b\" 1/2 [003] 2.5: 7 c:u:\n\t 10 f (/d)\n\nd 9 3.5: 8 c:u:\n\t 10 g (/d)\n\n";
    assert_eq!(
        filter("stack-parse", &["--table"], script),
        "time\tsince\tcomm\tpid\ttid\tcpu\tevent\tweight\tstack\n\
         2.5\t0.0\t\"a \"\"b\"\"\"\t1\t2\t003\tc:u\t7\t\"a \"\"b\"\";f\"\n\
         3.5\t1.0\td\t\t9\t\tc:u\t8\t\"d;g\"\n",
    );
}

/// `--from` is relative to the first sample of any event, and so is the table.
#[test]
fn the_seconds_of_a_table_are_those_of_from_and_to() {
    let script = "d 9 1.0: 1 a:\n\t 10 f (/d)\n\nd 9 3.5: 1 b:\n\t 10 g (/d)\n\nd 9 4.0: 1 b:\n\t 10 h (/d)\n\n";
    let of_b = |args: &[&str]| {
        let output = output("stack-parse", &[&["--event", "b"], args].concat(), script);
        String::from_utf8(output.stdout).expect("UTF-8")
    };
    let table = of_b(&["--table"]);
    let since: Vec<&str> = table.lines().filter_map(|row| row.split('\t').nth(1)).collect();
    assert_eq!(since, ["since", "2.5", "3.0"]);
    assert_eq!(of_b(&["--from", "2.5", "--to", "3"]), "d;g 1\n");
}

#[test]
fn readers_find_what_was_written() {
    if goes_without(&[READERS]) {
        return;
    }
    let columns = ["time", "since", "comm", "pid", "tid", "cpu", "event", "weight", "stack"];
    let args = &["--event", "*"][..];
    let shape = |name| Table {
        name,
        script: recording(&format!("formats/perf-script/shape-{name}.gz")),
        args,
    };
    // Not all names of the last are UTF-8.
    let odd = recording("formats/perf-script/treegc-5.4alpha-dollar-fp.gz");
    let tables = [
        shape("several"),
        shape("several-F-no-period"),
        shape("plain-F-ip-sym"),
        shape("side-records"),
        shape("syscalls"),
        Table { name: "treegc-5.4alpha", script: odd, args },
    ];
    for (found, Table { name, script, .. }) in read(&tables).iter().zip(&tables) {
        let total = |weight| {
            let args = [args, &["--weight", weight]].concat();
            self::weight(&output("stack-parse", &args, script).stdout)
        };
        assert_eq!(found.columns, columns, "{name}");
        assert_eq!((found.rows, found.weight), (total("samples"), total("period")), "{name}");
        assert_eq!(found.names.len() as u128, found.rows, "{name}");
    }
}

#[test]
fn odd_names_reach_the_readers() {
    if goes_without(&[READERS]) {
        return;
    }
    let names = [
        ("NA", "[NA]"),
        ("nan", "[nan]"),
        ("null", "[null]"),
        ("None", "[None]"),
        ("\"quoted", "\"quoted"),
        ("a \"b\"", "a \"b\""),
        ("\"", "\""),
        ("it's", "it's"),
        ("'q'", "'q'"),
        ("a,b", "a,b"),
        ("a|b", "a|b"),
        ("x\ty", "x y"),
        ("1.5", "1.5"),
        ("#c", "#c"),
        ("true", "true"),
        ("a\\", "a\\"),
        ("caf\u{e9}", "caf\u{e9}"),
    ];
    let sample = |name: &str, number: usize| {
        format!(
            "{name} 12/34 [003]  100.{number:06}:          7 cycles: \n\
                 \t              10 {name}+0x1 (/prog/demo)\n\t              20 main (/prog/demo)\n\n"
        )
    };
    let script: String =
        names.iter().enumerate().map(|(number, name)| sample(name.0, number)).collect();
    // Stacks of one frame with a name that readers take for a missing value.
    let alone = script.replace("\t              20 main (/prog/demo)\n", "");
    let [found, alone] = read(&[
        Table { name: "odd-names", script: script.into_bytes(), args: &[] },
        Table { name: "odd-frames", script: alone.into_bytes(), args: &["--root", "none"] },
    ]);
    let expected = names.iter().map(|(name, shown)| {
        let name = name.replace('\t', " ");
        (Some((*shown).to_owned()), format!("{name};main;{name}"))
    });
    assert_eq!(found.names, expected.collect::<Vec<_>>());
    assert_eq!(alone.names[0].1, "[NA]");
}

#[test]
fn readers_are_not_misled_by_stacks_of_one_depth() {
    if goes_without(&[READERS]) {
        return;
    }
    let frames: String =
        (0..20).map(|frame| format!("\t{:16x} f{frame} (/d)\n", 16 + frame)).collect();
    let script: String =
        (0..40).map(|number| format!("demo 7 2.{number:06}: 3 c:\n{frames}\n")).collect();
    // A quotation mark far after the lines that a reader looks at first.
    let late = format!("{}a \"b\" 7 3.000000: 3 c:\n{frames}\n", script.repeat(600));
    let [found, late] = read(&[
        Table { name: "one-depth", script: script.into_bytes(), args: &[] },
        Table { name: "late-quote", script: late.into_bytes(), args: &[] },
    ]);
    assert_eq!((found.rows, found.weight), (40, 120));
    assert_eq!(late.rows, 24_001);
    assert_eq!(late.names[24_000].0.as_deref(), Some("a \"b\""));
}
