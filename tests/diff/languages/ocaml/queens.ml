(* Queens on a board: what takes the longest. *)

(* The hot function: how many queens threaten each other. *)
let[@inline never] threats repeats board =
  let size = Array.length board in
  let found = ref 0 in
  for _ = 1 to repeats do
    found := 0;
    for i = 0 to size - 2 do
      for j = i + 1 to size - 1 do
        let away = board.(i) - board.(j) in
        if away = 0 || away = j - i || away = i - j then incr found
      done
    done
  done;
  !found

let place size = Array.init size (fun _ -> Text.random size)

let swap board i j =
  let kept = board.(i) in
  board.(i) <- board.(j);
  board.(j) <- kept

let improve repeats board =
  let best = threats repeats board in
  let i = Text.random (Array.length board) and j = Text.random (Array.length board) in
  swap board i j;
  let now = threats repeats board in
  if now > best then swap board i j;
  min best now

let solve repeats size =
  let board = place size in
  let rec step count best = if count = 0 then best else step (count - 1) (improve repeats board) in
  step 10 max_int
