(* Spends its time and its memory in rebuild_index, until RUN_FOR seconds have passed. *)
let rebuild_index until =
  let index = ref [||] in
  while Unix.gettimeofday () < until do
    index := Array.init 20_000 (fun word -> [ word; word * 7919 ])
  done;
  Array.length !index
[@@inline never]

let () =
  Memtrace.trace_if_requested ();
  let seconds = try float_of_string (Sys.getenv "RUN_FOR") with _ -> 4. in
  exit (if rebuild_index (Unix.gettimeofday () +. seconds) = 0 then 1 else 0)
