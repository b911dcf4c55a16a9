use std::collections::BTreeMap;

use crate::stack_collapse_frames::stack;
use crate::util::{filter_bytes, output, recording, weight};

/// For each frame of a recording after presets, the weight of the stacks with it.
fn frames(name: &str, presets: &[&str]) -> BTreeMap<String, u64> {
    let args: Vec<_> = presets.iter().flat_map(|preset| ["--preset", preset]).collect();
    let input = recording(&format!("folded/{name}.folded.gz"));
    let out = filter_bytes("stack-collapse-frames", &args, &input);
    assert_eq!(weight(&out), weight(&input), "{name}");
    frames_of(&out)
}

fn frames_of(folded: &[u8]) -> BTreeMap<String, u64> {
    let mut frames = BTreeMap::new();
    for line in String::from_utf8_lossy(folded).lines() {
        let (stack, count) = line.rsplit_once(' ').expect("a count");
        let mut distinct: Vec<_> = stack.split(';').collect();
        distinct.sort_unstable();
        distinct.dedup();
        for frame in distinct {
            *frames.entry(frame.to_owned()).or_default() += count.parse::<u64>().expect("a number");
        }
    }
    frames
}

/// Asserts that no frame starts with one of these.
fn assert_gone(frames: &BTreeMap<String, u64>, starts: &[&str]) {
    let left = frames.keys().find(|frame| starts.iter().any(|start| frame.starts_with(start)));
    assert_eq!(left, None, "a frame is left");
}

const START: [&str; 4] = ["_start", "__libc_start", "clone3", "start_thread"];

#[test]
fn rayon_starts_at_stolen_jobs() {
    let frames = frames("rust-rayon-dwarf", &["libc-start", "rust-std", "rayon"]);
    assert_gone(&frames, &START);
    assert_gone(
        &frames,
        &["std::rt", "std::sys::backtrace", "core::ops", "<rayon_core", "rayon_core"],
    );
    assert_eq!(frames["rayons"], 580);
    assert_eq!(frames["[rayon]"], 526);
    assert_eq!(frames["[rayon idle]"], 2);
    // The program's own code, and library code that it calls.
    assert_eq!(frames["rayons::collatz"], 340);
    assert!(frames.contains_key("rayon::slice::sort::par_merge"));
    assert!(frames.contains_key("alloc::fmt::format::format_inner"));
}

#[test]
fn tokio_starts_at_tasks() {
    let frames = frames("rust-tokio-dwarf", &["libc-start", "rust-std", "tokio"]);
    assert_gone(&frames, &START);
    assert_gone(&frames, &["tokio::", "<tokio::", "std::rt", "core::ops"]);
    let args = ["--preset", "rust-std", "--preset", "tokio"];
    let poll = "tokio::runtime::task::raw::poll;tokio::runtime::task::core::Core<T,S>::poll";
    let line =
        format!("w;clone3;tokio::runtime::scheduler::run;{poll};a::task;tokio::time::sleep;x");
    assert_eq!(stack(&args, &line), "w;[tokio];a::task;[tokio];x");
    assert_eq!(stack(&args, "w;clone3;tokio::a;<tokio::b;syscall"), "w;clone3;[tokio];syscall");
}

#[test]
fn python_has_its_functions_and_no_interpreter_between_them() {
    let named = frames("python-3.13-perf-jit-dwarf", &["libc-start", "cpython"]);
    assert_gone(&named, &START);
    assert_gone(
        &named,
        &["_PyEval", "PyEval", "py_trampoline", "PyObject_Vectorcall", "Py_RunMain"],
    );
    assert!(named.contains_key("py::Visitor.visit:app.py"));
    assert!(named.contains_key("encoder_listencode_obj"));
    // Without names of Python functions, only the interpreter is left.
    let nameless = frames("python-3.11-dwarf", &["libc-start", "cpython"]);
    assert_gone(&nameless, &["_PyEval", "PyEval", "_PyFunction", "method_vectorcall"]);
    assert!(nameless["[python]"] * 10 > nameless["python3"] * 9);
    assert!(nameless.contains_key("[GC]"));
    assert_eq!(
        stack(
            &["--preset", "cpython"],
            "p;py::a:x.py;_PyEval_Vector;py_trampoline_evaluator;py::b:x.py"
        ),
        "p;py::a:x.py;py::b:x.py"
    );
}

#[test]
fn java_has_no_stubs_and_its_compiler_apart() {
    let frames = frames("java-17-fp", &["libc-start", "jvm"]);
    assert_gone(&frames, &START);
    assert_gone(
        &frames,
        &["call_stub", "JavaCalls", "Thread::call_run", "StubRoutines", "Compile"],
    );
    assert!(!frames.contains_key("Interpreter"));
    for frame in ["[interpreter]", "[JIT]", "[GC]", "java.util.Map App.words(int)"] {
        assert!(frames.contains_key(frame), "{frame}");
    }
}

