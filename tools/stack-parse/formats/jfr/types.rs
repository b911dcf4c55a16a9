//! The types of a chunk, which describe the events and constants in it.

use std::collections::HashMap;

use super::values::{Malformed, Text, Values};

/// The deepest nesting of types that is read: a damaged type may contain itself.
const DEEPEST: usize = 16;

/// What a field is used for; most are not used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    AllocationSize,
    Amount,
    Label(&'static str),
    Duration,
    EventThread,
    JavaName,
    LineNumber,
    LostSamples,
    Method,
    Name,
    OsName,
    OsThreadId,
    Samples,
    SampledThread,
    SamplingPeriod,
    Size,
    StackTrace,
    StartTime,
    String,
    Tag,
    TlabSize,
    Truncated,
    Type,
    Weight,
    Other,
}

/// The label of the thread's state; the values of all other labels are classes.
pub(super) const STATE: &str = "state";

/// Names of fields; some roles have two.
const ROLES: [(&str, Role); 29] = [
    ("allocationSize", Role::AllocationSize),
    ("amount", Role::Amount),
    ("description", Role::String),
    ("duration", Role::Duration),
    ("eventThread", Role::EventThread),
    ("javaName", Role::JavaName),
    ("lineNumber", Role::LineNumber),
    ("lostSamples", Role::LostSamples),
    ("method", Role::Method),
    ("monitorClass", Role::Label("monitorClass")),
    ("name", Role::Name),
    ("objectClass", Role::Label("objectClass")),
    ("osName", Role::OsName),
    ("osThreadId", Role::OsThreadId),
    ("parkedClass", Role::Label("parkedClass")),
    ("sampledThread", Role::SampledThread),
    ("samples", Role::Samples),
    ("samplingPeriod", Role::SamplingPeriod),
    ("size", Role::Size),
    ("stackTrace", Role::StackTrace),
    ("startTime", Role::StartTime),
    ("state", Role::Label(STATE)),
    ("string", Role::String),
    ("tag", Role::Tag),
    ("thrownClass", Role::Label("thrownClass")),
    ("tlabSize", Role::TlabSize),
    ("truncated", Role::Truncated),
    ("type", Role::Type),
    ("weight", Role::Weight),
];

impl Role {
    /// The role of a field with this name.
    pub(super) fn of_field(name: impl AsRef<[u8]>) -> Role {
        let role = ROLES.iter().find(|(known, _)| known.as_bytes() == name.as_ref());
        role.map_or(Role::Other, |(_, role)| *role)
    }
}

/// A type of events or constants.
#[derive(Debug, Default)]
pub(super) struct Class {
    pub(super) name: Vec<u8>,
    pub(super) fields: Vec<Field>,
}

#[derive(Debug)]
pub(super) struct Field {
    pub(super) role: Role,
    class: u64,
    /// Whether the value is the number of a constant.
    is_constant: bool,
    is_array: bool,
}

/// A value of a field that has no fields itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Value<'a> {
    /// A number, or the number of a constant.
    Number(u64),
    Text(Text<'a>),
}

impl Value<'_> {
    pub(super) fn number(self) -> u64 {
        match self {
            Value::Number(number) => number,
            Value::Text(_) => 0,
        }
    }
}

/// The types of a chunk by their numbers.
#[derive(Debug, Default)]
pub(super) struct Types {
    classes: HashMap<u64, Class>,
}

/// An element of the tree of a chunk's metadata.
#[derive(Clone, Copy, Debug)]
struct Element {
    name: usize,
    children: usize,
}

impl Types {
    /// Reads the metadata of a chunk, after the size and the type of the event.
    pub(super) fn read(mut values: Values<'_>) -> Result<Types, Malformed> {
        let (_time, _duration, _id) = (values.long()?, values.long()?, values.long()?);
        let count = values.count()?;
        let is_compressed = values.is_compressed;
        let text = |_| values.text().map(|text| text.to_vec(is_compressed));
        let strings: Vec<Vec<u8>> = (0..count).map(text).collect::<Result<_, _>>()?;
        let mut types = Types::default();
        types.elements(&mut values, &strings)?;
        Ok(types)
    }

