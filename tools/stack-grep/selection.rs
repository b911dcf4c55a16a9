//! Which stacks are kept.

use std::borrow::Cow;
use std::ops::Range;

use common::Result;
use common::folded::{FoldedLine, Frames};
use common::names::{FrameParts, names_of_stack};
use common::pattern::{Finder, PatternSyntax, compile_patterns, looks_ahead, mentions_mark};
use regex_automata::Input;
use regex_automata::meta::Regex;

use crate::label::LabelCondition;
use crate::of_kind::OfKind;
use crate::{Args, Patterns};

/// Which stacks are kept.
pub(crate) struct Selection {
    /// What the labels of a line must be, all of them.
    labels: Vec<LabelCondition>,
    /// What the name of a frame must match, and what its place; `None` where any will do.
    name: Option<Regex>,
    place: Option<Regex>,
    /// Of which kind of code it must be.
    pub(crate) kind: Option<OfKind>,
    /// Whether a match of `name` depends on what comes after it.
    looks_ahead: bool,
    text: Text,
    /// Finds the lines in which the patterns may match.
    pub(crate) finder: Option<Finder>,
    /// Which frames of the stack may match.
    position: Position,
    /// What the name of a frame above the match must match, too.
    under: Option<Regex>,
    pub(crate) inverted: bool,
    /// How many stacks of a file are kept at most.
    pub(crate) max_count: Option<u64>,
}

/// What patterns see of a stack.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Text {
    /// The names of its frames; also their marks, if one of the patterns has a mark.
    Names { with_marks: bool },
    /// All of it.
    Whole,
}

enum Position {
    Anywhere,
    Leaf,
    Root,
}

impl Selection {
    pub(crate) fn new(args: &Args, patterns: Patterns, kind: Option<OfKind>) -> Result<Selection> {
        let syntax = PatternSyntax { whole_stack: args.stack, ..args.syntax.syntax() };
        let Patterns { names, places } = patterns;
        let compile = |patterns: &Option<Vec<Vec<u8>>>| {
            let patterns = patterns.as_ref();
            patterns
                .map(|them| compile_patterns(them.iter().map(Vec::as_slice), syntax))
                .transpose()
        };
        let under = args.under.as_ref().map(|under| under.as_encoded_bytes());
        let of_names = names.iter().flatten().map(Vec::as_slice).chain(under);
        let with_marks =
            of_names.into_iter().any(|pattern| mentions_mark(pattern, syntax.fixed_strings));
        let wanted = names.as_ref().or(places.as_ref()).into_iter().flatten().map(Vec::as_slice);
        // A line may have a place between a name and its mark, which patterns do not see.
        let has_finder = !args.invert_match && !with_marks;
        let labels = args.label.iter().map(|label| LabelCondition::parse(label, syntax));
        Ok(Selection {
            labels: labels.collect::<Result<_>>()?,
            name: compile(&names)?,
            place: compile(&places)?,
            kind,
            looks_ahead: looks_ahead(names.iter().flatten().map(Vec::as_slice), syntax)?,
            text: if args.stack { Text::Whole } else { Text::Names { with_marks } },
            finder: if has_finder { Finder::new(wanted, syntax)? } else { None },
            position: match args {
                Args { leaf: true, .. } => Position::Leaf,
                Args { root: true, .. } => Position::Root,
                _ => Position::Anywhere,
            },
            under: under.map(|under| compile_patterns([under], syntax)).transpose()?,
            inverted: args.invert_match,
            max_count: args.max_count,
        })
    }

    /// Whether the line is kept.
    pub(crate) fn keeps(&mut self, line: &FoldedLine<'_>) -> bool {
        let has_labels = self.labels.iter_mut().all(|label| label.holds(line.labels));
        (has_labels && self.matches(line.stack)) != self.inverted
    }

    /// What is said of labels that no line has, or that are no numbers.
    pub(crate) fn remarks(&self) -> impl Iterator<Item = String> {
        self.labels.iter().filter_map(LabelCondition::remark)
    }

    fn matches(&self, stack: &[u8]) -> bool {
        match (&self.name, &self.place, self.text) {
            _ if self.kind.is_some() => self.matches_in_position(stack),
            (None, None, _) if self.under.is_none() => true,
            (Some(name), None, Text::Whole) => name.is_match(stack),
            (Some(name), None, Text::Names { with_marks }) => match self.position {
                Position::Anywhere if self.under.is_none() && !with_marks => {
                    self.matches_a_name(name, stack)
                }
                Position::Anywhere => {
                    let names = names_of_stack(stack, with_marks);
                    let searched = match &self.under {
                        Some(under) => below(under, &names),
                        None => Some(&*names),
                    };
                    searched.is_some_and(|names| name.is_match(names))
                }
                _ => self.matches_in_position(stack),
            },
            _ => self.matches_in_position(stack),
        }
    }

