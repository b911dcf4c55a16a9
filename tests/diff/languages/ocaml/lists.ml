(* Lists, heaps, maps and matrices. *)

module Ints = Set.Make (Int)

let rec take count = function
  | [] -> []
  | _ when count = 0 -> []
  | first :: rest -> first :: take (count - 1) rest

let numbers count = List.init count (fun _ -> Text.random 100000)

let rec split = function
  | a :: b :: rest ->
      let left, right = split rest in
      (a :: left, b :: right)
  | short -> (short, [])

let rec merge left right =
  match (left, right) with
  | [], rest | rest, [] -> rest
  | a :: left_rest, b :: right_rest ->
      if (a : int) <= b then a :: merge left_rest right else b :: merge left right_rest

let rec merge_sort = function
  | ([] | [ _ ]) as short -> short
  | list ->
      let left, right = split list in
      merge (merge_sort left) (merge_sort right)

let rec quick_sort = function
  | [] -> []
  | pivot :: rest ->
      let low, high = List.partition (fun it -> (it : int) < pivot) rest in
      quick_sort low @ (pivot :: quick_sort high)

type heap = Empty | Heap of int * heap * heap

let rec join one other =
  match (one, other) with
  | Empty, heap | heap, Empty -> heap
  | Heap (a, left, right), Heap (b, _, _) when a <= b -> Heap (a, join other right, left)
  | _, Heap (b, left, right) -> Heap (b, join one right, left)

let rec drain sum = function
  | Empty -> sum
  | Heap (least, left, right) -> drain ((sum * 31 + least) land 0xffffff) (join left right)

let heap_of list = List.fold_left (fun heap it -> join heap (Heap (it, Empty, Empty))) Empty list
let distinct list = Ints.cardinal (List.fold_left (fun set it -> Ints.add it set) Ints.empty list)

let multiply left right =
  let size = Array.length left in
  Array.init size (fun row ->
      Array.init size (fun column ->
          let sum = ref 0 in
          for i = 0 to size - 1 do
            sum := !sum + left.(row).(i) * right.(i).(column)
          done;
          !sum))

let matrix size = Array.init size (fun _ -> Array.init size (fun _ -> Text.random 10))

let trace matrix =
  let sum = ref 0 in
  Array.iteri (fun i row -> sum := !sum + row.(i)) matrix;
  !sum

let fletcher text =
  let a = ref 0 and b = ref 0 in
  String.iter
    (fun c ->
      a := (!a + Char.code c) mod 255;
      b := (!b + !a) mod 255)
    text;
  (!b lsl 8) lor !a

let memo_fibonacci limit =
  let known = Hashtbl.create 64 in
  let rec fibonacci n =
    if n < 2 then n
    else
      match Hashtbl.find_opt known n with
      | Some value -> value
      | None ->
          let value = (fibonacci (n - 1) + fibonacci (n - 2)) land 0xffffff in
          Hashtbl.add known n value;
          value
  in
  fibonacci limit

let words text = String.split_on_char ' ' text

let table text =
  let line word = Printf.sprintf "%-12s|%5d" word (String.length word) in
  String.concat "\n" (List.map line (take 100 (words text)))