    /// Reads the tree: the fields of a class are its children.
    fn elements(&mut self, values: &mut Values<'_>, strings: &[Vec<u8>]) -> Result<(), Malformed> {
        let string = |index: usize| strings.get(index).map_or(&b""[..], |string| string);
        let (mut pending, mut class) = (vec![1], None);
        while let Some(left) = pending.last_mut() {
            if *left == 0 {
                pending.pop();
                continue;
            }
            *left -= 1;
            let mut attributes = Vec::new();
            let element = element(values, &mut attributes)?;
            let attribute = |name: &[u8]| {
                let found = attributes.iter().find(|(key, _)| string(*key) == name);
                found.map(|(_, value)| string(*value))
            };
            let id = |name| attribute(name).and_then(number);
            match (string(element.name), class) {
                (b"class", _) => {
                    let id = id(b"id").ok_or(Malformed)?;
                    let name = attribute(b"name").unwrap_or_default().to_vec();
                    self.classes.insert(id, Class { name, fields: Vec::new() });
                    class = Some(id);
                }
                (b"field", Some(class)) => {
                    let name = attribute(b"name").unwrap_or_default();
                    let field = Field {
                        role: Role::of_field(name),
                        class: id(b"class").ok_or(Malformed)?,
                        is_constant: attribute(b"constantPool") == Some(b"true"),
                        is_array: id(b"dimension").is_some_and(|dimension| dimension > 0),
                    };
                    self.classes.entry(class).or_default().fields.push(field);
                }
                _ => {}
            }
            pending.push(element.children);
        }
        Ok(())
    }

    pub(super) fn get(&self, class: u64) -> Option<&Class> {
        self.classes.get(&class)
    }

    /// Reads a value of a class, and hands all simple values in it to `each`.
    pub(super) fn value<'a>(
        &self,
        class: u64,
        values: &mut Values<'a>,
        each: &mut impl FnMut(Role, Value<'a>),
    ) -> Result<(), Malformed> {
        self.value_within(class, Role::Other, values, each, 0)
    }

    fn value_within<'a>(
        &self,
        class: u64,
        role: Role,
        values: &mut Values<'a>,
        each: &mut impl FnMut(Role, Value<'a>),
        depth: usize,
    ) -> Result<(), Malformed> {
        let class = self.classes.get(&class).filter(|_| depth < DEEPEST).ok_or(Malformed)?;
        let value = match &class.name[..] {
            b"boolean" | b"byte" => Value::Number(values.u8()?.into()),
            b"short" | b"char" => Value::Number(values.number(2)?),
            b"int" => Value::Number(values.int()?),
            b"long" => Value::Number(values.long()?),
            b"float" => Value::Number(values.skip(4).map(|_| 0)?),
            b"double" => Value::Number(values.skip(8).map(|_| 0)?),
            b"java.lang.String" => Value::Text(values.text()?),
            // Each value takes bytes, so that a damaged count ends with the bytes.
            _ if class.fields.is_empty() => return Err(Malformed),
            _ => {
                for field in &class.fields {
                    self.field(field, values, each, depth)?;
                }
                return Ok(());
            }
        };
        each(role, value);
        Ok(())
    }

    fn field<'a>(
        &self,
        field: &Field,
        values: &mut Values<'a>,
        each: &mut impl FnMut(Role, Value<'a>),
        depth: usize,
    ) -> Result<(), Malformed> {
        let count = if field.is_array { values.count()? } else { 1 };
        for _ in 0..count {
            let before = values.len();
            if field.is_constant {
                each(field.role, Value::Number(values.long()?));
            } else {
                self.value_within(field.class, field.role, values, each, depth + 1)?;
            }
            // Elements without bytes may be any number: reading them could take forever.
            if field.is_array && values.len() == before {
                return Err(Malformed);
            }
        }
        Ok(())
    }
}

fn element(
    values: &mut Values<'_>,
    attributes: &mut Vec<(usize, usize)>,
) -> Result<Element, Malformed> {
    let mut index = || usize::try_from(values.int()?).map_err(|_| Malformed);
    let (name, count) = (index()?, index()?);
    for _ in 0..count {
        attributes.push((index()?, index()?));
    }
    Ok(Element { name, children: index()? })
}

fn number(digits: &[u8]) -> Option<u64> {
    // Numbers of types may be negative.
    let digits = std::str::from_utf8(digits).ok()?;
    digits.parse().ok().or_else(|| digits.parse().ok().map(i64::cast_unsigned))
}
