//! The tree for programs: each call within its caller.

use common::{io::Total, names::utf8};

use super::{Least, Node, Tree};
use crate::Answer;
use crate::profile::Profile;

/// What is left to write, the next piece last.
enum Piece {
    Node(usize),
    Text(&'static str),
}

/// `{"unit":"ns","total":12,"trust":{…},"children":[{"function":"main","self":2,"total":12,"children":[…]}]}`
///
/// Stacks may be deeper than this program's own, so this is not recursive.
pub(crate) fn json(profile: &Profile, least: Least) -> Answer {
    let tree = Tree::of(profile, least);
    let mut text = String::new();
    let mut pending = vec![Piece::Node(tree.whole())];
    while let Some(piece) = pending.pop() {
        match piece {
            Piece::Text(piece) => text.push_str(piece),
            Piece::Node(number) => {
                let node = &tree.nodes[number];
                push_numbers(node, profile, &mut text);
                // The whole always has a list, so that programs need not check.
                if node.children.is_empty() && node.frame.is_some() {
                    text.push('}');
                    continue;
                }
                text.push_str(",\"children\":[");
                pending.push(Piece::Text("]}"));
                for (at, &child) in node.children.iter().enumerate().rev() {
                    pending.push(Piece::Node(child));
                    pending.extend((at > 0).then_some(Piece::Text(",")));
                }
            }
        }
    }
    text.push('\n');
    let shown = Total { lines: tree.whole() as u64, weight: profile.total.into() };
    Answer::new(text.into_bytes(), shown)
}

/// The start of a node's object: all but its children.
fn push_numbers(node: &Node, profile: &Profile, text: &mut String) {
    let quoted = |text: &str| serde_json::Value::from(text).to_string();
    let start = match node.frame {
        Some(frame) => {
            let function = quoted(&utf8(profile.name(frame)));
            format!(
                "{{\"function\":{function},\"self\":{},\"total\":{}",
                node.self_weight, node.total
            )
        }
        None => {
            let unit = profile.unit_name.as_deref().map_or("null".to_owned(), quoted);
            let all = profile.under.as_ref().map_or(node.total, |under| under.all);
            let under = profile.under.as_ref().map(|under| {
                let pattern = quoted(&utf8(&under.pattern));
                format!(",\"under\":{{\"pattern\":{pattern},\"total\":{}}}", node.total)
            });
            let trust = serde_json::to_string(&profile.trust.data()).expect("texts and numbers");
            let under = under.unwrap_or_default();
            format!("{{\"unit\":{unit},\"total\":{all},\"trust\":{trust}{under}")
        }
    };
    text.push_str(&start);
    let Total { lines, weight } = node.others;
    if lines > 0 {
        text.push_str(&format!(",\"others\":{{\"functions\":{lines},\"total\":{weight}}}"));
    }
}
