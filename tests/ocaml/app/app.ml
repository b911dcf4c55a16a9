(* The program of the recipes in README.md and man/stack-tools.7. *)
let () =
  let answers = List.init 1000 (fun request -> Server.handle (request + 3000)) in
  let sums = Lwt_main.run (Lwt.all answers) in
  Printf.printf "%d\n" (List.fold_left ( + ) 0 sums)
