(* replay: records the moves of many players in a log, one move a line, and then
   reads the log back to draw a map of where they went.

     replay MOVES *)

type move = {
  player : int;
  time : int;
  dx : int;
  dy : int;
}

let players = 500
let side = 64

module Log = struct
  let checksum move = (move.player + (3 * move.time) + (5 * move.dx) + (7 * move.dy)) land 0xff

  type writer = {
    channel : out_channel;
    mutable lines : int;
  }

  let write log move =
    Printf.fprintf log.channel "%d %d %d %d %d\n%!" move.time move.player move.dx move.dy
      (checksum move);
    log.lines <- log.lines + 1

  (* Reads the number that starts at a place in the line; the place moves on. *)
  let number line place =
    let negative = line.[!place] = '-' in
    if negative then incr place;
    let sum = ref 0 in
    while !place < String.length line && line.[!place] <> ' ' do
      sum := (10 * !sum) + Char.code line.[!place] - Char.code '0';
      incr place
    done;
    incr place;
    if negative then - !sum else !sum

  let parse line =
    let place = ref 0 in
    let time = number line place in
    let player = number line place in
    let dx = number line place in
    let dy = number line place in
    let move = { player; time; dx; dy } in
    if number line place <> checksum move then failwith "the log is damaged";
    move

  let rec fold channel f state =
    match input_line channel with
    | line -> fold channel f (f state (parse line))
    | exception End_of_file -> state
end

(* Players wander about: each keeps its heading for a while. *)
let record path count =
  let state = Random.State.make [| 7; count |] in
  let headings = Array.init players (fun _ -> Random.State.float state 6.28) in
  let log = { Log.channel = open_out path; lines = 0 } in
  for time = 1 to count do
    let player = Random.State.int state players in
    if Random.State.int state 10 = 0 then
      headings.(player) <- headings.(player) +. Random.State.float state 2.0 -. 1.0;
    let pace = 2.0 +. Random.State.float state 12.0 in
    let along f = int_of_float (Float.round (pace *. f headings.(player))) in
    Log.write log { player; time; dx = along cos; dy = along sin }
  done;
  close_out log.channel;
  log.lines

type map = {
  x : int array;
  y : int array;
  visits : int array array;
  mutable moves : int;
  mutable way : float;
}

let empty_map () =
  { x = Array.make players 0;
    y = Array.make players 0;
    visits = Array.make_matrix side side 0;
    moves = 0;
    way = 0.0 }

let wrap n = ((n mod side) + side) mod side

let apply map move =
  let x = map.x.(move.player) + move.dx and y = map.y.(move.player) + move.dy in
  map.x.(move.player) <- x;
  map.y.(move.player) <- y;
  map.moves <- map.moves + 1;
  map.way <- map.way +. Float.hypot (float_of_int move.dx) (float_of_int move.dy);
  let row = map.visits.(wrap (y / 16)) in
  let column = wrap (x / 16) in
  row.(column) <- row.(column) + 1;
  map

(* Every field as the mean of itself and its neighbours. *)
let smooth visits =
  let around row column =
    let sum = ref 0 in
    for r = row - 1 to row + 1 do
      for c = column - 1 to column + 1 do
        sum := !sum + visits.(wrap r).(wrap c)
      done
    done;
    !sum / 9
  in
  Array.init side (fun row -> Array.init side (around row))

let draw visits =
  let most = Array.fold_left (Array.fold_left max) 1 visits in
  let shade n = " .:-=+*#%@".[n * 9 / most] in
  for row = 0 to (side / 8) - 1 do
    print_endline (String.init side (fun column -> shade visits.(row * 8).(column)))
  done

let () =
  let count = if Array.length Sys.argv > 1 then int_of_string Sys.argv.(1) else 2_000_000 in
  let path = Filename.temp_file "replay" ".log" in
  let lines = record path count in
  let log = open_in path in
  let map = Log.fold log apply (empty_map ()) in
  close_in log;
  Sys.remove path;
  draw (smooth (smooth map.visits));
  Printf.printf "%d of %d moves, over %.0f steps\n" map.moves lines map.way
