//! The constants of a chunk: stacks, methods, threads.

use std::collections::HashMap;

use common::stacks::FrameId;

use super::types::{Role, STATE, Types, Value};
use super::values::{Malformed, Text, Values};
use crate::frame::Frame;
use crate::read::java::place_of_class;
use crate::read::java_events::{TRUNCATED, kind_of};
use crate::samples::Samples;

/// The constants of a chunk that are used, by their numbers.
#[derive(Debug, Default)]
pub(super) struct Pools {
    stacks: HashMap<u64, PooledStack>,
    methods: HashMap<u64, Method>,
    classes: HashMap<u64, u64>,
    threads: HashMap<u64, Thread>,
    thread_states: HashMap<u64, String>,
    /// Symbols, strings and types of frames: each pool has its own numbers.
    symbols: HashMap<u64, String>,
    strings: HashMap<u64, String>,
    frame_types: HashMap<u64, String>,
    /// The frames that were named so far.
    frames: HashMap<StackFrame, Vec<FrameId>>,
}

#[derive(Debug, Default)]
struct PooledStack {
    is_truncated: bool,
    leaf_first: Vec<StackFrame>,
    /// The frames, root first, once they are named; `leaf_first` is empty then.
    root_first: Option<Vec<FrameId>>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
struct StackFrame {
    method: u64,
    line: u64,
    kind: u64,
}

#[derive(Clone, Copy, Debug, Default)]
struct Method {
    class: u64,
    name: u64,
}

/// A thread, with its name in Java or else the system's.
#[derive(Clone, Debug, Default)]
pub(super) struct Thread {
    pub(super) name: Vec<u8>,
    pub(super) tid: Vec<u8>,
}

/// A string, or the number of the constant that has it.
#[derive(Clone, Debug)]
pub(super) enum String {
    Here(Vec<u8>),
    Constant(u64),
}

impl Default for String {
    fn default() -> String {
        String::Here(Vec::new())
    }
}

impl String {
    pub(super) fn of(value: Value<'_>, is_compressed: bool) -> String {
        match value {
            Value::Text(Text::Constant(number)) | Value::Number(number) => String::Constant(number),
            Value::Text(text) => String::Here(text.to_vec(is_compressed)),
        }
    }
}

impl Pools {
    /// Reads the constants of a checkpoint, after the size and the type of the event.
    pub(super) fn read(&mut self, mut values: Values<'_>, types: &Types) -> Result<(), Malformed> {
        let (_time, _duration, _delta, _kind) =
            (values.long()?, values.long()?, values.long()?, values.u8()?);
        for _ in 0..values.count()? {
            let class = values.long()?;
            let name = &types.get(class).ok_or(Malformed)?.name[..];
            for _ in 0..values.count()? {
                let number = values.long()?;
                self.constant(name, number, class, &mut values, types)?;
            }
        }
        Ok(())
    }

    fn constant(
        &mut self,
        name: &[u8],
        number: u64,
        class: u64,
        values: &mut Values<'_>,
        types: &Types,
    ) -> Result<(), Malformed> {
        match name {
            b"jdk.types.StackTrace" => _ = self.stacks.insert(number, stack(class, values, types)?),
            b"jdk.types.Method" => _ = self.methods.insert(number, method(class, values, types)?),
            b"java.lang.Class" => {
                let mut class_name = 0;
                types.value(class, values, &mut |role, value| {
                    if role == Role::Name {
                        class_name = value.number();
                    }
                })?;
                self.classes.insert(number, class_name);
            }
            b"java.lang.Thread" => {
                _ = self.threads.insert(number, self.thread_of(class, values, types)?);
            }
            b"jdk.types.ThreadState" => {
                _ = self.thread_states.insert(number, string(class, values, types)?);
            }
            b"jdk.types.Symbol" | b"jdk.types.FrameType" | b"java.lang.String" => {
                let strings = match name {
                    b"jdk.types.Symbol" => &mut self.symbols,
                    b"jdk.types.FrameType" => &mut self.frame_types,
                    _ => &mut self.strings,
                };
                strings.insert(number, string(class, values, types)?);
            }
            _ => types.value(class, values, &mut |_, _| ())?,
        }
        Ok(())
    }

    fn thread_of(
        &self,
        class: u64,
        values: &mut Values<'_>,
        types: &Types,
    ) -> Result<Thread, Malformed> {
        let is_compressed = values.is_compressed;
        let (mut java, mut system, mut tid) = (Vec::new(), Vec::new(), 0);
        types.value(class, values, &mut |role, value| match role {
            Role::JavaName => java = self.text(&String::of(value, is_compressed)).to_vec(),
            Role::OsName => system = self.text(&String::of(value, is_compressed)).to_vec(),
            Role::OsThreadId => tid = value.number(),
            _ => {}
        })?;
        let name = if java.is_empty() { system } else { java };
        Ok(Thread { name, tid: tid.to_string().into_bytes() })
    }

