"""Writes the traces in tests/golden/formats/perfetto, and counts what traces weigh.

Usage: perfetto_traces.py write FOLDER
       perfetto_traces.py weigh FILE...

Both use the messages of PyPI's perfetto, and nothing of ours. Prints for each file the sum of
each event: time and async-time are how long a thread, or a track that has none, was in any span.
"""

import collections
import pathlib
import sys
import zlib

from perfetto.protos.perfetto.trace.perfetto_trace_pb2 import Trace

BEGIN, END, INSTANT, COUNTER = 1, 2, 3, 4
CLEARED, NEEDS = 1, 2
BOOTTIME, MONOTONIC = 6, 3


class Writer:
    def __init__(self):
        self.trace = Trace()

    def packet(self, sequence, time=None, flags=0):
        packet = self.trace.packet.add(trusted_packet_sequence_id=sequence)
        if time is not None:
            packet.timestamp = time
        if flags:
            packet.sequence_flags = flags
        return packet

    def event(self, sequence, time, kind=0, flags=0, **fields):
        packet = self.packet(sequence, time, flags)
        packet.track_event.SetInParent()
        if kind:
            packet.track_event.type = kind
        for name, value in fields.items():
            setattr(packet.track_event, name, value)
        return packet.track_event

    def compressed(self):
        outer = Trace()
        body = self.trace.SerializeToString()
        outer.packet.add(compressed_packets=zlib.compress(body, 9))
        return outer.SerializeToString()


def clocks(packet, *clocks):
    for number, time, unit in clocks:
        clock = packet.clock_snapshot.clocks.add(clock_id=number, timestamp=time)
        if unit:
            clock.is_incremental = True
            clock.unit_multiplier_ns = unit


def slices():
    """As the SDK writes it: a clock of its own, names by id, a track for each thread."""
    out = Writer()
    clocks(out.packet(1), (BOOTTIME, 5_000_000, 0), (MONOTONIC, 4_000_000, 0), (64, 700, 1000))
    first = out.packet(1, flags=CLEARED)
    first.trace_packet_defaults.timestamp_clock_id = 64
    first.trace_packet_defaults.track_event_defaults.track_uuid = 11
    for number, name in (1, "load"), (2, "parse; all"), (3, "café"):
        first.interned_data.event_names.add(iid=number, name=name)
    # 10 µs of load, 4 of them in parse, 1 of these in café.
    for delta, kind, name in (
        (100, BEGIN, 1), (3, BEGIN, 2), (2, BEGIN, 3), (1, END, 0), (1, END, 0), (3, END, 0),
        (5, INSTANT, 3),
    ):
        fields = {"name_iid": name} if name else {}
        out.event(1, delta, kind, NEEDS, **fields)
    out.event(1, 0, COUNTER, NEEDS, counter_value=5)
    # Packets are lost: packets that refer to them are left out, until the state is cleared.
    lost = out.packet(1, 5, NEEDS)
    lost.previous_packet_dropped = 1
    lost.track_event.type = BEGIN
    lost.track_event.name_iid = 1
    clocks(out.packet(1), (BOOTTIME, 9_000_000, 0), (64, 900, 1000))
    anew = out.packet(1, 10, CLEARED)
    anew.trace_packet_defaults.timestamp_clock_id = 64
    anew.interned_data.event_names.add(iid=1, name="again")
    anew.track_event.type = BEGIN
    anew.track_event.name_iid = 1
    anew.track_event.track_uuid = 11
    out.event(1, 7, END, NEEDS, track_uuid=11)
    # The track of a request, which two sequences write, the later time first.
    out.event(2, 20_000, END, track_uuid=30)
    out.event(2, 21_000, END, track_uuid=30, name="request")
    out.event(3, 15_000, BEGIN, track_uuid=30, name="request")
    out.event(3, 17_000, BEGIN, track_uuid=30, name="wait")
    # A span without an end, an end without a begin, a track that is not declared.
    out.event(2, 30_000, BEGIN, track_uuid=12, name="open")
    out.event(2, 32_500, INSTANT, track_uuid=12, name="tick")
    out.event(2, 33_000, END, track_uuid=12)
    out.event(2, 34_000, END, track_uuid=12)
    out.event(2, 35_000, BEGIN, track_uuid=12, name="open")
    out.event(2, 40_000, BEGIN, track_uuid=99, name="lonely")
    out.event(2, 40_250, END, track_uuid=99)
    for uuid, parent, process, thread, name in (
        (10, 0, (7, "server"), None, ""), (11, 10, None, (7, 71, "main"), ""),
        (12, 10, None, (7, 72, ""), ""), (30, 10, None, None, "requests"),
    ):
        track = out.packet(4).track_descriptor
        track.uuid = uuid
        if parent:
            track.parent_uuid = parent
        if process:
            track.process.pid, track.process.process_name = process
        if thread:
            track.thread.pid, track.thread.tid, track.thread.thread_name = thread
        if name:
            track.name = name
    return out.trace.SerializeToString()