    /// Whether a name in the stack matches. One search in the whole stack is much faster than one
    /// in each name, and mostly it finds what is in a name, or nothing.
    fn matches_a_name(&self, name: &Regex, stack: &[u8]) -> bool {
        let found = name.search_half(&Input::new(stack).earliest(true));
        let is_in_name = |at: usize| {
            let after = Frames::new(&stack[at..]).next().unwrap_or_default();
            let end = at + after.len();
            if !matches!(stack[..end], [.., b')' | b']']) {
                return true;
            }
            let before = Frames::new(&stack[..at]).next_back().unwrap_or_default();
            let start = at - before.len();
            let length = FrameParts::of(&stack[start..end]).name.len();
            start + length == end || at <= start + length && !self.looks_ahead
        };
        match found {
            None if !self.looks_ahead => false,
            Some(found) if is_in_name(found.offset()) => true,
            _ => match names_of_stack(stack, false) {
                Cow::Borrowed(_) => found.is_some(),
                Cow::Owned(names) => name.is_match(&names),
            },
        }
    }

    fn matches_in_position(&self, stack: &[u8]) -> bool {
        let leaf = match (&self.position, &self.under) {
            (Position::Leaf, None) => Frames::new(stack).next_back(),
            _ => None,
        };
        match leaf {
            Some(leaf) => self.matches_frame(leaf),
            None => self.frames_in_position(stack).any(|(_, frame)| self.matches_frame(frame)),
        }
    }

    /// The frames of a stack that may match, each after where it starts.
    fn frames_in_position<'a>(
        &'a self,
        stack: &'a [u8],
    ) -> impl Iterator<Item = (usize, &'a [u8])> {
        let mut start = 0;
        let mut is_below = self.under.is_none();
        Frames::new(stack).filter_map(move |frame| {
            let (at, was_below) = (start, is_below);
            start += frame.len() + 1;
            is_below |= self.under.as_ref().is_some_and(|it| it.is_match(&self.name_of(frame)));
            let is_in_position = match self.position {
                Position::Anywhere => true,
                Position::Leaf => start > stack.len(),
                Position::Root => at == 0,
            };
            (was_below && is_in_position).then_some((at, frame))
        })
    }

    fn matches_frame(&self, frame: &[u8]) -> bool {
        let place = FrameParts::of(frame).place;
        let is_named = |it: &Regex| it.is_match(&*self.name_of(frame));
        let is_placed = |it: &Regex| !place.is_empty() && it.is_match(place);
        self.kind.as_ref().is_none_or(|it| it.holds(frame))
            && self.place.as_ref().is_none_or(is_placed)
            && self.name.as_ref().is_none_or(is_named)
    }

    /// What patterns see of a frame's name.
    fn name_of<'a>(&self, frame: &'a [u8]) -> Cow<'a, [u8]> {
        names_of_stack(frame, self.text == Text::Names { with_marks: true })
    }

    /// Where the patterns match, in order.
    pub(crate) fn matches_in(&self, stack: &[u8]) -> Vec<Range<usize>> {
        if let (Text::Whole, Some(pattern)) = (self.text, &self.name) {
            return pattern.find_iter(stack).map(|found| found.range()).collect();
        }
        let frames = self.frames_in_position(stack).filter(|(_, frame)| self.matches_frame(frame));
        frames.flat_map(|(start, frame)| self.matches_in_frame(start, frame)).collect()
    }

    /// Where the patterns match in a frame that starts at `start`.
    fn matches_in_frame(&self, start: usize, frame: &[u8]) -> Vec<Range<usize>> {
        let FrameParts { name, place, marks } = FrameParts::of(frame);
        // Marks are seen right after the name, and may be written after a place.
        let gap = frame.len() - name.len() - marks.len();
        let start_of = |at: usize| start + at + if at < name.len() { 0 } else { gap };
        let end_of = |at: usize| start + at + if at <= name.len() { 0 } else { gap };
        let seen = self.name_of(frame);
        let names = self.name.iter().flat_map(|pattern| pattern.find_iter(&*seen));
        let names = names.map(|found| start_of(found.start())..end_of(found.end()));
        let place_start = start + name.len() + " (".len();
        let places = self.place.iter().flat_map(|pattern| pattern.find_iter(place));
        let places = places.map(|it| place_start + it.start()..place_start + it.end());
        let is_any = self.name.is_none() && self.place.is_none() && self.kind.is_some();
        let whole = is_any.then_some(start..start + name.len());
        let mut found: Vec<_> = names.chain(places).chain(whole).collect();
        found.sort_by_key(|found| found.start);
        found
    }
}

/// The frames below the first one that matches, if there are any.
fn below<'a>(pattern: &Regex, names: &'a [u8]) -> Option<&'a [u8]> {
    let found = pattern.find(names)?;
    // A match ends in the frame in which it starts.
    let mut frames = Frames::new(&names[found.end()..]);
    frames.next();
    frames.rest()
}
