(* Texts: expressions written and read again. *)

let seed = ref 1

let random limit =
  seed := (!seed * 1103515245 + 12345) land 0x3fffffff;
  (!seed lsr 8) mod limit

type expression =
  | Number of int
  | Variable of string
  | Sum of expression * expression
  | Product of expression * expression
  | Difference of expression * expression

let variables = [| "alpha"; "beta"; "gamma"; "delta"; "x"; "y"; "z" |]

let rec make depth =
  if depth = 0 then
    if random 2 = 0 then Number (random 1000) else Variable variables.(random 7)
  else
    let left = make (depth - 1) in
    let right = make (depth - 1 - random 2 |> max 0) in
    match random 3 with
    | 0 -> Sum (left, right)
    | 1 -> Product (left, right)
    | _ -> Difference (left, right)

let rec write buffer = function
  | Number number -> Buffer.add_string buffer (string_of_int number)
  | Variable name -> Buffer.add_string buffer name
  | Sum (left, right) -> write_pair buffer left " + " right
  | Product (left, right) -> write_pair buffer left " * " right
  | Difference (left, right) -> write_pair buffer left " - " right

and write_pair buffer left sign right =
  Buffer.add_char buffer '(';
  write buffer left;
  Buffer.add_string buffer sign;
  write buffer right;
  Buffer.add_char buffer ')'

let to_string expression =
  let buffer = Buffer.create 256 in
  write buffer expression;
  Buffer.contents buffer

type token = Digits of int | Name of string | Sign of char

let is_digit c = c >= '0' && c <= '9'
let is_letter c = c >= 'a' && c <= 'z'

let rec end_of is text at =
  if at < String.length text && is text.[at] then end_of is text (at + 1) else at

let tokens text =
  let rec next at found =
    if at >= String.length text then List.rev found
    else if text.[at] = ' ' then next (at + 1) found
    else if is_digit text.[at] then
      let stop = end_of is_digit text at in
      next stop (Digits (int_of_string (String.sub text at (stop - at))) :: found)
    else if is_letter text.[at] then
      let stop = end_of is_letter text at in
      next stop (Name (String.sub text at (stop - at)) :: found)
    else next (at + 1) (Sign text.[at] :: found)
  in
  next 0 []

let rec parse = function
  | Digits number :: rest -> (Number number, rest)
  | Name name :: rest -> (Variable name, rest)
  | Sign '(' :: rest -> parse_pair rest
  | _ -> failwith "parse"

and parse_pair rest =
  let left, rest = parse rest in
  match rest with
  | Sign sign :: rest -> (
      let right, rest = parse rest in
      let pair =
        match sign with
        | '+' -> Sum (left, right)
        | '*' -> Product (left, right)
        | _ -> Difference (left, right)
      in
      match rest with Sign ')' :: rest -> (pair, rest) | _ -> failwith "parse_pair")
  | _ -> failwith "parse_pair"

let read text = fst (parse (tokens text))
