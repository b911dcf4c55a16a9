//! Trees in JSON: a node is an object with a list of its children, which are nodes, too.

use std::io::Read;

use common::Result;

use super::{Json, Kind};

/// The value of a node's key.
pub(crate) enum Field {
    /// The children.
    Children,
    /// Anything else, which was read.
    Other,
    /// There is no further key.
    End,
}

/// A tree that is being read.
pub(crate) trait Tree<R: Read> {
    /// Begins a node below another one, or the first node; returns its number.
    fn begin(&mut self, parent: Option<usize>) -> usize;

    /// Reads the next key of a node, with its value unless this is a list of children.
    fn read_field(&mut self, json: &mut Json<R>, node: usize) -> Result<Field>;

    /// Reads a child that is not an object, such as a number; it is skipped if this does nothing.
    fn read_reference(&mut self, _: &mut Json<R>, _: usize) -> Result<()> {
        Ok(())
    }
}

/// Reads a node whose object has begun, with all nodes inside of it, however deep. Children that
/// are not a list are skipped.
pub(crate) fn read_tree<R: Read>(json: &mut Json<R>, tree: &mut impl Tree<R>) -> Result<()> {
    // The nodes that are being read, and whether their children are.
    let mut open = vec![(tree.begin(None), false)];
    while let Some((node, in_children)) = open.last_mut() {
        let node = *node;
        if !*in_children {
            match tree.read_field(json, node)? {
                Field::Children => *in_children = json.begin_array()?,
                Field::Other => {}
                Field::End => _ = open.pop(),
            }
        } else if !json.next_element()? {
            *in_children = false;
        } else if json.kind()? != Kind::Object {
            tree.read_reference(json, node)?;
        } else if json.begin_object()? {
            open.push((tree.begin(Some(node)), false));
        }
    }
    Ok(())
}