def legacy():
    """As Chrome wrote it for years: threads of sequences, time deltas, phases; compressed."""
    out = Writer()
    first = out.packet(1, flags=CLEARED)
    thread = first.thread_descriptor
    thread.pid, thread.tid, thread.thread_name = 50, 51, "CrRendererMain"
    thread.reference_timestamp_us = 1_000
    out.packet(1).interned_data.event_names.add(iid=5, name="RunTask")
    out.packet(1).interned_data.event_categories.add(iid=2, name="net")
    process = out.packet(1).process_descriptor
    process.pid = 50
    process.cmdline.append("/opt/chrome")

    def old(phase, delta, duration=None, **fields):
        event = out.event(1, None, timestamp_delta_us=delta, **fields)
        event.legacy_event.phase = ord(phase)
        if duration is not None:
            event.legacy_event.duration_us = duration
        return event

    old("X", 10, 100, name_iid=5)
    old("X", 20, 30, name="Layout")
    old("B", 200, name="Paint")
    old("I", 5, name="mark")
    old("E", 15)
    for phase, delta in ("b", 1), ("e", 9):
        event = old(phase, delta, name="fetch")
        event.category_iids.append(2)
        event.legacy_event.unscoped_id = 77
    event = old("X", 1, 40, name="Other")
    event.legacy_event.tid_override = 52
    event = out.event(1, None, BEGIN, name="absolute", timestamp_absolute_us=5_000)
    out.event(1, None, END, timestamp_absolute_us=5_003)
    return out.compressed()


def tables(interned, functions, sources=()):
    for number, name in enumerate(functions, 1):
        interned.function_names.add(iid=number, str=name)
    for number, name in enumerate(sources, 1):
        interned.source_paths.add(iid=number, str=name)
    for number, part in enumerate((b"system", b"lib64", b"libdemo.so", b"/opt/tool", b"[vdso]"), 1):
        interned.mapping_paths.add(iid=number, str=part)
    interned.build_ids.add(iid=1, str=b"\x12\x34\xff\0")
    for number, parts, load_bias in (1, (1, 2, 3), 0x1000), (2, (4,), 0), (3, (5,), 0):
        mapping = interned.mappings.add(iid=number, build_id=1, load_bias=load_bias)
        mapping.path_string_ids.extend(parts)


