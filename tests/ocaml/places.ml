(* Functions without calls of their own, which only the lines around them place. *)

(* What no compiler can know or leave out. *)
let opaque x = Sys.opaque_identity x

module Outer = struct
  module Inner = struct
    let first x = ref (opaque x)
    let leaf x = x + 1
    let optional ?(width = 3) text = print_string text; print_int (opaque width)
    let last x = ref (opaque x)
  end

  let count items =
    print_newline ();
    let rec step n = function [] -> n | _ :: rest -> step (n + 1) rest in
    let all = step 0 (opaque items) in
    print_int all;
    all

  let tails items =
    List.map (fun x -> x + 1) (opaque items)

  let last x = ref (opaque x)
end

let outside x = x + 2

let () =
  ignore (Outer.Inner.first 1);
  ignore (Outer.Inner.last (Outer.Inner.leaf 2));
  Outer.Inner.optional "text";
  ignore (Outer.count [ 1 ]);
  ignore (Outer.tails [ 1 ]);
  ignore (Outer.last (outside 3))
