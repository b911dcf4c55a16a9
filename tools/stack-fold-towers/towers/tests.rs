//! The shapes that recursion leaves on real stacks, and what holds for any stack.

use std::collections::HashMap;

use super::{Folder, LONGEST_PERIOD, Level, Tower};

mod properties;

/// The frames of a stack that is written as text, and their names.
#[derive(Default)]
struct Names<'a> {
    ids: HashMap<&'a str, u32>,
    names: Vec<&'a str>,
}

impl<'a> Names<'a> {
    fn frames(&mut self, stack: &'a str) -> Vec<u32> {
        stack.split(';').map(|name| self.id(name)).collect()
    }

    fn id(&mut self, name: &'a str) -> u32 {
        *self.ids.entry(name).or_insert_with(|| {
            self.names.push(name);
            self.names.len() as u32 - 1
        })
    }

    /// Writes levels as `add*3;work`: the height follows the name where it is not 1.
    fn write(&self, levels: &[Level]) -> String {
        let label = |level: &Level| match level.height {
            1 => self.names[level.frame as usize].to_owned(),
            height => format!("{}*{height}", self.names[level.frame as usize]),
        };
        levels.iter().map(label).collect::<Vec<_>>().join(";")
    }
}

fn fold_with(folder: &mut Folder, stack: &str) -> String {
    let mut names = Names::default();
    let frames = names.frames(stack);
    names.write(folder.fold(&frames))
}

fn fold(stack: &str) -> String {
    fold_with(&mut default_folder(), stack)
}

fn erase(stack: &str) -> String {
    let mut names = Names::default();
    let frames = names.frames(stack);
    names.write(default_folder().erase(&frames))
}

fn default_folder() -> Folder {
    Folder::new(LONGEST_PERIOD, 2)
}

/// Returns the towers of `stack` as `cycle x height`.
fn towers(folder: &mut Folder, stack: &str) -> Vec<String> {
    let mut names = Names::default();
    let frames = names.frames(stack);
    let levels = folder.fold(&frames).to_vec();
    let write = |&Tower { start, period, height }: &Tower| {
        let cycle = levels[start..start + period].iter();
        let cycle: Vec<_> = cycle.map(|level| names.names[level.frame as usize]).collect();
        format!("{} x {height}", cycle.join(";"))
    };
    folder.towers().iter().map(write).collect()
}

#[test]
fn empty_stack() {
    assert!(default_folder().fold(&[]).is_empty());
    assert!(default_folder().erase(&[]).is_empty());
}

#[test]
fn stack_without_recursion_is_kept() {
    assert_eq!(fold("main;parse;lex;read"), "main;parse;lex;read");
}

#[test]
fn run_of_a_frame() {
    assert_eq!(fold("main;add;add;add;bal"), "main;add*3;bal");
    assert_eq!(fold("add;add;add;add"), "add*4");
}

#[test]
fn cycle_and_what_it_calls_last() {
    assert_eq!(fold("ping;pang;pong;ping;pang;pong;busy"), "ping*2;pang*2;pong*2;busy");
}

#[test]
fn half_a_turn_stays() {
    assert_eq!(fold("ping;pang;pong;ping;pang;pong;ping;busy"), "ping*2;pang*2;pong*2;ping;busy");
}

#[test]
fn cycle_is_found_behind_its_entry() {
    assert_eq!(fold("main;walk;list;iter;walk;list;iter;leaf"), "main;walk*2;list*2;iter*2;leaf");
}

#[test]
fn two_visits_are_not_a_cycle() {
    assert_eq!(fold("iter;f;iter;g"), "iter;f;iter;g");
}

#[test]
fn runs_of_different_length() {
    assert_eq!(fold("rename;map;map;map;rename;map;map;rename;work"), "rename*2;map*5;rename;work");
}

#[test]
fn optional_frame_in_the_first_turn() {
    assert_eq!(
        fold("rename;map;map_dps;rename;map;rename;work"),
        "rename*2;map*2;map_dps;rename;work"
    );
}

