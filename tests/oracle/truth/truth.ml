(* What the functions of OCaml sources are called: a line for each, with tabs
   between the file, the first and the last line, the kind, and the path in the
   unit as OCaml's backtraces have it.

   It shares nothing with frame tables: it only parses. *)

open Parsetree

let path : string list ref = ref []

let inside name f =
  let outer = !path in
  path := name :: outer;
  f ();
  path := outer

let file = ref ""

let emit kind (loc : Location.t) =
  let path = String.concat "." (List.rev !path) in
  Printf.printf "%s\t%d\t%d\t%s\t%s\n" !file loc.loc_start.pos_lnum loc.loc_end.pos_lnum kind path

let rec name_of_pattern pattern =
  match pattern.ppat_desc with
  | Ppat_var name | Ppat_alias (_, name) -> Some name.txt
  | Ppat_constraint (pattern, _) -> name_of_pattern pattern
  | _ -> None

(* Operators are in parentheses. *)
let written name =
  match name.[0] with
  | 'A' .. 'Z' | 'a' .. 'z' | '_' | '0' .. '9' -> name
  | _ -> "(" ^ name ^ ")"

let rec is_function expr =
  match expr.pexp_desc with
  | Pexp_newtype (_, expr) | Pexp_constraint (expr, _) -> is_function expr
  | desc -> Functions.is_function desc

let super = Ast_iterator.default_iterator

(* A function of several arguments is one function. *)
let rec body (it : Ast_iterator.iterator) expr =
  match expr.pexp_desc with
  | Pexp_newtype (_, expr) | Pexp_constraint (expr, _) -> body it expr
  | desc when Functions.is_function desc -> Functions.iter it (body it) desc
  | _ -> it.expr it expr

let expr (it : Ast_iterator.iterator) expr =
  match expr.pexp_desc with
  | Pexp_letmodule (name, modul, rest) ->
    let visit () = it.module_expr it modul in
    (match name.txt with Some name -> inside name visit | None -> visit ());
    it.expr it rest
  | desc when Functions.is_function desc ->
    let visit () = emit "fun" expr.pexp_loc; body it expr in
    (match !path with "(fun)" :: _ -> visit () | _ -> inside "(fun)" visit)
  | _ -> super.expr it expr

let in_structure = ref false

let value_binding (it : Ast_iterator.iterator) binding =
  let names_all = !in_structure in
  in_structure := false;
  let value = binding.pvb_expr in
  match name_of_pattern binding.pvb_pat with
  | Some name when is_function value ->
    inside (written name) (fun () ->
        emit "def" binding.pvb_loc;
        emit "def" value.pexp_loc;
        body it value)
  | Some name when names_all ->
    inside (written name) (fun () -> emit "val" binding.pvb_loc; it.expr it value)
  | _ -> super.value_binding it binding

let structure_item (it : Ast_iterator.iterator) item =
  match item.pstr_desc with
  | Pstr_value (_, bindings) ->
    let visit binding =
      in_structure := true;
      it.value_binding it binding;
      in_structure := false
    in
    List.iter visit bindings
  | _ -> super.structure_item it item

let module_binding it binding =
  match binding.pmb_name.txt with
  | Some name -> inside name (fun () -> emit "mod" binding.pmb_loc; super.module_binding it binding)
  | None -> super.module_binding it binding

let module_expr it modul =
  (match modul.pmod_desc with Pmod_functor _ -> emit "functor" modul.pmod_loc | _ -> ());
  super.module_expr it modul

let class_declaration it clas =
  inside clas.pci_name.txt (fun () -> emit "class" clas.pci_loc; super.class_declaration it clas)

let class_field it field =
  match field.pcf_desc with
  | Pcf_method (name, _, Cfk_concrete (_, value)) ->
    let outer = !path in
    (path := match outer with clas :: rest -> (clas ^ "#" ^ name.txt) :: rest | [] -> [ "#" ^ name.txt ]);
    emit "meth" field.pcf_loc;
    let value = match value.pexp_desc with Pexp_poly (value, _) -> value | _ -> value in
    emit "meth" value.pexp_loc;
    body it value;
    path := outer
  | _ -> super.class_field it field

let it =
  { super with
    expr; value_binding; structure_item; module_binding; module_expr; class_declaration; class_field }

let read name =
  file := Filename.basename name;
  path := [];
  let channel = open_in_bin name in
  let lexbuf = Lexing.from_channel channel in
  Lexing.set_filename lexbuf name;
  (* Some sources are those of a later version, or for a preprocessor. *)
  (try it.structure it (Parse.implementation lexbuf) with _ -> prerr_endline (name ^ ": not parsed"));
  close_in channel

let () = List.iter read (List.tl (Array.to_list Sys.argv))
