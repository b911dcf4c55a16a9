(* Functions in the syntax tree since OCaml 5.2. *)

open Parsetree

let is_function = function Pexp_function _ -> true | _ -> false

let parameter (it : Ast_iterator.iterator) parameter =
  match parameter.pparam_desc with
  | Pparam_val (_, default, pattern) ->
    Option.iter (it.expr it) default;
    it.pat it pattern
  | Pparam_newtype _ -> ()

(* Visits the arguments and cases of a function, and its body with [body]. *)
let iter (it : Ast_iterator.iterator) body = function
  | Pexp_function (parameters, _, rest) ->
    List.iter (parameter it) parameters;
    (match rest with
     | Pfunction_body expr -> body expr
     | Pfunction_cases (cases, _, _) -> List.iter (it.case it) cases)
  | _ -> ()
