//! Which program listed sizes and paths, by the order in which folders come.

use std::collections::HashMap;

use super::sized::Sized;
use crate::format::Head;

/// The order in which paths and their folders come in the first lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Order {
    /// Each folder comes after its contents and weighs no less, as du prints it; or the lines are
    /// sorted by size.
    FoldersLast,
    /// Each path but the first comes after its folder, as find prints it.
    FoldersFirst,
    /// Neither of these is certain.
    Unsure,
}

/// The order of the lines of an input, if nearly all of them have a size and a path.
pub(super) fn order(head: &Head<'_>) -> Option<Order> {
    let end = if head.bytes.contains(&0) { 0 } else { b'\n' };
    let text = match head.bytes.iter().rposition(|&byte| byte == end) {
        Some(at) if !head.is_whole => &head.bytes[..at],
        _ => head.bytes,
    };
    let records = || text.split(move |&byte| byte == end).filter(|record| !record.is_empty());
    let lines: Vec<Sized<'_>> = records().filter_map(Sized::parse).collect();
    // A name may hold line ends, so that a line has no size.
    if !head.is_last || lines.is_empty() || lines.len() * 10 < records().count() * 9 {
        return None;
    }
    let mut places = HashMap::new();
    for (place, line) in lines.iter().enumerate() {
        places.entry(trimmed(line.path)).or_insert(place);
    }
    let folder = |line: &Sized<'_>| folder_of(line.path).and_then(|path| places.get(path).copied());
    let mut inside = vec![0u64; lines.len()];
    let (mut first, mut last, mut none) = (0, 0, 0);
    for (place, line) in lines.iter().enumerate() {
        match folder(line) {
            Some(folder) if folder < place => first += 1,
            Some(_) => last += 1,
            None => none += 1,
        }
        if let Some(folder) = folder(line) {
            inside[folder] = inside[folder].saturating_add(line.size);
        }
    }
    let has_totals = lines.iter().zip(&inside).all(|(line, inside)| line.size >= *inside);
    let is_falling = lines.is_sorted_by(|one, other| one.size >= other.size);
    let has_tabs = lines.iter().all(|line| line.has_tab);
    Some(match (first, last) {
        (0, 1..) if has_tabs && has_totals && none <= last => Order::FoldersLast,
        (1.., 0) if has_tabs && has_totals && is_falling && lines.len() > 2 => Order::FoldersLast,
        (1.., 0) if none <= first => Order::FoldersFirst,
        _ => Order::Unsure,
    })
}

fn trimmed(path: &[u8]) -> &[u8] {
    match path.strip_suffix(b"/") {
        Some(folder) if !folder.is_empty() => folder,
        _ => path,
    }
}

/// The folder of a path.
fn folder_of(path: &[u8]) -> Option<&[u8]> {
    let path = trimmed(path);
    match path.iter().rposition(|&byte| byte == b'/')? {
        0 if path.len() > 1 => Some(b"/"),
        0 => None,
        at => Some(&path[..at]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_order_of_lines_tells_who_wrote_them() {
        let order = |text: &str| order(&Head::new(text.as_bytes(), true, true));
        for (text, expected) in [
            ("4\ta/b\n8\ta\n", Some(Order::FoldersLast)),
            ("4\t/b\n8\t/\n", Some(Order::FoldersLast)),
            ("8\ta\n4\ta/b\n3\ta/c\n", Some(Order::FoldersLast)),
            ("4\ta/b\x008\ta\0", Some(Order::FoldersLast)),
            ("8 a\n4 a/b\n", Some(Order::FoldersFirst)),
            ("8\ta\n14\ta/b\n3\ta/c\n", Some(Order::FoldersFirst)),
            // An identity and a path.
            ("1\ta/b\n0\ta\n", Some(Order::Unsure)),
            ("1\t/usr/bin\n2\t/usr/lib\n", Some(Order::Unsure)),
            ("12 apples\n13 pears\n", Some(Order::Unsure)),
            ("main;a 1\n4\ta/b\n", None),
            ("", None),
        ] {
            assert_eq!(order(text), expected, "{text:?}");
        }
    }
}
