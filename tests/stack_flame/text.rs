//! The table, printed or in a file.

use super::*;

#[test]
fn the_table_of_stack_top_takes_the_place_of_the_picture() {
    let place = Place::new("stack-flame-text");
    let output =
        place.stack_flame(&["--text", "--preset", "kernel", "--grep", "busy", "sh", "-c", ":"]);
    let table = String::from_utf8_lossy(&output.stdout);
    assert!(table.lines().next().is_some_and(|line| line.ends_with("FUNCTION")), "{table}");
    // The time of the kernel belongs to what needs it.
    assert!(table.contains("  Treegc.busy\n") && table.contains("of own code, "), "{table}");
    assert!(!table.contains("  [kernel]\n"), "{table}");
    assert_status(&output, 0);
    assert!(!place.folder.join("flame.svg").exists());
    let by_self = place.stack_flame(&["--text", "--sort", "self", "--grep", "GC", "sh", "-c", ":"]);
    let table = String::from_utf8_lossy(&by_self.stdout);
    assert!(table.contains("SELF") && table.contains("  [GC]\n"), "{table}");
    let to = |redirection: &str| {
        let command = format!("\"$0\" --text sh -c : {redirection}");
        place.here("sh".as_ref()).args(["-c", &command, binary("stack-flame")]).output()
    };
    let full = to("> /dev/full").expect("it starts");
    assert!(stderr(&full).contains("stack-top: <stdout>: no space left on device\n"));
    assert_status(&full, 125);
    fs::remove_dir_all(kept(&stderr(&full)).parent().expect("a folder")).expect("our own");
    let closed = to("| true").expect("it starts");
    assert!(!stderr(&closed).contains("stack-top:"), "{}", stderr(&closed));
}

#[test]
fn the_table_goes_to_a_file_that_is_whole_or_left_as_it_was() {
    let place = Place::new("stack-flame-table");
    // The next word is the program: a file's name follows `=`.
    let output = place.stack_flame(&["--text=table", "--preset", "kernel", "sh", "-c", "echo out"]);
    assert_status(&output, 0);
    assert_eq!(String::from_utf8_lossy(&output.stdout), "out\n");
    assert!(stderr(&output).ends_with("stack-flame: written: table\n"), "{}", stderr(&output));
    let table = place.read("table");
    assert!(table.lines().next().is_some_and(|line| line.ends_with("FUNCTION")), "{table}");
    assert!(table.contains("Treegc.busy") && table.contains(" samples"), "{table}");
    assert!(!place.folder.join("flame.svg").exists());

    let nothing = ["--text=table", "--grep", "no such frame", "sh", "-c", ":"];
    let output = place.stack_flame(&nothing);
    assert_status(&output, 125);
    assert!(stderr(&output).contains("stack-flame: no table: there is no stack to show"));
    fs::remove_dir_all(kept(&stderr(&output)).parent().expect("a folder")).expect("our own");
    assert_eq!(place.read("table"), table);

    let refused = place.stack_flame(&["--text=no/such", "touch", "ran"]);
    assert!(stderr(&refused).starts_with("stack-flame: no/such: no such file or directory\n"));
    assert_status(&refused, 125);
    assert!(!place.folder.join("ran").exists());

    let output = place.stack_flame(&["--text=-", "--preset", "kernel", "sh", "-c", ":"]);
    assert_eq!(String::from_utf8_lossy(&output.stdout), table);
}