#[test]
fn javascript_has_no_node_around_it() {
    let frames = frames("node-20-fp", &["libc-start", "v8"]);
    assert_gone(&frames, &START);
    assert_gone(
        &frames,
        &["uv_run", "node::Start", "Builtins_InterpreterEntry", "Builtins_CEntry"],
    );
    assert_gone(&frames, &["v8::internal::Heap::Collect", "v8::internal::Execution"]);
    for frame in ["[GC]", "[compile]", "JS:*alloc app.js:4:15", "Builtins_ArrayTimSort"] {
        assert!(frames.contains_key(frame), "{frame}");
    }
}

#[test]
fn the_kernel_is_a_frame_and_what_interrupts_it_another() {
    let frames = frames("node-20-fp", &["kernel"]);
    assert_gone(
        &frames,
        &["entry_SYSCALL", "do_syscall", "asm_", "exc_page", "handle_mm", "schedule"],
    );
    for frame in ["[kernel]", "[page fault]", "[interrupt]"] {
        assert!(frames.contains_key(frame), "{frame}");
    }
    let args = ["--preset", "kernel"];
    let read = "app;read;entry_SYSCALL_64_after_hwframe;do_syscall_64;__x64_sys_read";
    assert_eq!(stack(&args, read), "app;read;[kernel]");
    let hit = format!("{read};asm_sysvec_apic_timer_interrupt;x");
    assert_eq!(stack(&args, &hit), "app;read;[kernel];[interrupt]");
    // A whole system, with threads of the kernel and idle ones.
    let script = recording("formats/perf-script/fresh-systemwide.gz");
    let parsed = output("stack-parse", &[], script).stdout;
    let out = filter_bytes("stack-collapse-frames", &args, &parsed);
    assert_eq!(weight(&out), weight(&parsed));
    assert_gone(&frames_of(&out), &["entry_SYSCALL", "ret_from_fork", "cpu_startup", "asm_sysvec"]);
}

#[test]
fn phases_add_up_to_the_collector() {
    for (name, minor, major, unknown) in
        [("treegc-4.13.1-dwarf", 443, 465, 3), ("treegc-5.2.0fp-fp", 233, 251, 3)]
    {
        let phases = frames(name, &["ocaml-gc-phases"]);
        assert_eq!(phases["[GC minor]"], minor, "{name}");
        assert_eq!(phases["[GC major]"], major, "{name}");
        assert_eq!(phases["[GC]"], unknown, "{name}");
        assert_eq!(frames(name, &["ocaml-gc"])["[GC]"], minor + major + unknown, "{name}");
    }
    // Three domains, which wait for one another.
    let script = recording("formats/perf-script/domains-5.2.0fp-dwarf.gz");
    let parsed = output("stack-parse", &["--weight", "samples"], script).stdout;
    let of =
        |preset| frames_of(&filter_bytes("stack-collapse-frames", &["--preset", preset], &parsed));
    let phases = of("ocaml-gc-phases");
    assert_eq!(phases["[GC stw wait]"], 95);
    let sum = phases.iter().filter(|it| it.0.starts_with("[GC")).map(|it| it.1).sum::<u64>();
    assert_eq!(sum, of("ocaml-gc")["[GC]"]);
}

#[test]
fn the_last_frame_that_shows_a_phase_decides() {
    let phase = |below: &str| stack(&["--preset", "ocaml-gc-phases"], &format!("Foo.f;{below}"));
    assert_eq!(phase("caml_call_gc"), "Foo.f;[GC]");
    let stopped = "caml_handle_gc_interrupt;handle_incoming;stw_handler";
    assert_eq!(phase(stopped), "Foo.f;[GC stw wait]");
    assert_eq!(phase(&format!("{stopped};caml_empty_minor_heap_promote")), "Foo.f;[GC minor]");
    let slice = "caml_major_collection_slice;major_collection_slice";
    assert_eq!(phase(&format!("{slice};caml_global_barrier_end;usleep")), "Foo.f;[GC stw wait]");
    // The kernel also has functions that mark and compact.
    assert_eq!(phase("caml_empty_minor_heap;mark_page_accessed"), "Foo.f;[GC minor]");
    // A later list may match a name that an earlier one inserted.
    assert_eq!(phase(&format!("backup_thread_func;{slice}")), "Foo.f;[GC major]");
}