def profiles():
    """Samples of perf and of Chrome, with symbols that came later."""
    out = Writer()
    tree = out.packet(1).process_tree
    tree.processes.add(pid=9, ppid=1).cmdline.extend(["/bin/app", "-x"])
    tree.threads.add(tid=91, tgid=9, name="worker")
    first = out.packet(2, flags=CLEARED)
    first.trace_packet_defaults.perf_sample_defaults.timebase.frequency = 100
    tables(first.interned_data, [b"main", b"a.b", b"work"], [b"/src/work.c"])
    for number, (function, mapping, address) in enumerate(
        [(1, 1, 0x1100), (2, 2, 0x10), (0, 1, 0x1200), (0, 2, 0x1300), (0, 3, 0x20)], 1
    ):
        first.interned_data.frames.add(
            iid=number, function_name_id=function, mapping_id=mapping, rel_pc=address
        )
    first.interned_data.frames.add(iid=6, function_name_id=3, source_path_iid=1, line_number=14)
    for number, frames in enumerate([[1], [1, 2], [1, 3], [1, 2, 4], [1, 5], [1, 6], [1, 40]], 1):
        first.interned_data.callstacks.add(iid=number).frame_ids.extend(frames)
    for number, stack in enumerate([1, 2, 2, 3, 4, 5, 6, 7, 8, None]):
        sample = out.packet(2, 1_000_000 * number, NEEDS).perf_sample
        sample.cpu, sample.pid, sample.tid = number % 2, 9, 91 if number < 8 else 92
        sample.timebase_count = 1_000 * number
        if stack:
            sample.callstack_iid = stack
    out.packet(2).perf_sample.kernel_records_lost = 3
    out.packet(2).perf_sample.sample_skipped_reason = 2
    # Another session, which counts page faults, with the same ids for other things.
    other = out.packet(3, flags=CLEARED)
    other.trace_packet_defaults.perf_sample_defaults.timebase.counter = 2
    other.interned_data.function_names.add(iid=1, str=b"fault")
    other.interned_data.frames.add(iid=1, function_name_id=1)
    other.interned_data.callstacks.add(iid=1).frame_ids.append(1)
    sample = out.packet(3, 500).perf_sample
    sample.pid, sample.tid, sample.callstack_iid = 9, 92, 1
    # Chrome's sampler of a thread.
    chrome = out.packet(4, flags=CLEARED)
    thread = chrome.thread_descriptor
    thread.pid, thread.tid, thread.reference_timestamp_us = 9, 93, 7
    chrome.interned_data.function_names.add(iid=1, str=b"Loop")
    chrome.interned_data.frames.add(iid=1, function_name_id=1)
    chrome.interned_data.callstacks.add(iid=1).frame_ids.append(1)
    streamed = out.packet(4).streaming_profile_packet
    streamed.callstack_iid.extend([1, 1, 1])
    streamed.timestamp_delta_us.extend([10, 20, 30])
    symbols = out.packet(5).module_symbols
    symbols.path, symbols.build_id = "/system/lib64/libdemo.so", "\x12\x34"
    symbols.address_symbols.add(address=0x1200).lines.add(function_name="wrong build")
    # A build-id as text, as in the message of symbols.
    text = out.packet(6, flags=CLEARED)
    text.interned_data.build_ids.add(iid=1, str=b"abc")
    text.interned_data.mapping_paths.add(iid=1, str=b"libsym.so")
    text.interned_data.mappings.add(iid=1, build_id=1).path_string_ids.append(1)
    text.interned_data.frames.add(iid=1, mapping_id=1, rel_pc=0x40)
    text.interned_data.callstacks.add(iid=1).frame_ids.append(1)
    sample = out.packet(6, 900).perf_sample
    sample.pid, sample.tid, sample.callstack_iid = 9, 92, 1
    symbols = out.packet(5).module_symbols
    symbols.path, symbols.build_id = "/libsym.so", "abc"
    lines = symbols.address_symbols.add(address=0x40).lines
    lines.add(function_name="inner", source_file_name="/src/in.h", line_number=3)
    lines.add(function_name="outer", source_file_name="/src/out.c", line_number=30)
    mapping = out.packet(5).deobfuscation_mapping
    java = mapping.obfuscated_classes.add(obfuscated_name="a", deobfuscated_name="org.Demo")
    java.obfuscated_methods.add(obfuscated_name="b", deobfuscated_name="run")
    return out.trace.SerializeToString()


