//! The message as JSON: one, or one per line. Numbers of 64 bits are strings there, and versions
//! differ in the names of fields.

use common::io::Input;
use common::{Error, Result};

use super::attributes::{Attribute, Text};
use super::batch::{Batch, Profile, Stored};
use super::dictionary::{Dictionary, Function, Location, RawMapping};
use crate::options::Options;
use crate::read::json::{Json, Kind};
use crate::samples::Samples;

type Reader<'a> = Json<&'a mut Input>;

/// Reads all messages.
pub(super) fn read(input: &mut Input, options: &Options, samples: &mut Samples<'_>) -> Result<()> {
    let name = input.name().to_owned();
    let mut json = Json::new(input);
    loop {
        let mut message = Message::default();
        let read = message.read(&mut json, samples);
        message.batch.finish(options, samples)?;
        if message.is_old {
            return Err(Error::Unknown { name, what: super::OLD.to_owned() });
        }
        if !read? {
            return Ok(());
        }
    }
}

/// A message that is being read.
#[derive(Default)]
struct Message {
    batch: Batch,
    stored: Stored,
    /// Whether it has a form that is not read.
    is_old: bool,
}

impl Message {
    /// Reads a message; false at the end of the input.
    fn read(&mut self, json: &mut Reader<'_>, samples: &Samples<'_>) -> Result<bool> {
        if !json.next_document()? {
            return Ok(false);
        }
        if !json.begin_object()? {
            return Err(json.unexpected("profiles of OpenTelemetry"));
        }
        while let Some(key) = json.next_key()? {
            match key {
                b"resourceProfiles" | b"resource_profiles" => {
                    json.for_each(|json| self.read_resource(json, samples))?;
                }
                b"dictionary" => read_dictionary(json, &mut self.batch.dictionary)?,
                _ => {}
            }
        }
        Ok(true)
    }

    fn read_resource(&mut self, json: &mut Reader<'_>, samples: &Samples<'_>) -> Result<()> {
        let first = self.batch.scopes();
        let mut resource = Vec::new();
        let read = for_each_field(json, |key, json| match key {
            b"resource" => read_attributes(json, &mut resource),
            b"scopeProfiles" | b"scope_profiles" => {
                json.for_each(|json| self.read_scope(json, samples))
            }
            _ => Ok(()),
        });
        self.batch.describe_scopes(first, &resource);
        read
    }

    fn read_scope(&mut self, json: &mut Reader<'_>, samples: &Samples<'_>) -> Result<()> {
        let scope = self.batch.begin_scope();
        for_each_field(json, |key, json| match key {
            b"scope" => {
                let mut own = Vec::new();
                read_attributes(json, &mut own)?;
                self.batch.describe_scopes(scope, &own);
                Ok(())
            }
            b"profiles" => json.for_each(|json| {
                let mut profile = Profile::default();
                let read = self.read_profile(json, &mut profile, samples);
                self.batch.end_profile(&profile, samples);
                read
            }),
            _ => Ok(()),
        })
    }

    fn read_profile(
        &mut self,
        json: &mut Reader<'_>,
        profile: &mut Profile,
        samples: &Samples<'_>,
    ) -> Result<()> {
        for_each_field(json, |key, json| match key {
            b"sampleType" | b"sample_type" => {
                // There were several before version 1.8.
                self.is_old |= json.kind()? == Kind::Array;
                for_each_field(json, |key, json| {
                    let place = match key {
                        b"typeStrindex" | b"type_strindex" => 0,
                        b"unitStrindex" | b"unit_strindex" => 1,
                        _ => return Ok(()),
                    };
                    profile.kind[place] = number(json)?;
                    Ok(())
                })
            }
            b"samples" | b"sample" => json.for_each(|json| {
                self.read_sample(json)?;
                if !self.is_old {
                    self.batch.add(&self.stored, samples);
                }
                Ok(())
            }),
            b"attributeIndices" | b"attribute_indices" => {
                read_numbers(json, &mut profile.attributes)
            }
            _ => Ok(()),
        })
    }

