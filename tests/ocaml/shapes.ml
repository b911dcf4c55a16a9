(* Functions whose names a symbol does not tell, one of each shape. *)

(* What no compiler can know or leave out. *)
let opaque x = Sys.opaque_identity x

(* The most calls here are of the local functions, which are inlined. *)
let report items =
  let line name value = print_string name; print_string (string_of_int value) in
  let rec all = function [] -> () | (name, value) :: rest -> line name value; all rest in
  all (opaque items)

module Outer = struct
  module Inner = struct
    let deep x = ref (opaque x)
    let ( +! ) a b = ref (opaque (a + b))
    let ( let* ) x f = f (opaque x)
  end
end

module Make (Item : sig val show : int -> string end) = struct
  let table : (int, int) Hashtbl.t = Hashtbl.create 7
  let print x = print_string (Item.show (opaque x)); Hashtbl.length table
end

module type SHOW = sig val show : int -> string end

let first_class (show : int -> string) : (module SHOW) =
  (module struct
    let show x = print_newline (); show (opaque x)
  end)

let local_module x =
  let module Local = struct
    let twice y = print_int y; print_int (opaque y + x)
  end in
  Local.twice (opaque 1);
  Local.twice 2

class counter start = object
  val mutable count = start
  method add n = print_int n; count <- count + opaque n
  method each f = List.iter (fun n -> print_int n; f (n + count)) (opaque [ 1; 2 ])
end

let point () = object
  method move n = print_int n; print_int (opaque n)
end

(* What follows let* is a function without a name. *)
let chain x =
  let open Outer.Inner in
  let* y = opaque x in
  print_int y;
  string_of_int (opaque y)

let optional ?(width = 3) text = print_string text; print_int (opaque width)

(* Without calls and allocations: the tables have no entry for it. *)
let leaf x = x + 1

let apply () = List.map (fun x -> x + 3) (opaque [ 1 ])

let twice x = string_of_int x ^ string_of_int x

let prefix = twice (opaque 1)

let () =
  let module Strings = Make (struct let show = twice end) in
  let open Outer.Inner in
  ignore (Strings.print 2);
  report [ (prefix, 1) ];
  ignore (deep 1);
  ignore (1 +! 2);
  ignore (let* x = 3 in deep x);
  let (module Show) = first_class string_of_int in
  print_string (Show.show 4);
  local_module 5;
  let counter = new counter 6 in
  counter#add 7;
  counter#each print_int;
  (point ())#move 8;
  print_string (chain 10);
  optional "text";
  print_int (leaf 9 + List.length (apply ()))