def heap():
    """Two dumps of heapprofd, the stacks after the counts; and one as of Android 10."""
    out = Writer()
    tree = out.packet(1).process_tree
    tree.processes.add(pid=5, ppid=1).cmdline.append("app")
    clocks(out.packet(1), (BOOTTIME, 1_000_000, 0), (4, 400_000, 0))

    def dump(time, heap, counts, index, flags):
        packet = out.packet(3, time, flags)
        packet.profile_packet.continued = True
        packet.profile_packet.index = index
        process = packet.profile_packet.process_dumps.add(pid=5, timestamp=time - 600_000)
        process.heap_name = heap
        for stack, (allocated, freed, allocations, frees) in counts.items():
            process.samples.add(
                callstack_id=stack, self_allocated=allocated, self_freed=freed,
                alloc_count=allocations, free_count=frees,
            )
        last = out.packet(3, time)
        last.profile_packet.index = index + 1
        tables(last.interned_data, [b"main", b"grow", b"free_all"])
        for number in 1, 2, 3:
            last.interned_data.frames.add(
                iid=number, function_name_id=number, mapping_id=1, rel_pc=16 * number
            )
        for number, frames in (100, [1]), (200, [1, 2]), (300, [1, 3]):
            last.interned_data.callstacks.add(iid=number).frame_ids.extend(frames)

    dump(2_000_000, "libc.malloc", {100: (64, 0, 1, 0), 200: (1000, 500, 4, 2)}, 0, CLEARED)
    dump(3_000_000, "libc.malloc",
         {100: (64, 64, 1, 1), 200: (3000, 800, 9, 3), 300: (8, 0, 1, 0)}, 2, CLEARED)
    dump(3_500_000, "custom", {100: (32, 0, 2, 0)}, 4, CLEARED)
    old = out.packet(4, 4_000_000).profile_packet
    for number, name in (1, b"old_main"), (2, b"libold.so"), (3, b"id"):
        old.strings.add(iid=number, str=name)
    old.mappings.add(iid=1, build_id=3).path_string_ids.append(2)
    old.frames.add(iid=1, function_name_id=1, mapping_id=1, rel_pc=8)
    old.callstacks.add(iid=1).frame_ids.append(1)
    process = old.process_dumps.add(pid=6, buffer_overran=True)
    process.samples.add(callstack_id=1, self_allocated=10, self_freed=3)
    process.samples.add(callstack_id=9, self_allocated=1)
    return out.trace.SerializeToString()


def stack_sample():
    """Samples of any profiler, with contexts and counters in the sample, or by id."""
    out = Writer()
    out.packet(1).process_tree.processes.add(pid=3, ppid=1).cmdline.append("python3")
    first = out.packet(2, flags=CLEARED)
    defaults = first.trace_packet_defaults.stack_sample_defaults
    defaults.source = "python.wall"
    defaults.primary_descriptor.name = "wall-time"
    defaults.primary_descriptor.unit = 1
    defaults.primary_descriptor.unit_multiplier = 1000
    defaults.follower_descriptors.add(name="instructions", unit=3)
    interned = first.interned_data
    interned.stack_sample_task_contexts.add(iid=1, pid=3, tid=31)
    interned.stack_sample_execution_contexts.add(iid=1, cpu=4)
    interned.stack_sample_counter_descriptors.add(iid=1, name="alloc", unit_str="bytes")
    interned.function_names.add(iid=1, str=b"shared")
    interned.frames.add(iid=1, function_name_id=1)
    interned.callstacks.add(iid=1).frame_ids.append(1)
    for time, weight in (1_000, 5), (2_000, 7), (3_000, 0):
        sample = out.packet(2, time, NEEDS).stack_sample
        sample.task_context_iid = 1
        sample.execution_context_iid = 1
        sample.primary_weight = weight
        if weight == 5:
            sample.callstack.frames.add(function_name="main", source_file="m.py", line_number=9)
            sample.callstack.frames.add(function_name="leaf")
            sample.follower_weights.append(4_000)
        else:
            sample.callstack_iid = 1
    sample = out.packet(2, 4_000, NEEDS).stack_sample
    sample.task_context.pid = 3
    sample.primary_descriptor_iid = 1
    sample.primary_weight = 256
    sample.callstack_iid = 1
    return out.trace.SerializeToString()


def packets(data):
    for packet in Trace.FromString(data).packet:
        if packet.HasField("compressed_packets"):
            yield from packets(zlib.decompress(packet.compressed_packets))
        else:
            yield packet


class Times:
    """Nanoseconds of the boot clock, and which packets refer to lost ones."""

    def __init__(self):
        self.clocks, self.defaults, self.threads, self.lost = {}, {}, {}, set()
        self.deltas = {}

    def of(self, packet):
        sequence = packet.trusted_packet_sequence_id
        if packet.sequence_flags & CLEARED or packet.incremental_state_cleared:
            self.lost.discard(sequence)
            self.defaults.pop(sequence, None)
        elif packet.previous_packet_dropped:
            self.lost.add(sequence)
        if packet.HasField("trace_packet_defaults"):
            self.defaults[sequence] = packet.trace_packet_defaults
        clocks = packet.clock_snapshot.clocks
        for clock in clocks:
            boot = next(it.timestamp for it in clocks if it.clock_id == BOOTTIME)
            key = (sequence, clock.clock_id)
            unit = clock.unit_multiplier_ns or 1
            self.clocks[key] = [clock.timestamp, unit, boot - clock.timestamp * unit]
        thread = packet.thread_descriptor
        if packet.HasField("thread_descriptor"):
            self.threads[sequence] = (thread.pid, thread.tid)
            self.deltas[sequence] = thread.reference_timestamp_us * 1000
        number = packet.timestamp_clock_id or (
            self.defaults[sequence].timestamp_clock_id if sequence in self.defaults else 0
        )
        if not number:
            return packet.timestamp
        clock = self.clocks[sequence, number]
        clock[0] += packet.timestamp
        return clock[0] * clock[1] + clock[2]