#[test]
fn optional_frame_in_the_second_turn() {
    assert_eq!(
        fold("rename;map;rename;map;map_dps;rename;work"),
        "rename*2;map*2;map_dps;rename;work"
    );
}

#[test]
fn optional_frames_in_many_turns() {
    assert_eq!(
        fold("rename;map;map_dps;rename;map;rename;map;rename;map;map_dps;rename;map;work"),
        "rename*4;map*4;map_dps*2;rename;map;work"
    );
}

#[test]
fn turns_with_different_frames_stay() {
    let stack = "eval;let;eval;app;eval;if;eval";
    assert_eq!(fold(stack), stack);
}

#[test]
fn cycle_of_cycles() {
    assert_eq!(fold("a;b;a;b;c;a;b;c;leaf"), "a*3;b*3;c*2;leaf");
    assert_eq!(fold("a;b;b;c;a;b;c;a;b;b;b;c;leaf"), "a*3;b*6;c*3;leaf");
}

#[test]
fn frame_that_leaves_uncovers_a_cycle() {
    // `f;x` goes into `f;a;c;x`, and then `f;a;c` is there twice.
    assert_eq!(fold("f;a;c;f;x;f;a;c;x;f;leaf"), "f*3;a*2;c*2;x*2;f;leaf");
}

#[test]
fn exact_folds_no_optional_frames() {
    let stack = "rename;map;map_dps;rename;map;rename;work";
    assert_eq!(fold_with(&mut default_folder().exact(), stack), stack);
    assert_eq!(fold_with(&mut default_folder().exact(), "a;b;a;b"), "a*2;b*2");
}

#[test]
fn max_period_limits_exact_and_other_turns() {
    let mut folder = Folder::new(2, 2);
    assert_eq!(fold_with(&mut folder, "a;b;a;b;x"), "a*2;b*2;x");
    assert_eq!(fold_with(&mut folder, "a;b;c;a;b;c"), "a;b;c;a;b;c");
    assert_eq!(fold_with(&mut folder, "a;b;c;a;b;a;x"), "a;b;c;a;b;a;x");
    assert_eq!(fold_with(&mut Folder::new(1, 2), "a;b;a;b;b"), "a;b;a;b*2");
}

#[test]
fn longest_period() {
    let repetition = "a;b;c;d;e;f;g;h;i;j;k;l;m;n;o;p";
    let folded =
        repetition.split(';').map(|name| format!("{name}*2")).collect::<Vec<_>>().join(";");
    assert_eq!(fold(&format!("{repetition};{repetition}")), folded);
    let longer = format!("{repetition};q;{repetition};q");
    assert_eq!(fold(&longer), longer);
}

#[test]
fn min_height_keeps_lower_towers() {
    let mut folder = Folder::new(LONGEST_PERIOD, 3);
    assert_eq!(fold_with(&mut folder, "a;a;b;b;b"), "a;a;b*3");
    assert_eq!(fold_with(&mut folder, "a;b;a;b;x"), "a;b;a;b;x");
    assert_eq!(fold_with(&mut folder, "a;b;a;b;a;b;x"), "a*3;b*3;x");
    assert_eq!(fold_with(&mut folder, "a;b;a;b;a;b;a;b;x"), "a*4;b*4;x");
}

#[test]
fn min_height_counts_turns_and_not_frames() {
    let mut folder = Folder::new(LONGEST_PERIOD, 3);
    assert_eq!(fold_with(&mut folder, "a;a;a;b;a;a;a;b;x"), "a*3;b;a*3;b;x");
    assert_eq!(fold_with(&mut folder, "a;a;a;b;a;a;a;b;a;a;a;b;x"), "a*9;b*3;x");
    // A repetition of the outer tower leaves the inner one at its first repetition.
    let repetitions = "a;b;c;b;c;b;c;a;b;c;b;c;b;c;a;b;c;b;c;b;c;a;b;c;b;c;";
    let mut folder = folder.exact();
    assert_eq!(fold_with(&mut folder, &format!("{repetitions}x")), "a*4;b*10;c*10;b;c;x");
    assert_eq!(fold_with(&mut folder, &format!("{repetitions}b;c;x")), "a*4;b*12;c*12;x");
}

