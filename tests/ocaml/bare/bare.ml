(* Compiled without -g. *)

(* Only what is inlined from the standard library calls here. *)
let prerr_int value = Stdlib.prerr_int (Sys.opaque_identity value)
let report value = print_newline (); ref (prerr_int value)
let each values = List.iter (fun value -> prerr_string (string_of_int value)) values