def weigh(file):
    data = pathlib.Path(file).read_bytes()
    sums, spans, times = collections.Counter(), collections.defaultdict(list), Times()
    described = [it.track_descriptor for it in packets(data) if it.HasField("track_descriptor")]
    tracks = {track.uuid for track in described if not track.HasField("thread")}
    heaps = {}
    for packet in packets(data):
        sequence, time = packet.trusted_packet_sequence_id, times.of(packet)
        if sequence in times.lost and packet.sequence_flags & NEEDS:
            continue
        kind = packet.WhichOneof("data")
        defaults = times.defaults.get(sequence)
        if kind == "track_event":
            span(packet.track_event, sequence, time, times, spans, tracks)
        elif kind == "perf_sample":
            sample = packet.perf_sample
            if not sample.kernel_records_lost and not sample.HasField("sample_skipped_reason"):
                counter = defaults.perf_sample_defaults.timebase.counter if defaults else 0
                sums["page-faults" if counter == 2 else "samples"] += 1
        elif kind == "streaming_profile_packet":
            sums["samples"] += len(packet.streaming_profile_packet.callstack_iid)
        elif kind == "stack_sample":
            sums["samples"] += 1
        elif kind == "profile_packet":
            for process in packet.profile_packet.process_dumps:
                for sample in process.samples:
                    key = (sequence, process.pid, process.heap_name, sample.callstack_id)
                    heaps[key] = (sample.self_allocated, sample.self_freed)
    for allocated, freed in heaps.values():
        sums["allocated"] += allocated
        sums["freed"] += freed
    for (event, _), marks in spans.items():
        sums[event] += inside(marks)
    return sums


def span(event, sequence, time, times, spans, tracks):
    phase = chr(event.legacy_event.phase)
    if event.HasField("timestamp_delta_us"):
        times.deltas[sequence] += event.timestamp_delta_us * 1000
        time = times.deltas[sequence]
    elif event.HasField("timestamp_absolute_us"):
        time = event.timestamp_absolute_us * 1000
    defaults = times.defaults.get(sequence)
    track = event.track_uuid or (defaults.track_event_defaults.track_uuid if defaults else 0)
    lane = track or times.threads.get(sequence, 0)
    name = "async-time" if track in tracks else "time"
    if event.legacy_event.HasField("tid_override"):
        lane = (lane[0], event.legacy_event.tid_override)
    if phase in "be" and event.legacy_event.phase:
        name, lane = "async-time", ("task", event.legacy_event.unscoped_id)
    marks = spans[name, lane]
    if event.type == BEGIN or phase in "Bb" and event.legacy_event.phase:
        marks.append((time, 1))
    elif event.type == END or phase in "Ee" and event.legacy_event.phase:
        marks.append((time, -1))
    elif phase == "X":
        marks += [(time, 1), (time + event.legacy_event.duration_us * 1000, -1)]


def inside(marks):
    """The time in which at least one span is open; an end without a begin is ignored."""
    total = depth = since = 0
    for time, step in sorted(marks, key=lambda mark: mark[0]):
        if depth > 0:
            total += time - since
        depth, since = max(depth + step, 0), time
    return total


def main():
    command, *names = sys.argv[1:]
    if command == "weigh":
        for name in names:
            print(name, dict(weigh(name)))
        return
    for write in slices, legacy, profiles, heap, stack_sample:
        name = write.__name__.replace("_", "-") + ".pftrace"
        (pathlib.Path(names[0]) / name).write_bytes(write())


if __name__ == "__main__":
    main()
