use super::*;

fn tree_of(lines: &[(&str, u64)]) -> (StackTree, FrameTable) {
    let (mut tree, mut frames) = (StackTree::default(), FrameTable::default());
    for (stack, weight) in lines {
        tree.add_stack(&mut frames, stack.as_bytes(), *weight);
    }
    (tree, frames)
}

fn sorted(lines: &[(&str, u64)]) -> Vec<String> {
    let (tree, frames) = tree_of(lines);
    let mut out = Vec::new();
    tree.for_each_sorted(StackTree::ROOT, &frames, |stack, weight| {
        out.push(format!("{} {weight}", String::from_utf8_lossy(stack)));
        Ok(())
    })
    .expect("nothing fails here");
    out
}

#[test]
fn equal_stacks_are_summed() {
    assert_eq!(sorted(&[("a;b", 1), ("a", 2), ("a;b", 3)]), ["a 2", "a;b 4"]);
}

#[test]
fn the_order_is_that_of_the_text() {
    let lines = [("a;c", 1), ("a b;c", 1), ("a", 1), ("a!", 1), ("a b", 1), (";x", 1), ("ab", 1)];
    let mut texts: Vec<_> = lines.iter().map(|(stack, _)| (*stack).to_owned()).collect();
    texts.sort();
    let ours = sorted(&lines);
    assert_eq!(ours, texts.iter().map(|text| format!("{text} 1")).collect::<Vec<_>>());
}

#[test]
fn totals_hold_what_lies_below() {
    let (tree, _) = tree_of(&[("a;b;c", 5), ("a;b", 1), ("d", 7)]);
    assert_eq!(tree.total_weights().expect("small"), [13, 6, 6, 5, 7]);
}

/// The stacks of which weight was left out.
fn left_out(tree: &StackTree, frames: &FrameTable) -> Vec<(String, Total)> {
    let text = |stack: &[u8]| String::from_utf8_lossy(stack).into_owned();
    tree.overflows(StackTree::ROOT, frames)
        .named()
        .map(|(stack, total)| (text(stack), total))
        .collect()
}

#[test]
fn what_does_not_fit_into_a_sum_is_left_out_and_named() {
    let (mut tree, mut frames) = tree_of(&[("a;b", u64::MAX - 1), ("a;b", 2), ("a", 1)]);
    assert_eq!(tree.self_weight(2), u64::MAX - 1);
    let expected = [("a;b".to_owned(), Total { lines: 1, weight: 2 })];
    assert_eq!(left_out(&tree, &frames), expected);
    assert!(matches!(tree.total_weights(), Ok(totals) if totals[1] == u64::MAX));
    tree.add_stack(&mut frames, b"c", 1);
    assert!(matches!(tree.total_weights(), Err(Error::Overflow)));
    let mut twice = StackTree::default();
    twice.add_tree(&tree, |frame| frame);
    twice.add_tree(&tree, |frame| frame);
    let expected = Total { lines: 3, weight: u128::from(u64::MAX) + 3 };
    assert_eq!(left_out(&twice, &frames), [("a;b".to_owned(), expected)]);
    assert_eq!(left_out(&twice.without_roots(), &frames), [("b".to_owned(), expected)]);
    let below = |top| twice.overflows(top, &frames).named().count();
    assert_eq!([0, 1, 3].map(below), [1, 1, 0]);
}

#[test]
fn trees_add_up_and_scale() {
    let mut frames = FrameTable::default();
    let (mut one, mut two) = (StackTree::default(), StackTree::default());
    one.add_stack(&mut frames, b"a;b", 1);
    two.add_stack(&mut frames, b"a;b", 2);
    two.add_stack(&mut frames, b"c", 3);
    one.add_tree(&two, |frame| frame);
    one.scale_below(StackTree::ROOT, 10);
    assert_eq!(one.total_weights().expect("small"), [60, 30, 30, 30]);
    assert!(left_out(&one, &frames).is_empty());
}

#[test]
fn of_a_product_as_much_as_fits_is_kept() {
    let factor = u64::MAX / 4;
    let (mut tree, frames) = tree_of(&[("a", 6), ("b", 4)]);
    tree.scale_below(StackTree::ROOT, factor);
    assert_eq!([1, 2].map(|node| tree.self_weight(node)), [4 * factor; 2]);
    let expected = Total { lines: 2, weight: 2 * u128::from(factor) };
    assert_eq!(left_out(&tree, &frames), [("a".to_owned(), expected)]);
}

#[test]
fn ten_thousand_frames_deep_is_no_trouble() {
    let deep = ["f"; 10_000].join(";");
    assert_eq!(sorted(&[(&deep, 1), (&deep, 2)]), [format!("{deep} 3")]);
}
