module M = Map.Make (String)

let hash word = String.fold_left (fun h c -> (h * 31) + Char.code c) 7 word

let count words =
  List.fold_left
    (fun counts word ->
      M.update word (function None -> Some (hash word) | Some n -> Some (n + hash word)) counts)
    M.empty words

let sorted counts = List.sort (fun (_, a) (_, b) -> compare a b) (M.bindings counts)

let () =
  let words = List.init 100_000 (fun n -> Printf.sprintf "w%d" (n * n mod 9973)) in
  let total = ref 0 in
  for _ = 1 to 10 do
    total := !total + List.length (sorted (count words))
  done;
  Printf.printf "%d\n" !total
