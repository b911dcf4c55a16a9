//! Labels in the rows of xctrace's exports, and the effects of damage.

use crate::util::{filter, output, recording};

fn export() -> Vec<u8> {
    recording("formats/xctrace/time-profile.xml")
}

#[test]
fn rows_have_times_threads_and_cores() {
    let table = filter("stack-parse", &["--table"], export());
    let rows: Vec<&str> = table.lines().collect();
    let first = "0.057246708\t0.000000000\tmy demo\t49374\t8683713\tCPU 3 (P Core)\ttime-profile\t1000000\t";
    assert!(rows[1].starts_with(first), "{table}");
    assert!(rows[4].starts_with("0.062247458\t0.005000750\tother\t7\t9\t"), "{table}");
    let late = output("stack-parse", &["--from", "0.003", "--weight", "samples"], export());
    assert_eq!(
        late.stdout,
        b"my demo;start;main;std::map<int, char>::at(int) const & 1\nother 1\n"
    );
}

#[test]
fn rows_that_differ_in_their_time_alone_are_samples_of_their_own() {
    let text = String::from_utf8(export()).expect("UTF-8");
    let (before, end) = text.rsplit_once("</node>").expect("an end");
    let seen = "<thread ref=\"2\"/><weight ref=\"9\"/><backtrace ref=\"10\"/></row>\n";
    let row = |id: u32, time: &str| {
        format!("<row><sample-time id=\"{id}\" fmt=\"\">{time}</sample-time>{seen}")
    };
    let rows = [row(50, "70000001"), row(51, "71000001"), row(52, "72000001")].concat();
    // A row that refers to the time of a row that was equal to another one.
    let last = format!("<row><sample-time ref=\"51\"/>{seen}");
    let table =
        filter("stack-parse", &["--table"], [before, &rows, &last, "</node>", end].concat());
    let rows: Vec<Vec<&str>> =
        table.lines().skip(5).map(|line| line.split('\t').collect()).collect();
    let times: Vec<&str> = rows.iter().map(|row| row[0]).collect();
    assert_eq!(times, ["0.070000001", "0.071000001", "0.072000001", "0.071000001"], "{table}");
    assert!(rows.iter().all(|row| row[2..] == rows[0][2..]), "{table}");
}

#[test]
fn a_row_that_refers_to_what_comes_later_is_read_again() {
    let row = |id: u32| {
        format!("<row><sample-time id=\"{id}\">{id}</sample-time><weight ref=\"9\"/></row>")
    };
    let weight = "<row><weight id=\"9\">5</weight></row>";
    let text = [
        "<trace-query-result><node><schema name=\"t\"/>",
        &row(1),
        weight,
        &row(2),
        "</node></trace-query-result>",
    ]
    .concat();
    let output = output("stack-parse", &["--by-event"], text);
    assert_eq!(String::from_utf8_lossy(&output.stdout), "t 10\n");
}

#[test]
fn a_cut_export_keeps_what_was_read() {
    let text = String::from_utf8(export()).expect("UTF-8");
    let end = text.find("<row><sample-time ref").expect("the last row");
    for end in [end, end + 40] {
        let output = output("stack-parse", &[], &text[..end]);
        let folded = String::from_utf8_lossy(&output.stdout);
        assert!(folded.ends_with("const & 3500000\n"), "{folded}");
        assert_eq!(output.status.code(), Some(2));
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(said.contains("expected XML of xctrace"), "{said}");
    }
}

#[test]
fn references_to_nothing_and_rows_of_other_tables_are_reported() {
    let text = "<?xml version=\"1.0\"?>\n<trace-query-result><node><schema name=\"t\"/>\
                <row><weight id=\"1\">5</weight><backtrace ref=\"77\"/></row>\
                <row><weight ref=\"1\"/><backtrace id=\"3\"><frame id=\"4\" name=\"f\"/></backtrace></row>\
                <row><event-time id=\"9\">5</event-time></row></node></trace-query-result>";
    let output = output("stack-parse", &["--by-event"], text);
    assert_eq!(output.stdout, b"t 5\nt;f 5\n");
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(said.contains("1 rows have neither weight nor backtrace"), "{said}");
    assert!(said.contains("1 elements refer to one that does not exist"), "{said}");
}

#[test]
fn references_do_not_multiply() {
    // Each backtrace would contain the last one twice.
    let mut text = "<trace-query-result><node><schema name=\"t\"/><row><backtrace id=\"1\">\
                    <frame id=\"999\" name=\"f\"/></backtrace></row>"
        .to_owned();
    for id in 2..60 {
        let last = id - 1;
        text += &format!(
            "<row><backtrace id=\"{id}\"><backtrace ref=\"{last}\"/><backtrace ref=\"{last}\"/>\
             </backtrace></row>"
        );
    }
    text += "</node></trace-query-result>";
    assert_eq!(filter("stack-parse", &[], text), "f 59\n");
}