    pub(super) fn text<'s>(&'s self, string: &'s String) -> &'s [u8] {
        match string {
            String::Here(text) => text,
            String::Constant(number) => match self.strings.get(number) {
                Some(String::Here(text)) => text,
                _ => b"",
            },
        }
    }

    /// The value of a label: the state of the thread, or a class.
    pub(super) fn label(&self, key: &str, number: u64) -> Vec<u8> {
        if key == STATE {
            return self.thread_states.get(&number).map_or(&b""[..], |it| self.text(it)).to_vec();
        }
        self.class_name(number)
    }

    /// The name of a class.
    fn class_name(&self, number: u64) -> Vec<u8> {
        let name = self.classes.get(&number).and_then(|name| self.symbols.get(name));
        let mut name = name.map_or(&b""[..], |name| self.text(name)).to_vec();
        // The virtual machine writes java/lang/Thread, and all others java.lang.Thread.
        name.iter_mut().filter(|byte| **byte == b'/').for_each(|byte| *byte = b'.');
        name
    }

    pub(super) fn thread(&self, number: u64) -> Option<&Thread> {
        self.threads.get(&number)
    }

    /// The frames of a stack that is named, root first; empty if there is no such stack.
    pub(super) fn stack(&self, number: u64) -> &[FrameId] {
        let stack = self.stacks.get(&number);
        stack.and_then(|stack| stack.root_first.as_deref()).unwrap_or_default()
    }

    /// Names the frames of a stack, if that was not done before.
    pub(super) fn name_stack(&mut self, number: u64, samples: &mut Samples<'_>) {
        let Some(stack) = self.stacks.get_mut(&number) else { return };
        if stack.root_first.is_some() {
            return;
        }
        let (mut root_first, leaf_first) = (Vec::new(), std::mem::take(&mut stack.leaf_first));
        if stack.is_truncated {
            root_first.push(samples.frame(TRUNCATED));
        }
        for &frame in leaf_first.iter().rev() {
            root_first.extend_from_slice(self.frame(frame, samples));
        }
        self.stacks.entry(number).or_default().root_first = Some(root_first);
    }

    fn frame(&mut self, frame: StackFrame, samples: &mut Samples<'_>) -> &[FrameId] {
        let line = if samples.wants.frames.srcline() { frame.line } else { 0 };
        let key = StackFrame { line, ..frame };
        if !self.frames.contains_key(&key) {
            let ids = self.named(key, samples);
            self.frames.insert(key, ids);
        }
        &self.frames[&key]
    }

    fn named(&self, frame: StackFrame, samples: &mut Samples<'_>) -> Vec<FrameId> {
        let method = self.methods.get(&frame.method).copied().unwrap_or_default();
        let symbol = |number: u64| self.symbols.get(&number).map_or(&b""[..], |it| self.text(it));
        let class = self.class_name(method.class);
        let mut name = class.clone();
        if !name.is_empty() {
            name.push(b'.');
        }
        name.extend_from_slice(symbol(method.name));
        let source = place_of_class(&class, frame.line);
        let kind = self.frame_types.get(&frame.kind).map_or(&b""[..], |it| self.text(it));
        let (inlined, kind) = (kind == b"Inlined", kind_of(kind));
        let mut ids = Vec::new();
        let frame = Frame { name: &name, source: &source, inlined, kind, ..Frame::default() };
        samples.frames(&frame, &mut ids);
        ids
    }
}

/// Reads the string that is a constant of this class, or is one of its fields.
fn string(class: u64, values: &mut Values<'_>, types: &Types) -> Result<String, Malformed> {
    let is_compressed = values.is_compressed;
    let mut string = String::default();
    types.value(class, values, &mut |role, value| {
        if matches!((role, value), (Role::String, _) | (Role::Name | Role::Other, Value::Text(_))) {
            string = String::of(value, is_compressed);
        }
    })?;
    Ok(string)
}

fn method(class: u64, values: &mut Values<'_>, types: &Types) -> Result<Method, Malformed> {
    let mut method = Method::default();
    types.value(class, values, &mut |role, value| match role {
        Role::Type => method.class = value.number(),
        Role::Name => method.name = value.number(),
        _ => {}
    })?;
    Ok(method)
}

fn stack(class: u64, values: &mut Values<'_>, types: &Types) -> Result<PooledStack, Malformed> {
    let mut stack = PooledStack::default();
    types.value(class, values, &mut |role, value| {
        let number = value.number();
        match (role, stack.leaf_first.last_mut()) {
            (Role::Truncated, _) => stack.is_truncated = number != 0,
            // This is the first field of each frame.
            (Role::Method, _) => {
                stack.leaf_first.push(StackFrame { method: number, ..StackFrame::default() });
            }
            (Role::LineNumber, Some(frame)) => frame.line = number,
            (Role::Type, Some(frame)) => frame.kind = number,
            _ => {}
        }
    })?;
    Ok(stack)
}