/// There are no recordings of these; the names are from their sources.
#[test]
fn schedulers_without_a_recording() {
    assert_eq!(
        stack(
            &["--preset", "eio"],
            "a;Main.entry;Eio_main.run_12;Eio_linux.Sched.run_1519;caml_runstack;\
             Eio.core.Fiber.fun_1369;Main.use_cpu_273;camlEio_utils__Suspended_1"
        ),
        "a;Main.entry;Main.use_cpu_273"
    );
    assert_eq!(
        stack(
            &["--preset", "async"],
            "a;Main.entry;Async_unix.Raw_scheduler.go_3;camlAsync_kernel__Job_queue__run_jobs_7;\
             Main.job_2;Async_kernel.Ivar0.fill"
        ),
        "a;Main.entry;Main.job_2"
    );
    let go = ["--preset", "go-runtime"];
    assert_eq!(
        stack(&go, "a;runtime.goexit.abi0;runtime.main;main.main;main.f"),
        "a;main.main;main.f"
    );
    assert_eq!(
        stack(&go, "a;runtime.systemstack;runtime.gcBgMarkWorker.func2;runtime.gcDrain"),
        "a;[GC]"
    );
    assert_eq!(stack(&go, "a;runtime.mcall;runtime.park_m;runtime.schedule"), "a;[scheduler]");
    assert_eq!(stack(&go, "a;main.f;runtime.mallocgc"), "a;main.f;runtime.mallocgc");
}

/// Functions of other programs that have the name of a runtime's function, or look like one: no
/// preset may change them.
#[test]
fn names_of_other_programs_stay() {
    for (preset, stacks) in [
        // libexpat of Debian; clang's cold half of a function; C's static mark
        ("ocaml-gc", &["a;main;doc;XML_Parse.part.0;mark", "a;main;X;Parse.cold;mark_slice"][..]),
        ("ocaml-gc", &["a;main;GL__draw;render;mark", "a;main;\u{c9}t\u{e9};f;mark"]),
        ("ocaml-runtime", &["a;_start;main;XML_Parse.part.0", "a;clone;start_thread;work"]),
        ("jvm", &["a;start_thread;WorkerThread::run;Compiler::compile_method;x"]),
        ("jvm", &["a;thread_entry;VMThread::run;x", "a;ZThread::run;CMSTask::work;PSTask::x"]),
        ("cpython", &["a;main;run_file;call_function;type_call", "a;thread_run;import_from"]),
        ("eio", &["node;eio_execute;eio_custom"]),
        ("kernel", &["a;main;handle_exception;f", "qemu;page_fault;f", "php;system_call;f"]),
        ("libc-start", &["a;main;thread_start;f"]),
        ("lwt", &["a;main;ev_run;epoll_poll;ev_io_start"]),
        ("rayon", &["a;a::f;crossbeam_epoch::default::pin"]),
        ("rust-std", &["a;std::thread::_Invoker<std::tuple<void (*)(thread_start)> >::operator()"]),
        ("tokio", &["a;main;mio::basic_mmap<char>::map(char)"]),
        ("v8", &["julia;uv_run;uv__io_poll"]),
    ] {
        for given in stacks {
            assert_eq!(stack(&["--preset", preset], given), *given, "{preset}");
        }
    }
}

/// The same names in the runtime itself.
#[test]
fn names_that_others_have_are_taken_where_the_runtime_is() {
    for (preset, given, expected) in [
        ("ocaml-gc", "a;main;Foo.bar;mark", "a;main;Foo.bar;[GC]"),
        ("ocaml-gc", "a;main;caml_main;f;g;mark", "a;main;caml_main;f;g;[GC]"),
        ("ocaml-gc", "a;Map\u{ba}l;f;g;h;mark", "a;Map\u{ba}l;f;g;h;mark"),
        ("ocaml-runtime", "a;_start;main;caml_main;camlFoo__f_12", "a;camlFoo__f_12"),
        ("ocaml-runtime", "a;clone3;start_thread;[GC]", "a;[GC]"),
        ("jvm", "a;thread_native_entry;Thread::call_run;WorkerThread::run;x", "a;[GC]"),
        ("jvm", "a;thread_native_entry(Thread*);GangWorker::loop();x", "a;[GC]"),
        ("cpython", "a;_PyEval_Vector;call_function;f;type_call", "a;[python];f;[python]"),
        ("kernel", "a;f;handle_exception;do_page_fault;x", "a;f;[kernel];[page fault]"),
        ("kernel", "a;f;page_fault;do_page_fault;x", "a;f;[page fault]"),
        ("libc-start", "a;thread_start;_pthread_start;f", "a;f"),
        ("lwt", "a;Lwt_main.run_1;ev_run;epoll_poll;f", "a;f"),
        ("rayon", "a;rayon_core::sleep::Sleep::new;crossbeam_epoch::x", "a;[rayon idle]"),
        ("tokio", "a;tokio::a;mio::poll;f", "a;[tokio];f"),
        ("v8", "a;node::Start;uv_run;uv__io_poll;f", "a;f"),
    ] {
        assert_eq!(stack(&["--preset", preset], given), expected, "{preset}");
    }
}
