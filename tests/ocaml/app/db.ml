(* Work that allocates and recurses. *)
module Index = Map.Make (Int)

let rec insert rows index =
  if rows = 0 then index
  else insert (rows - 1) (Index.add (rows * 7919 land 63) (string_of_int rows) index)

(* Not in tail position: a tower of as many frames as there are rows. *)
let rec total = function
  | [] -> 0
  | (_, value) :: rest -> String.length value + total rest

(* What is kept is work for the collector. *)
let kept = ref []

let query rows =
  let index = insert rows Index.empty in
  kept := List.init 500 (fun row -> (row, index)) :: !kept;
  total (Index.bindings index)
