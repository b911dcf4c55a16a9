//! The messages of profile.proto, with those of their fields that are written.

/// The whole file, or a part of it.
#[derive(Clone, PartialEq, prost::Message)]
pub(super) struct Message {
    #[prost(message, repeated, tag = "1")]
    pub(super) sample_type: Vec<ValueType>,
    #[prost(message, repeated, tag = "2")]
    pub(super) sample: Vec<Sample>,
    #[prost(message, repeated, tag = "4")]
    pub(super) location: Vec<Location>,
    #[prost(message, repeated, tag = "5")]
    pub(super) function: Vec<Function>,
    #[prost(string, repeated, tag = "6")]
    pub(super) string_table: Vec<String>,
    /// When the profile began, in nanoseconds since 1970.
    #[prost(int64, tag = "9")]
    pub(super) time_nanos: i64,
    #[prost(int64, tag = "10")]
    pub(super) duration_nanos: i64,
    /// Indices in the table of strings.
    #[prost(int64, repeated, tag = "13")]
    pub(super) comment: Vec<i64>,
    /// The index of its name in the table of strings.
    #[prost(int64, tag = "14")]
    pub(super) default_sample_type: i64,
}

/// What the values of samples are; indices in the table of strings.
#[derive(Clone, Copy, PartialEq, prost::Message)]
pub(super) struct ValueType {
    #[prost(int64, tag = "1")]
    pub(super) r#type: i64,
    #[prost(int64, tag = "2")]
    pub(super) unit: i64,
}

#[derive(Clone, PartialEq, prost::Message)]
pub(super) struct Sample {
    /// The leaf first.
    #[prost(uint64, repeated, tag = "1")]
    pub(super) location_id: Vec<u64>,
    /// One for each type of sample.
    #[prost(int64, repeated, tag = "2")]
    pub(super) value: Vec<i64>,
    #[prost(message, repeated, tag = "3")]
    pub(super) label: Vec<Label>,
}

/// A label; a text or a number, and indices in the table of strings.
#[derive(Clone, Copy, PartialEq, prost::Message)]
pub(super) struct Label {
    #[prost(int64, tag = "1")]
    pub(super) key: i64,
    #[prost(int64, tag = "2")]
    pub(super) text: i64,
    #[prost(int64, tag = "3")]
    pub(super) number: i64,
    #[prost(int64, tag = "4")]
    pub(super) unit: i64,
}

#[derive(Clone, PartialEq, prost::Message)]
pub(super) struct Location {
    /// From 1 on.
    #[prost(uint64, tag = "1")]
    pub(super) id: u64,
    /// The innermost function first: it was put into the next, and so on.
    #[prost(message, repeated, tag = "4")]
    pub(super) line: Vec<Line>,
}

#[derive(Clone, Copy, PartialEq, prost::Message)]
pub(super) struct Line {
    #[prost(uint64, tag = "1")]
    pub(super) function_id: u64,
    /// 0 if it is not known.
    #[prost(int64, tag = "2")]
    pub(super) line: i64,
    #[prost(int64, tag = "3")]
    pub(super) column: i64,
}

#[derive(Clone, Copy, PartialEq, prost::Message)]
pub(super) struct Function {
    /// From 1 on.
    #[prost(uint64, tag = "1")]
    pub(super) id: u64,
    /// Its index in the table of strings.
    #[prost(int64, tag = "2")]
    pub(super) name: i64,
    /// Its index in the table of strings.
    #[prost(int64, tag = "4")]
    pub(super) filename: i64,
}
