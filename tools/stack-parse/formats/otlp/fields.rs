//! The messages of profiles, and their fields that are read. Names and numbers are those of
//! profiles.proto, common.proto and resource.proto of opentelemetry-proto.

use crate::read::protobuf::messages;

messages! {
    profiles_data { RESOURCE_PROFILES = 1, DICTIONARY = 2 }
    resource_profiles { RESOURCE = 1, SCOPE_PROFILES = 2 }
    resource { ATTRIBUTES = 1 }
    scope_profiles { SCOPE = 1, PROFILES = 2 }
    instrumentation_scope { ATTRIBUTES = 3 }
    /// Samples had the name `SAMPLE` before.
    profile {
        SAMPLE_TYPE = 1, SAMPLES = 2, SAMPLE = 2, TIME_UNIX_NANO = 3, DURATION_NANO = 4,
        PERIOD_TYPE = 5, PERIOD = 6, ATTRIBUTE_INDICES = 11,
    }
    value_type { TYPE_STRINDEX = 1, UNIT_STRINDEX = 2 }
    sample {
        STACK_INDEX = 1, ATTRIBUTE_INDICES = 2, LINK_INDEX = 3, VALUES = 4,
        TIMESTAMPS_UNIX_NANO = 5,
    }
    dictionary {
        MAPPING_TABLE = 1, LOCATION_TABLE = 2, FUNCTION_TABLE = 3, LINK_TABLE = 4,
        STRING_TABLE = 5, ATTRIBUTE_TABLE = 6, STACK_TABLE = 7,
    }
    mapping {
        MEMORY_START = 1, MEMORY_LIMIT = 2, FILE_OFFSET = 3, FILENAME_STRINDEX = 4,
        ATTRIBUTE_INDICES = 5,
    }
    /// Lines had the name `LINE` before.
    location { MAPPING_INDEX = 1, ADDRESS = 2, LINES = 3, LINE = 3, ATTRIBUTE_INDICES = 4 }
    line { FUNCTION_INDEX = 1, LINE = 2 }
    function { NAME_STRINDEX = 1, SYSTEM_NAME_STRINDEX = 2, FILENAME_STRINDEX = 3 }
    link { TRACE_ID = 1, SPAN_ID = 2 }
    stack { LOCATION_INDICES = 1 }

    /// The fields of a profile that had other numbers in versions 1.8 and 1.9.
    profile_of_18 { ATTRIBUTE_INDICES = 12 }
    /// A field that profiles had before version 1.8.
    profile_before_18 { LOCATION_INDICES = 3 }
    /// The fields of a sample that had other numbers in versions 1.8 and 1.9.
    sample_of_18 { VALUES = 2, ATTRIBUTE_INDICES = 3, LINK_INDEX = 4 }
    /// A field that samples had before version 1.8.
    sample_before_18 { LOCATIONS_LENGTH = 2 }
    /// `KeyValue`, and `KeyValueAndUnit`, whose key is a number, and whose third field is the unit.
    key_value { KEY = 1, VALUE = 2, STRINDEX = 3 }
    any_value {
        STRING_VALUE = 1, BOOL_VALUE = 2, INT_VALUE = 3, DOUBLE_VALUE = 4, ARRAY_VALUE = 5,
        KVLIST_VALUE = 6, BYTES_VALUE = 7, STRING_VALUE_STRINDEX = 8,
    }
}
