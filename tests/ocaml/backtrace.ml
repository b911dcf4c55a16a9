(* Prints the calls on its own stack as OCaml's backtraces name them: function,
   file and line. The test compares them with what stack-symbols says. *)

let show () =
  let slots = Printexc.backtrace_slots (Printexc.get_callstack 100) in
  let print slot =
    match (Printexc.Slot.name slot, Printexc.Slot.location slot) with
    | Some name, Some { filename; line_number; _ } ->
        Printf.printf "%s\t%s:%d\n" name filename line_number
    | _ -> ()
  in
  Array.iter print (Option.get slots);
  1

(* Functors, local and anonymous functions, operators, methods, and functions
   small enough to be inlined. *)
module Make (Order : Map.OrderedType) = struct
  module Nested = struct
    let rec fold f = function [] -> 0 | x :: rest -> f x + fold f rest
  end

  let sum f list =
    let twice x = f x + f x in
    1 + Nested.fold (fun x -> 1 + twice x) list
end

module Ints = Make (Int)

let small f x = 1 + f x
let ( >>+ ) x f = 1 + small f x

class counter =
  object (self)
    method private add (x : int) = 1 + (x >>+ fun _ -> show ())
    method run (list : int list) = 1 + Ints.sum (fun x -> 1 + self#add x) list
  end

let () = if (new counter)#run [ 1; 2 ] = 0 then exit 1