/// The column of a table with this short name and type.
fn column(name: &str, of_type: &str) -> String {
    format!("<col><mnemonic>{name}</mnemonic><engineering-type>{of_type}</engineering-type></col>")
}

#[test]
fn a_row_has_the_stack_of_the_kernel_above_that_of_the_program() {
    let stack = |id: u32, callers: &str, leaf: u32| {
        let more = id + 1;
        format!(
            "<kperf-bt id=\"{id}\"><text-addresses id=\"{more}\">{callers}</text-addresses>\
             <text-address>{leaf}</text-address></kperf-bt>"
        )
    };
    // The second row refers to both stacks; a list of callers ends with 0.
    let text = format!(
        "<trace-query-result><node><schema name=\"t\">{}{}</schema><row>{}{}</row>\
         <row><kperf-bt ref=\"1\"/><kperf-bt ref=\"3\"/></row></node></trace-query-result>",
        column("kernel", "kperf-bt"),
        column("user", "kperf-bt"),
        stack(1, "34 51 0", 17),
        stack(3, "85 0", 68),
    );
    // What the kernel did is a callee of the program.
    let output = output("stack-parse", &[], text);
    assert_eq!(output.stdout, b"[0x55];[0x44];[0x33];[0x22];[0x11] 2\n");
}

#[test]
fn stacks_of_an_unknown_type_are_refused_by_name() {
    let table = |columns: [String; 2]| {
        format!(
            "<trace-query-result><node><schema name=\"t\">{}</schema><row><weight>5</weight>\
             <backtrace><frame name=\"f\"/></backtrace></row></node></trace-query-result>",
            columns.concat()
        )
    };
    let weight = || column("weight", "weight");
    let refused = output("stack-parse", &[], table([weight(), column("stack", "new-stack")]));
    let said = String::from_utf8_lossy(&refused.stderr);
    let expected = "the stacks of table t are of the type new-stack, which is not known here: \
                    export another table, as with xctrace export --xpath \
                    '/trace-toc/run/data/table[@schema=\"time-profile\"]'";
    assert!(said.contains(expected), "{said}");
    assert_eq!((refused.status.code(), &refused.stdout[..]), (Some(2), &b""[..]));
    let known = table([weight(), column("stack", "backtrace")]);
    assert_eq!(filter("stack-parse", &[], known), "f 5\n");
}

#[test]
fn a_duration_is_the_weight_where_there_is_no_other() {
    let table = |columns: String| {
        format!(
            "<trace-query-result><node><schema name=\"t\">{columns}</schema><row>\
             <start-time>7</start-time><duration>9</duration><weight>5</weight><backtrace>\
             <frame name=\"f\"/></backtrace></row></node></trace-query-result>"
        )
    };
    let (stack, duration) = (column("stack", "backtrace"), column("duration", "duration"));
    let both = [&stack[..], &duration, &column("weight", "weight")].concat();
    assert_eq!(filter("stack-parse", &[], table(both)), "f 5\n");
    let bare = table([stack, duration].concat()).replace("<weight>5</weight>", "");
    let table = filter("stack-parse", &["--table"], bare);
    assert!(
        table.contains("0.000000007\t0.000000000\t") && table.contains("\tt\t9\t\"f\""),
        "{table}"
    );
}

#[test]
fn a_weight_that_cannot_be_read_is_not_one() {
    for bad in ["abc", "-5", "1000000.5", "", " ", "18446744073709551616"] {
        let row = |weight: &str, id: u32| {
            format!(
                "<row><sample-time id=\"{id}\">{id}</sample-time><weight id=\"{}\">{weight}</weight>\
                 <backtrace id=\"{}\"><frame id=\"{}\" name=\"f\"/></backtrace></row>",
                id + 1,
                id + 2,
                id + 3
            )
        };
        let seen = |weight: u32| {
            format!(
                "<row><sample-time ref=\"1\"/><weight ref=\"{weight}\"/><backtrace ref=\"3\"/></row>"
            )
        };
        let text = [
            "<trace-query-result><node><schema name=\"t\"/>",
            &row(bad, 1),
            &row("7", 5),
            &seen(2),
            &seen(6),
            "</node></trace-query-result>",
        ]
        .concat();
        let output = output("stack-parse", &[], text);
        assert_eq!(String::from_utf8_lossy(&output.stdout), "f 14\n", "{bad:?}");
        let said = String::from_utf8_lossy(&output.stderr);
        let expected = "2 rows have a weight that is no integer of 64 bits, they are left out";
        assert!(said.contains(expected), "{bad:?}: {said}");
    }
    // An element without any content.
    let text = "<trace-query-result><node><schema name=\"t\"/><row><weight/><backtrace id=\"1\">\
                <frame id=\"2\" name=\"f\"/></backtrace></row></node></trace-query-result>";
    let output = output("stack-parse", &[], text);
    assert_eq!(output.stdout, b"");
    assert!(String::from_utf8_lossy(&output.stderr).contains("1 rows have a weight that is no"));
}
