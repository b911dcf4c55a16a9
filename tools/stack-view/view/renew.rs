//! Another profile in the same view: a recording that goes on.

use common::{Result, stacks::FrameId};

use super::{Kind, Side, View, after};
use crate::call_tree::CallTree;
use crate::profile::Profile;
use crate::search::Hits;

/// A path of frames, by their names: another profile has other numbers for them.
type Names = Vec<Vec<u8>>;

/// Where the reader is.
struct Spot {
    scope: Names,
    merged_zoom: Names,
    focus: Names,
    current: Option<(Side, Names)>,
    row: Names,
}

impl View {
    /// Shows another profile. The steps, the zoom, the function of the sandwich and the current
    /// frame stay, as far as they are there.
    ///
    /// # Errors
    ///
    /// [`common::Error::Overflow`] when the weights do not add up in 64 bits.
    pub(crate) fn renew(&mut self, profile: Profile) -> Result<()> {
        let spot = self.spot();
        let calls = after(&self.steps, &profile)?;
        if let Some(hits) = &mut self.hits {
            *hits = Hits::new(&hits.query, &profile)?;
        }
        self.profile = profile;
        self.focus = self.frames_of(&spot.focus).pop().unwrap_or(CallTree::NO_FRAME);
        let scope = self.frames_of(&spot.scope);
        self.grow(calls, &scope);
        if self.kind == Kind::BottomUp {
            let zoom = self.frames_of(&spot.merged_zoom);
            self.merged_zoom = self.merged.find(&self.calls, &zoom);
        }
        self.current = spot.current.map(|(side, names)| {
            let frames = self.frames_of(&names);
            (side, self.find(side, &frames))
        });
        let row = self.frames_of(&spot.row).pop();
        self.row = self.rows.iter().position(|it| Some(it.frame) == row).unwrap_or(0);
        Ok(())
    }

    fn spot(&self) -> Spot {
        let names = |frames: Vec<FrameId>| -> Names {
            frames.into_iter().map(|frame| self.profile.name(frame).to_vec()).collect()
        };
        Spot {
            scope: names(self.flame.frames(self.scope)),
            merged_zoom: names(self.merged.frames(self.merged_zoom)),
            focus: names(
                Some(self.focus).filter(|it| *it != CallTree::NO_FRAME).into_iter().collect(),
            ),
            current: self.current.map(|(side, id)| (side, names(self.tree(side).frames(id)))),
            row: names(self.rows.get(self.row).map(|row| row.frame).into_iter().collect()),
        }
    }

    fn frames_of(&self, names: &Names) -> Vec<FrameId> {
        let number = |name: &Vec<u8>| self.profile.frames.find(name).unwrap_or(CallTree::NO_FRAME);
        names.iter().map(number).collect()
    }
}
