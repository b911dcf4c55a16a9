(* Functions in the syntax tree up to OCaml 5.1. *)

open Parsetree

let is_function = function Pexp_fun _ | Pexp_function _ -> true | _ -> false

(* Visits the arguments and cases of a function, and its body with [body]. *)
let iter (it : Ast_iterator.iterator) body = function
  | Pexp_fun (_, default, pattern, expr) ->
    Option.iter (it.expr it) default;
    it.pat it pattern;
    body expr
  | Pexp_function cases -> List.iter (it.case it) cases
  | _ -> ()
