//! Which function comes first: own code before what it calls, callers before what they call.

use super::*;

/// The functions that changed, in their order.
fn changed(before: &str, after: &str, args: &[&str]) -> Vec<String> {
    let [before, after] = [before, after].map(TempFile::new);
    let found = diff(before.path(), after.path(), &[args, &["--tsv"]].concat());
    rows(&found).into_iter().map(|row| row.function).collect()
}

const FAST: &str =
    "main_[o];serve_[o];compute_[o] 1000\nmain_[o];serve_[o];render_[o];memcpy_[l] 200\n";

/// Half of the time, a slow request waits in a function of its own.
const SLOW: &str = "main_[o];serve_[o];compute_[o] 500\n\
    main_[o];serve_[o];render_[o];memcpy_[l] 100\n\
    main_[o];serve_[o];write_index_[o];usleep_[l];__nanosleep_[l];schedule_[k];[waiting] 600\n";

/// Without marks.
fn unmarked(folded: &str) -> String {
    ["_[o]", "_[l]", "_[k]"].iter().fold(folded.to_owned(), |text, mark| text.replace(mark, ""))
}

#[test]
fn own_code_comes_before_what_it_calls() {
    let expected = [
        "write_index",
        "[waiting]",
        "compute",
        "render",
        "memcpy",
        "usleep",
        "__nanosleep",
        "schedule",
    ];
    assert_eq!(changed(FAST, SLOW, &[]), expected);
    // Whatever comes first in a file.
    let reversed = |text: &str| text.lines().rev().map(|it| format!("{it}\n")).collect::<String>();
    assert_eq!(changed(&reversed(FAST), &reversed(SLOW), &[]), expected);
    // In weights, all callers changed as much: the deepest own function comes first.
    let absolute =
        changed("main_[o];x_[o] 100\n", &format!("{SLOW}main_[o];x_[o] 100\n"), &["--absolute"]);
    let absolute: Vec<&str> = absolute.iter().map(String::as_str).collect();
    assert_eq!(absolute[..4], ["[whole]", "write_index", "[waiting]", "compute"]);
    assert_eq!(absolute[6..], ["main", "serve", "usleep", "__nanosleep", "schedule"]);
}

#[test]
fn without_marks_a_caller_comes_before_what_it_calls() {
    let expected = [
        "[waiting]",
        "compute",
        "memcpy",
        "write_index",
        "usleep",
        "__nanosleep",
        "schedule",
        "render",
    ];
    assert_eq!(changed(&unmarked(FAST), &unmarked(SLOW), &[]), expected);
}

#[test]
fn what_is_called_changes_a_little_more_where_others_call_it_too() {
    // Both changes are equal but for half a percent of them.
    let others =
        format!("{SLOW}main_[o];log_[o];usleep_[l];__nanosleep_[l];schedule_[k];[waiting] 3\n");
    assert_eq!(changed(FAST, &others, &[])[..3], ["write_index", "[waiting]", "compute"]);
    // A tenth is no such little.
    let others =
        format!("{SLOW}main_[o];log_[o];usleep_[l];__nanosleep_[l];schedule_[k];[waiting] 60\n");
    assert_eq!(changed(FAST, &others, &[])[..2], ["[waiting]", "write_index"]);
}

#[test]
fn a_function_that_works_less_itself_and_calls_more_still_changed() {
    let before = "main_[o];f_[o] 500\nmain_[o];f_[o];read_[l] 500\nmain_[o];g_[o] 1000\n";
    let after = "main_[o];f_[o] 100\nmain_[o];f_[o];read_[l] 900\nmain_[o];g_[o] 1000\n";
    assert_eq!(changed(before, after, &[]), ["f", "read"]);
}

#[test]
fn a_charge_that_noise_explains_does_not_count() {
    // What `f` calls of others is 4 samples more, which is nothing; its own callee has changed.
    let stacks = |h: u32, read: u32, write: u32| {
        format!(
            "main_[o];top_[o];f_[o];h_[o] {h}\nmain_[o];top_[o];f_[o];read_[l] {read}\n\
             main_[o];k_[o];write_[l] {write}\n"
        )
    };
    let found = changed(&stacks(100, 50, 850), &stacks(400, 54, 546), &[]);
    assert_eq!(found, ["k", "write", "h", "top", "f"]);
}

#[test]
fn what_woke_a_thread_is_not_charged() {
    let before = "main_[o];g_[o] 1000\n";
    let after = "main_[o];g_[o] 500\nmain_[o];wait_[o];poll_[l];--;write_[l];push_[o] 500\n";
    let expected = ["wait", "g", "push", "poll", "--", "write"];
    assert_eq!(changed(before, after, &[]), expected);
}