    fn read_sample(&mut self, json: &mut Reader<'_>) -> Result<()> {
        let Message { stored, is_old, .. } = self;
        stored.clear();
        for_each_field(json, |key, json| {
            match key {
                b"stackIndex" | b"stack_index" => stored.stack = number(json)?,
                b"linkIndex" | b"link_index" => stored.link = number(json)?,
                b"values" => read_numbers(json, &mut stored.values)?,
                b"attributeIndices" | b"attribute_indices" => {
                    read_numbers(json, &mut stored.attributes)?;
                }
                b"timestampsUnixNano" | b"timestamps_unix_nano" => {
                    read_numbers(json, &mut stored.times)?;
                }
                b"locationsLength" | b"locations_length" => *is_old = true,
                _ => {}
            }
            Ok(())
        })
    }
}

/// Calls `each` with every key of an object; another value is skipped.
fn for_each_field(
    json: &mut Reader<'_>,
    mut each: impl FnMut(&[u8], &mut Reader<'_>) -> Result<()>,
) -> Result<()> {
    if !json.begin_object()? {
        return Ok(());
    }
    let mut name = Vec::new();
    while let Some(key) = json.next_key()? {
        name.clear();
        name.extend_from_slice(key);
        each(&name, json)?;
    }
    Ok(())
}

/// Reads a number, which may be below 0; 0 if it is not a number.
fn number(json: &mut Reader<'_>) -> Result<u64> {
    let number = json.scaled(0)?.unwrap_or_default();
    let unsigned = u64::try_from(number).ok();
    Ok(unsigned.or_else(|| i64::try_from(number).ok().map(i64::cast_unsigned)).unwrap_or_default())
}

fn read_numbers(json: &mut Reader<'_>, numbers: &mut Vec<u64>) -> Result<()> {
    json.for_each(|json| {
        numbers.push(number(json)?);
        Ok(())
    })
}

fn read_dictionary(json: &mut Reader<'_>, dictionary: &mut Dictionary) -> Result<()> {
    for_each_field(json, |key, json| {
        json.for_each(|json| {
            match key {
                b"mappingTable" | b"mapping_table" => dictionary.mappings.push(mapping(json)?),
                b"locationTable" | b"location_table" => dictionary.locations.push(location(json)?),
                b"functionTable" | b"function_table" => dictionary.functions.push(function(json)?),
                b"linkTable" | b"link_table" => dictionary.links.push(link(json)?),
                b"stringTable" | b"string_table" => {
                    dictionary.add_string(json.text()?.unwrap_or_default());
                }
                b"attributeTable" | b"attribute_table" => {
                    dictionary.attributes.push(attribute(json)?);
                }
                b"stackTable" | b"stack_table" => {
                    let mut locations = Vec::new();
                    for_each_field(json, |key, json| match key {
                        b"locationIndices" | b"location_indices" => {
                            read_numbers(json, &mut locations)
                        }
                        _ => Ok(()),
                    })?;
                    dictionary.add_stack(&locations);
                }
                _ => {}
            }
            Ok(())
        })
    })
}

fn mapping(json: &mut Reader<'_>) -> Result<RawMapping> {
    let mut mapping = RawMapping::default();
    for_each_field(json, |key, json| {
        match key {
            b"memoryStart" | b"memory_start" => mapping.start = number(json)?,
            b"memoryLimit" | b"memory_limit" => mapping.end = number(json)?,
            b"fileOffset" | b"file_offset" => mapping.offset = number(json)?,
            b"filenameStrindex" | b"filename_strindex" => mapping.file = number(json)?,
            b"attributeIndices" | b"attribute_indices" => {
                read_numbers(json, &mut mapping.attributes)?;
            }
            _ => {}
        }
        Ok(())
    })?;
    Ok(mapping)
}

fn location(json: &mut Reader<'_>) -> Result<Location> {
    let mut location = Location::default();
    for_each_field(json, |key, json| {
        match key {
            b"mappingIndex" | b"mapping_index" => location.mapping = number(json)?,
            b"address" => location.address = number(json)?,
            b"lines" | b"line" => json.for_each(|json| {
                let mut place = (0, 0);
                for_each_field(json, |key, json| {
                    match key {
                        b"functionIndex" | b"function_index" => place.0 = number(json)?,
                        b"line" => place.1 = number(json)?,
                        _ => {}
                    }
                    Ok(())
                })?;
                location.lines.push(place);
                Ok(())
            })?,
            b"attributeIndices" | b"attribute_indices" => {
                read_numbers(json, &mut location.attributes)?;
            }
            _ => {}
        }
        Ok(())
    })?;
    Ok(location)
}

fn function(json: &mut Reader<'_>) -> Result<Function> {
    let mut function = Function::default();
    for_each_field(json, |key, json| {
        match key {
            b"nameStrindex" | b"name_strindex" => function.name = number(json)?,
            b"systemNameStrindex" | b"system_name_strindex" => function.system_name = number(json)?,
            b"filenameStrindex" | b"filename_strindex" => function.file = number(json)?,
            _ => {}
        }
        Ok(())
    })?;
    Ok(function)
}

/// Trace and span, which are hexadecimal in the JSON of OpenTelemetry.
fn link(json: &mut Reader<'_>) -> Result<[Vec<u8>; 2]> {
    let mut link = [Vec::new(), Vec::new()];
    for_each_field(json, |key, json| {
        let place = match key {
            b"traceId" | b"trace_id" => 0,
            b"spanId" | b"span_id" => 1,
            _ => return Ok(()),
        };
        link[place] = json.text()?.unwrap_or_default().to_vec();
        Ok(())
    })?;
    Ok(link)
}

/// The attributes of a resource or a scope.
fn read_attributes(json: &mut Reader<'_>, attributes: &mut Vec<Attribute>) -> Result<()> {
    for_each_field(json, |key, json| match key {
        b"attributes" => json.for_each(|json| {
            attributes.push(attribute(json)?);
            Ok(())
        }),
        _ => Ok(()),
    })
}

fn attribute(json: &mut Reader<'_>) -> Result<Attribute> {
    let mut attribute = Attribute::default();
    for_each_field(json, |key, json| {
        match key {
            b"key" => attribute.key = Text::Known(json.text()?.unwrap_or_default().to_vec()),
            b"keyStrindex" | b"key_strindex" => attribute.key = Text::Number(number(json)?),
            b"value" => attribute.value = any_value(json)?,
            b"unitStrindex" | b"unit_strindex" => attribute.unit = number(json)?,
            _ => {}
        }
        Ok(())
    })?;
    Ok(attribute)
}

/// The text of a value of any type; lists have commas between their values.
fn any_value(json: &mut Reader<'_>) -> Result<Text> {
    let mut found = Text::default();
    for_each_field(json, |key, json| {
        found = match key {
            b"stringValueStrindex" | b"string_value_strindex" => Text::Number(number(json)?),
            b"boolValue" | b"bool_value" => {
                let is_true = json.boolean()? == Some(true);
                Text::Known(if is_true { "true" } else { "false" }.into())
            }
            b"arrayValue" | b"array_value" => Text::Known(list(json)?),
            _ => Text::Known(json.number()?.unwrap_or_default().to_vec()),
        };
        Ok(())
    })?;
    Ok(found)
}

/// A list of simple values.
fn list(json: &mut Reader<'_>) -> Result<Vec<u8>> {
    let mut values: Vec<Vec<u8>> = Vec::new();
    for_each_field(json, |_, json| {
        json.for_each(|json| {
            for_each_field(json, |_, json| {
                values.push(json.number()?.unwrap_or_default().to_vec());
                Ok(())
            })
        })
    })?;
    Ok(values.join(&b","[..]))
}
