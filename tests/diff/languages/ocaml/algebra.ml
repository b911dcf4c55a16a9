(* Expressions simplified, derived and computed. *)

open Text

let rec size = function
  | Number _ | Variable _ -> 1
  | Sum (a, b) | Product (a, b) | Difference (a, b) -> 1 + size a + size b

let simplify_sum = function
  | Number 0, it | it, Number 0 -> it
  | Number a, Number b -> Number ((a + b) land 0xffff)
  | a, b -> Sum (a, b)

let simplify_product = function
  | Number 0, _ | _, Number 0 -> Number 0
  | Number 1, it | it, Number 1 -> it
  | Number a, Number b -> Number (a * b land 0xffff)
  | a, b -> Product (a, b)

let rec simplify = function
  | (Number _ | Variable _) as it -> it
  | Sum (a, b) -> simplify_sum (simplify a, simplify b)
  | Product (a, b) -> simplify_product (simplify a, simplify b)
  | Difference (a, b) when a = b -> Number 0
  | Difference (a, b) -> Difference (simplify a, simplify b)

let rec derive name = function
  | Number _ -> Number 0
  | Variable other -> Number (if other = name then 1 else 0)
  | Sum (a, b) -> Sum (derive name a, derive name b)
  | Difference (a, b) -> Difference (derive name a, derive name b)
  | Product (a, b) -> Sum (Product (derive name a, b), Product (a, derive name b))

module Names = Map.Make (String)

let rec compute values = function
  | Number number -> number
  | Variable name -> Names.find name values
  | Sum (a, b) -> (compute values a + compute values b) land 0xffffff
  | Product (a, b) -> compute values a * compute values b land 0xffffff
  | Difference (a, b) -> (compute values a - compute values b) land 0xffffff

let values () =
  Array.fold_left (fun map name -> Names.add name (random 100) map) Names.empty variables

let rec count counts = function
  | Number _ -> counts
  | Variable name ->
      let so_far = try Hashtbl.find counts name with Not_found -> 0 in
      Hashtbl.replace counts name (so_far + 1);
      counts
  | Sum (a, b) | Product (a, b) | Difference (a, b) -> count (count counts a) b

let most_common expression =
  let counts = count (Hashtbl.create 16) expression in
  let pairs = Hashtbl.fold (fun name count list -> (count, name) :: list) counts [] in
  match List.sort compare pairs with (count, _) :: _ -> count | [] -> 0
