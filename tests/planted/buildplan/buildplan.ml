(* buildplan: reads a list of build rules and works out in which order to run
   them, how many steps can run side by side, and the longest chain of steps.

     buildplan TARGETS *)

module Names = Map.Make (String)

type rule = {
  target : string;
  needs : string list;
  seconds : int;
}

(* A project of libraries, each with modules that need earlier ones. *)
let make_rules count =
  let state = Random.State.make [| 41; count |] in
  let pick limit = Random.State.int state limit in
  let name number =
    Printf.sprintf "_build/lib/component_%02d/module_%05d.o" (number * 40 / count) number
  in
  let buffer = Buffer.create (count * 200) in
  for number = 0 to count - 1 do
    Buffer.add_string buffer (name number);
    Buffer.add_char buffer ':';
    if number > 0 then
      for _ = 1 to 2 + pick 5 do
        let back = 1 + pick (min number (if pick 8 = 0 then 4000 else 60)) in
        Buffer.add_char buffer ' ';
        Buffer.add_string buffer (name (number - back))
      done;
    Buffer.add_string buffer (Printf.sprintf " @%d\n" (1 + pick 90))
  done;
  Buffer.contents buffer

let parse_rule line =
  match String.index_opt line ':', String.rindex_opt line '@' with
  | Some colon, Some at when colon < at ->
    let needs = String.sub line (colon + 1) (at - colon - 1) in
    let seconds = String.sub line (at + 1) (String.length line - at - 1) in
    Some
      { target = String.sub line 0 colon;
        needs = List.filter (fun name -> name <> "") (String.split_on_char ' ' needs);
        seconds = int_of_string seconds }
  | _ -> None

let read_rules text =
  List.fold_left
    (fun rules line ->
      match parse_rule line with
      | Some rule -> Names.add rule.target rule rules
      | None -> rules)
    Names.empty
    (String.split_on_char '\n' text)

(* Every target after all that it needs. *)
let put_in_order rules =
  let placed = ref [] in
  let rec place name =
    if not (List.mem name !placed) then begin
      let rule = Names.find name rules in
      List.iter place rule.needs;
      placed := name :: !placed
    end
  in
  Names.iter (fun name _ -> place name) rules;
  List.rev !placed

(* The step at which each target can run when nothing else holds it up. *)
let waves rules order =
  let wave_of = Hashtbl.create 4096 in
  List.iter
    (fun name ->
      let needs = (Names.find name rules).needs in
      let last = List.fold_left (fun last need -> max last (Hashtbl.find wave_of need)) 0 needs in
      Hashtbl.replace wave_of name (last + 1))
    order;
  wave_of

let widest waves =
  let sizes = Hashtbl.create 64 in
  Hashtbl.iter
    (fun _ wave ->
      let size = Option.value (Hashtbl.find_opt sizes wave) ~default:0 in
      Hashtbl.replace sizes wave (size + 1))
    waves;
  Hashtbl.fold (fun _ size widest -> max size widest) sizes 0

(* Seconds until each target is ready, and the target that it waits for last. *)
let finish_times rules order =
  let times = Hashtbl.create 4096 in
  List.iter
    (fun name ->
      let rule = Names.find name rules in
      let start, after =
        List.fold_left
          (fun (start, after) need ->
            let ready, _ = Hashtbl.find times need in
            if ready > start then (ready, Some need) else (start, after))
          (0, None) rule.needs
      in
      Hashtbl.replace times name (start + rule.seconds, after))
    order;
  times

let longest_chain times =
  let last, (total, _) =
    Hashtbl.fold
      (fun name (ready, after) (best, (most, chain)) ->
        if ready > most then (name, (ready, after)) else (best, (most, chain)))
      times ("", (0, None))
  in
  let rec follow name chain =
    match snd (Hashtbl.find times name) with
    | Some earlier -> follow earlier (name :: chain)
    | None -> name :: chain
  in
  (total, follow last [])

(* Seconds with a given number of builders, each taking the next target in order. *)
let simulate rules order builders =
  let free = Array.make builders 0 in
  let ready = Hashtbl.create 4096 in
  List.iter
    (fun name ->
      let rule = Names.find name rules in
      let start = List.fold_left (fun start need -> max start (Hashtbl.find ready need)) 0 rule.needs in
      let best = ref 0 in
      Array.iteri (fun builder at -> if at < free.(!best) then best := builder) free;
      let finish = max start free.(!best) + rule.seconds in
      free.(!best) <- finish;
      Hashtbl.replace ready name finish)
    order;
  Array.fold_left max 0 free

let () =
  let count = if Array.length Sys.argv > 1 then int_of_string Sys.argv.(1) else 24000 in
  let rules = read_rules (make_rules count) in
  let order = put_in_order rules in
  let total, chain = longest_chain (finish_times rules order) in
  Printf.printf "%d targets, at most %d side by side\n" (List.length order)
    (widest (waves rules order));
  Printf.printf "longest chain: %d steps, %d s, ending in %s\n" (List.length chain) total
    (List.nth chain (List.length chain - 1));
  List.iter
    (fun builders ->
      Printf.printf "%2d builders: %d s\n" builders (simulate rules order builders))
    [ 1; 2; 3; 4; 6; 8; 10; 12; 14; 16; 20; 24; 32; 48; 64 ]
