//! The messages of a trace, and their fields that are read. The numbers are those of
//! `protos/perfetto/trace` of github.com/google/perfetto; so are the names, some of them shortened.

use crate::read::protobuf::messages;

messages! {
    /// `Trace` of trace.proto.
    trace { PACKET = 1 }
    /// `TracePacket` of trace_packet.proto: first what surrounds its data, then the kinds of data.
    packet {
        TIMESTAMP = 8, SEQUENCE_ID = 10, INTERNED_DATA = 12, SEQUENCE_FLAGS = 13,
        STATE_CLEARED = 41, PREVIOUS_DROPPED = 42, TIMESTAMP_CLOCK_ID = 58, DEFAULTS = 59,
        FTRACE_EVENTS = 1, PROCESS_TREE = 2, CHROME_EVENTS = 5, CLOCK_SNAPSHOT = 6, SYS_STATS = 7,
        PROCESS_STATS = 9, TRACK_EVENT = 11, TRACE_STATS = 35, PROFILE_PACKET = 37, BATTERY = 38,
        ANDROID_LOG = 39,
        PROCESS_DESCRIPTOR = 43, THREAD_DESCRIPTOR = 44, COMPRESSED_PACKETS = 50,
        STREAMING_PROFILE_PACKET = 54, HEAP_GRAPH = 56, TRACK_DESCRIPTOR = 60, MODULE_SYMBOLS = 61,
        DEOBFUSCATION_MAPPING = 64, PERF_SAMPLE = 66, SMAPS_PACKET = 68, STREAMING_ALLOCATION = 74,
        STREAMING_FREE = 75, NETWORK = 88, ETW_EVENTS = 95, ZSTD_COMPRESSED_PACKETS = 133,
        STACK_SAMPLE = 135,
    }
    /// `TracePacketDefaults` of trace_packet_defaults.proto.
    defaults {
        TRACK_EVENT = 11, PERF_SAMPLE = 12, TIMESTAMP_CLOCK_ID = 58, STACK_SAMPLE = 100,
    }
    /// `PerfSampleDefaults` of profile_packet.proto.
    perf_sample_defaults { TIMEBASE = 1 }
    /// `PerfEvents.Timebase` of perf_events.proto.
    timebase { FREQUENCY = 2, TRACEPOINT = 3, COUNTER = 4, RAW_EVENT = 5, NAME = 10 }
    /// `PerfEvents.Tracepoint` of perf_events.proto.
    tracepoint { NAME = 1 }
    /// `TraceStats` of trace_stats.proto.
    trace_stats { BUFFER_STATS = 1 }
    /// `TraceStats.BufferStats` of trace_stats.proto.
    buffer_stats { CHUNKS_OVERWRITTEN = 3, CHUNKS_DISCARDED = 18, TRACE_WRITER_PACKET_LOSS = 19 }
    /// `ClockSnapshot` of clock_snapshot.proto.
    clock_snapshot { CLOCKS = 1, PRIMARY_TRACE_CLOCK = 2 }
    /// `ClockSnapshot.Clock` of clock_snapshot.proto.
    clock { CLOCK_ID = 1, TIMESTAMP = 2, IS_INCREMENTAL = 3, UNIT_MULTIPLIER_NS = 4 }

    /// `InternedData` of interned_data.proto.
    interned_data {
        EVENT_CATEGORIES = 1, EVENT_NAMES = 2, FUNCTION_NAMES = 5, FRAMES = 6, CALLSTACKS = 7,
        BUILD_IDS = 16, MAPPING_PATHS = 17, SOURCE_PATHS = 18, MAPPINGS = 19, TASK_CONTEXTS = 48,
        EXECUTION_CONTEXTS = 49, COUNTER_DESCRIPTORS = 50,
    }
    /// `InternedString` of profile_common.proto; all that is interned has the first field.
    interned_string { IID = 1, STR = 2 }
    /// `Mapping` of profile_common.proto.
    mapping { IID = 1, BUILD_ID = 2, LOAD_BIAS = 6, PATH_STRING_IDS = 7 }
    /// `Frame` of profile_common.proto.
    frame {
        IID = 1, FUNCTION_NAME_ID = 2, MAPPING_ID = 3, REL_PC = 4, SOURCE_PATH_IID = 5,
        LINE_NUMBER = 6, KIND = 7,
    }
    /// `Callstack` of profile_common.proto.
    callstack { IID = 1, FRAME_IDS = 2 }
    /// `ModuleSymbols` of profile_common.proto.
    module_symbols { PATH = 1, BUILD_ID = 2, ADDRESS_SYMBOLS = 3 }
    /// `AddressSymbols` of profile_common.proto.
    address_symbols { ADDRESS = 1, LINES = 2 }
    /// `Line` of profile_common.proto.
    line { FUNCTION_NAME = 1, SOURCE_FILE_NAME = 2, LINE_NUMBER = 3 }

    /// `DeobfuscationMapping` of deobfuscation.proto.
    deobfuscation_mapping { OBFUSCATED_CLASSES = 3 }
    /// `ObfuscatedClass` of deobfuscation.proto.
    obfuscated_class { OBFUSCATED_NAME = 1, DEOBFUSCATED_NAME = 2, OBFUSCATED_METHODS = 4 }
    /// `ObfuscatedMember` of deobfuscation.proto.
    obfuscated_member { OBFUSCATED_NAME = 1, DEOBFUSCATED_NAME = 2 }

    /// `ProfilePacket` of profile_packet.proto.
    profile_packet {
        STRINGS = 1, FRAMES = 2, CALLSTACKS = 3, MAPPINGS = 4, PROCESS_DUMPS = 5, CONTINUED = 6,
        INDEX = 7,
    }
    /// `ProfilePacket.ProcessHeapSamples` of profile_packet.proto.
    process_heap_samples {
        PID = 1, SAMPLES = 2, REJECTED_CONCURRENT = 4, BUFFER_OVERRAN = 7, BUFFER_CORRUPTED = 8,
        TIMESTAMP = 9, HIT_GUARDRAIL = 10, HEAP_NAME = 11, CLIENT_ERROR = 14,
    }
    /// `ProfilePacket.HeapSample` of profile_packet.proto.
    heap_sample {
        CALLSTACK_ID = 1, SELF_ALLOCATED = 2, SELF_FREED = 3, ALLOC_COUNT = 5, FREE_COUNT = 6,
        SELF_MAX = 8,
    }
    /// `StreamingProfilePacket` of profile_packet.proto.
    streaming_profile_packet { CALLSTACK_IID = 1, TIMESTAMP_DELTA_US = 2 }
    /// `PerfSample` of profile_packet.proto.
    perf_sample {
        CPU = 1, PID = 2, TID = 3, CALLSTACK_IID = 4, KERNEL_RECORDS_LOST = 17,
        SAMPLE_SKIPPED_REASON = 18, PRODUCER_EVENT = 19,
    }
    /// `PerfSample.ProducerEvent` of profile_packet.proto.
    producer_event { SOURCE_STOP_REASON = 1 }
    /// `StackSample` of stack_sample.proto.
    stack_sample {
        TASK_CONTEXT = 1, TASK_CONTEXT_IID = 2, EXECUTION_CONTEXT = 3, EXECUTION_CONTEXT_IID = 4,
        CALLSTACK = 5, CALLSTACK_IID = 6, PRIMARY_DESCRIPTOR = 9, PRIMARY_DESCRIPTOR_IID = 10,
        PRIMARY_WEIGHT = 11, FOLLOWER_DESCRIPTORS = 12, FOLLOWER_DESCRIPTOR_IIDS = 13,
        FOLLOWER_WEIGHTS = 14,
    }
    /// `StackSampleDefaults` of stack_sample.proto.
    stack_sample_defaults { PRIMARY_DESCRIPTOR = 2, FOLLOWER_DESCRIPTORS = 3 }
    /// `StackSample.TaskContext` of stack_sample.proto.
    task_context { PID = 2, TID = 3 }
    /// `StackSample.ExecutionContext` of stack_sample.proto.
    execution_context { CPU = 2 }
    /// `StackSample.CounterDescriptor` of stack_sample.proto.
    counter_descriptor { NAME = 2, UNIT = 3, UNIT_STR = 4, UNIT_MULTIPLIER = 5 }
    /// A stack that is not interned, as `TrackEvent.Callstack` of track_event.proto.
    inline_callstack { FRAMES = 1 }
    /// A frame of such a stack.
    inline_frame { FUNCTION_NAME = 1, SOURCE_FILE = 2, LINE_NUMBER = 3 }

    /// `TrackEvent` of track_event.proto.
    track_event {
        TIMESTAMP_DELTA_US = 1, CATEGORY_IIDS = 3, LEGACY_EVENT = 6, TYPE = 9, NAME_IID = 10,
        TRACK_UUID = 11, ABSOLUTE_US = 16, CATEGORIES = 22, NAME = 23,
    }
    /// `TrackEvent.LegacyEvent` of track_event.proto.
    legacy_event {
        NAME_IID = 1, PHASE = 2, DURATION_US = 3, UNSCOPED_ID = 6, ID_SCOPE = 7, LOCAL_ID = 10,
        GLOBAL_ID = 11, PID_OVERRIDE = 18, TID_OVERRIDE = 19,
    }
    /// `TrackDescriptor` of track_descriptor.proto.
    track_descriptor {
        UUID = 1, NAME = 2, PROCESS = 3, THREAD = 4, PARENT_UUID = 5, STATIC_NAME = 10,
        ATRACE_NAME = 13,
    }
    /// `ProcessDescriptor` of process_descriptor.proto.
    process_descriptor { PID = 1, CMDLINE = 2, PROCESS_NAME = 6 }
    /// `ThreadDescriptor` of thread_descriptor.proto.
    thread_descriptor { PID = 1, TID = 2, THREAD_NAME = 5, REFERENCE_TIMESTAMP_US = 6 }
    /// `ProcessTree` of process_tree.proto.
    process_tree { PROCESSES = 1, THREADS = 2 }
    /// `ProcessTree.Process` of process_tree.proto.
    process { PID = 1, CMDLINE = 3 }
    /// `ProcessTree.Thread` of process_tree.proto.
    thread { TID = 1, NAME = 2, TGID = 3 }
}
