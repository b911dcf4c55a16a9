(* A pupil's evening: algebra, sorting, queens.
   Usage: pupil [ROUNDS]; with SLOWER=1 in the environment threats does 30 % more. *)

let do_algebra () =
  let expression = Text.make 8 in
  let text = Text.to_string expression in
  let again = Text.read text in
  let derived = Algebra.simplify (Algebra.derive "x" again) in
  let value = Algebra.compute (Algebra.values ()) derived in
  value + Algebra.size derived + Algebra.most_common again + Lists.fletcher text
  + String.length (Lists.table text)

let do_lists () =
  let numbers = Lists.numbers 1500 in
  let merged = Lists.merge_sort numbers and quick = Lists.quick_sort numbers in
  assert (merged = quick);
  let product = Lists.multiply (Lists.matrix 28) (Lists.matrix 28) in
  Lists.distinct numbers + Lists.drain 0 (Lists.heap_of numbers) + Lists.trace product
  + Lists.memo_fibonacci 60

let evening repeats =
  let sum = do_algebra () + do_lists () in
  sum + Queens.solve repeats 12

let () =
  let rounds = if Array.length Sys.argv > 1 then int_of_string Sys.argv.(1) else 1700 in
  let repeats = if Sys.getenv_opt "SLOWER" = Some "1" then 585 else 450 in
  let sum = ref 0 in
  for _ = 1 to rounds do
    sum := ((!sum * 31) + evening repeats) land 0xffffff
  done;
  Printf.printf "%d\n" !sum