#[test]
fn min_height_with_optional_frames() {
    let mut folder = Folder::new(LONGEST_PERIOD, 3);
    let low = "rename;map;map_dps;rename;map;rename;work";
    assert_eq!(fold_with(&mut folder, low), low);
    assert_eq!(
        fold_with(&mut folder, "rename;map;rename;map;map_dps;rename;map;rename;map;rename;work"),
        "rename*4;map*4;map_dps;rename;work"
    );
}

#[test]
fn towers_are_reported() {
    let folder = &mut default_folder();
    assert!(towers(folder, "main;parse").is_empty());
    assert_eq!(towers(folder, "main;add;add;add;bal"), ["add x 3"]);
    assert_eq!(towers(folder, "main;a;b;a;b;c;c;d"), ["a;b x 2", "c x 2"]);
    folder.erase(&[1, 1]);
    assert!(folder.towers().is_empty());
}

#[test]
fn towers_in_towers_are_reported_with_their_greatest_height() {
    assert_eq!(
        towers(&mut default_folder(), "rename;map;map;rename;map;map;map;rename;map;rename;work"),
        ["map x 3", "rename;map x 3"]
    );
    assert_eq!(
        towers(&mut default_folder(), "f;a;f;a;b;b;c;d;f;a;b;b;b;d;f;leaf"),
        ["f;a x 2", "b x 3", "f;a;b;c;d x 2"]
    );
}

#[test]
fn tower_is_reported_when_a_part_of_its_turn_is_folded() {
    assert_eq!(
        towers(&mut default_folder(), "f;a;c;f;x;f;a;c;x;f;leaf"),
        ["f;a;c x 2", "f;a;c;x x 2"]
    );
}

#[test]
fn tower_that_loses_its_first_frames_is_forgotten() {
    // `x;f` was there twice, but `f;g;x` goes into `f;g;h;x`, which leaves `main` below its `f`.
    let folder = &mut default_folder();
    let stack = "main;f;g;x;f;x;f;g;h;x;f;leaf";
    assert_eq!(fold_with(folder, stack), "main;f*3;g*2;h;x*3;f;leaf");
    assert_eq!(towers(folder, stack), ["f;g;h;x x 2"]);
}

#[test]
fn tower_with_other_frames_below_its_end_is_forgotten() {
    // While the repetitions of `a` are joined, a cycle is folded below the end of a tower of 8.
    let stack = "a;c;a;d;d;d;c;a;b;a;b;a;a;d;d;c;a;b;a;d;a;c;a;d;d;c;a;b;a;b;c;a;d;d;a";
    let folder = &mut Folder::new(LONGEST_PERIOD, 3);
    assert_eq!(fold_with(folder, stack), "a;c;a;d*8;c*3;a*9;b*5;c*2;a*2;d;d;a");
    assert_eq!(towers(folder, stack), ["d x 3", "a;b x 4"]);
}

#[test]
fn folder_is_used_again() {
    let mut folder = default_folder();
    assert_eq!(fold_with(&mut folder, "a;b;a;b"), "a*2;b*2");
    assert_eq!(fold_with(&mut folder, "b;c"), "b;c");
    assert!(folder.towers().is_empty());
    assert_eq!(folder.erase(&[3, 1, 3, 2]).len(), 2);
    assert_eq!(folder.erase(&[1, 3]).len(), 2);
}

#[test]
fn height_classes_are_powers_of_two() {
    let class = |height| Level { frame: 0, origin: 0, height }.height_class();
    assert_eq!([1, 2, 3, 4, 7, 8, 1000].map(class), [1, 2, 2, 4, 4, 8, 512]);
}

#[test]
fn erase_keeps_the_way_after_the_last_occurrence() {
    assert_eq!(erase("main;parse;lex"), "main;parse;lex");
    assert_eq!(erase("add;add;add;bal"), "add*3;bal");
    assert_eq!(erase("iter;f;iter;g"), "iter*2;g");
    assert_eq!(erase("a;b;c;b;d;c;e"), "a;b*2;d;c*2;e");
    assert_eq!(erase("a;b;c;d;a"), "a*2");
}
