//! Speedscope's own JSON, which py-spy, rbspy, pyinstrument, memray and others write: stacks of
//! indexes into a common list of frames. Grammar from speedscope's file-format-schema.json, which
//! not all writers follow.
//!
//! ```text
//! {"$schema":"https://www.speedscope.app/file-format-schema.json",
//!  "shared":{"frames":[{"name":"main","file":"demo.py","line":7,"col":null}]},
//!  "profiles":[
//!   {"type":"sampled","name":"MainThread","unit":"seconds","startValue":0,
//!    "endValue":0.01,"samples":[[0]],"weights":[0.01]},
//!   {"type":"evented","name":"other","unit":"none","startValue":0,"endValue":2,
//!    "events":[{"type":"O","frame":0,"at":0},{"type":"C","frame":0,"at":2}]}]}
//! ```

mod profile;

use common::{Result, io::Input};

use crate::format::{Format, Head};
use crate::frame::Frame;
use crate::read::documents::{self, Document};
use crate::read::held::Held;
use crate::read::json::{Json, Outline};
use crate::read::source::Place;
use crate::read::stacks::{FrameNames, Stacks};
use crate::samples::{Root, Samples, Weighs};
use profile::{Profile, Troubles};

pub(super) const FORMAT: Format = Format::new(
    "speedscope",
    "Speedscope's JSON, which py-spy, rbspy, pyinstrument and others write",
    detect,
    documents::parse::<File>,
)
.root(&Root::Comm)
.weighs(Weighs::Exact);

/// By its keys, since `$schema` may be missing or come after gigabytes of samples.
fn detect(head: &Head<'_>) -> bool {
    let is_speedscope = |keys: &Outline| {
        let is_profile = keys.has_inside("startValue") && keys.has_inside("endValue");
        (keys.has("profiles") || keys.has("shared"))
            && (keys.has("$schema") || keys.has("shared") && keys.has("profiles") || is_profile)
    };
    head.outline().is_some_and(is_speedscope)
}

/// A file; an input may hold several.
#[derive(Default)]
struct File {
    stacks: Stacks,
    names: FrameNames,
    held: Held,
    /// The number of frames that samples refer to: the largest index, plus 1.
    frames: u32,
    troubles: Troubles,
}

impl Document for File {
    const WHAT: &'static str = "speedscope's JSON";

    fn read(&mut self, json: &mut Json<&mut Input>, samples: &mut Samples<'_>) -> Result<()> {
        while let Some(key) = json.next_key()? {
            match key {
                b"shared" => self.read_shared(json, samples)?,
                b"profiles" => json.for_each(|json| self.read_profile(json))?,
                _ => {}
            }
        }
        Ok(())
    }

    fn finish(mut self, samples: &mut Samples<'_>) -> Result<()> {
        if self.held.is_one_thread() {
            samples.set_one_thread();
        }
        self.names.name_others(&Frame::default(), samples);
        if self.names.len() < self.frames as usize {
            samples.note(format_args!(
                "frames have numbers up to {}, but the list has {}: others are [unknown]",
                self.frames - 1,
                self.names.len(),
            ));
        }
        self.troubles.report(samples);
        self.held.finish(&mut self.stacks, &self.names, samples)
    }
}

impl File {
    fn read_shared(
        &mut self,
        json: &mut Json<&mut Input>,
        samples: &mut Samples<'_>,
    ) -> Result<()> {
        json.enter_object()?;
        while let Some(key) = json.next_key()? {
            if key == b"frames" {
                json.for_each(|json| self.read_frame(json, samples))?;
            }
        }
        Ok(())
    }

    /// `{"name":"main","file":"demo.py","line":7,"col":null}`, and `"marks":"_[k]"` where stack-export
    /// wrote it.
    fn read_frame(&mut self, json: &mut Json<&mut Input>, samples: &mut Samples<'_>) -> Result<()> {
        let (mut name, mut place, mut marks) = (Vec::new(), Place::default(), Vec::new());
        json.enter_object()?;
        while let Some(key) = json.next_key()? {
            match key {
                b"name" => name.extend_from_slice(json.text()?.unwrap_or_default()),
                b"file" => place.set_file(json.text()?.unwrap_or_default()),
                b"line" => place.line = json.integer()?,
                b"col" => place.column = json.integer()?,
                b"marks" => marks.extend_from_slice(json.text()?.unwrap_or_default()),
                _ => {}
            }
        }
        if samples.wants.frames.annotate {
            name.extend_from_slice(&marks);
        }
        self.names.push(&Frame { name: &name, source: place.text(), ..Frame::default() }, samples);
        Ok(())
    }

    /// Reads a profile; the samples of one that is cut short count, too.
    fn read_profile(&mut self, json: &mut Json<&mut Input>) -> Result<()> {
        let mut profile = Profile::default();
        let read = profile.read(json, &mut self.stacks, &mut self.troubles);
        self.frames = self.frames.max(profile.frames());
        profile.hold(&mut self.stacks, &mut self.held, &mut self.troubles);
        read
    }
}
