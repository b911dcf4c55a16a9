(* Fibres: each goes on when its promise is fulfilled, or at once. *)
open Lwt.Syntax

let handle rows =
  let* () = Lwt.pause () in
  let first = Db.query rows in
  let* () = if rows land 1 = 0 then Lwt.return_unit else Lwt.pause () in
  Lwt.return (first + Db.query (rows / 2))
