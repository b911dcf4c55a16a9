(* ticker: follows the trades of many shares and keeps, for each share, the
   latest trades, from which it computes averages, ranges and signals.

     ticker TRADES *)

type trade = {
  share : int;
  price : float;
  volume : int;
}

let shares = 320
let length = 180

(* A pseudo-random walk for each share, by a linear congruence. *)
module Market = struct
  type t = {
    prices : float array;
    mutable state : int;
  }

  let create () =
    { prices = Array.init shares (fun share -> 20.0 +. float_of_int (share * 7 mod 90)); state = 12345 }

  let random market limit =
    market.state <- ((market.state * 25214903917) + 11) land 0xffffffffffff;
    (market.state lsr 17) mod limit

  let next market =
    let share = random market shares in
    let step = float_of_int (random market 2001 - 1000) /. 40000.0 in
    let price = max 1.0 (market.prices.(share) *. (1.0 +. step)) in
    market.prices.(share) <- price;
    { share; price; volume = 1 + random market 500 }
end

(* The latest trades of one share, oldest first. *)
module Window = struct
  type t = {
    mutable trades : trade list;
    mutable count : int;
    mutable turnover : float;
    mutable pieces : int;
  }

  let create () = { trades = []; count = 0; turnover = 0.0; pieces = 0 }

  let account window trade sign =
    window.turnover <- window.turnover +. (float_of_int (sign * trade.volume) *. trade.price);
    window.pieces <- window.pieces + (sign * trade.volume)

  let push window trade =
    account window trade 1;
    match window.trades with
    | oldest :: rest when window.count = length ->
      account window oldest (-1);
      window.trades <- rest @ [ trade ]
    | trades ->
      window.trades <- trades @ [ trade ];
      window.count <- window.count + 1

  let average window =
    if window.pieces = 0 then 0.0 else window.turnover /. float_of_int window.pieces

  let range window =
    let rec scan low high = function
      | [] -> (low, high)
      | { price; _ } :: rest ->
        scan (if price < low then price else low) (if price > high then price else high) rest
    in
    scan infinity neg_infinity window.trades
end

type signal =
  | Rise
  | Fall
  | Quiet

(* How far apart the prices in a window lie, in per cent. *)
let spread window =
  let low, high = Window.range window in
  if low > 0.0 && high < infinity then 100.0 *. (high -. low) /. low else 0.0

(* A price far from the average counts, if the share is not a wild one. *)
let signal window trade =
  let average = Window.average window in
  if spread window > 60.0 then Quiet
  else if trade.price > average *. 1.08 then Rise
  else if trade.price < average *. 0.92 then Fall
  else Quiet

let histogram windows =
  let bars = Array.make 8 0 in
  Array.iter
    (fun window ->
      let bar = min 7 (int_of_float (spread window /. 25.0)) in
      bars.(bar) <- bars.(bar) + 1)
    windows;
  bars

(* The book of orders that the signals would have placed. *)
module Orders = struct
  type t = {
    held : (int, int) Hashtbl.t;
    mutable cash : float;
    mutable placed : int;
  }

  let create () = { held = Hashtbl.create 64; cash = 1e6; placed = 0 }

  let holding orders share = Option.value (Hashtbl.find_opt orders.held share) ~default:0

  let place orders trade pieces =
    Hashtbl.replace orders.held trade.share (holding orders trade.share + pieces);
    orders.cash <- orders.cash -. (float_of_int pieces *. trade.price);
    orders.placed <- orders.placed + 1

  let follow orders trade = function
    | Rise when holding orders trade.share > 0 -> place orders trade (-1)
    | Fall when orders.cash > trade.price -> place orders trade 1
    | Rise | Fall | Quiet -> ()

  let worth orders prices =
    Hashtbl.fold
      (fun share pieces sum -> sum +. (float_of_int pieces *. prices.(share)))
      orders.held orders.cash
end

let () =
  let count = if Array.length Sys.argv > 1 then int_of_string Sys.argv.(1) else 550_000 in
  let market = Market.create () in
  let windows = Array.init shares (fun _ -> Window.create ()) in
  let orders = Orders.create () in
  for number = 1 to count do
    let trade = Market.next market in
    let window = windows.(trade.share) in
    Window.push window trade;
    Orders.follow orders trade (signal window trade);
    if number mod (count / 5) = 0 then begin
      let bars = Array.to_list (Array.map string_of_int (histogram windows)) in
      Printf.printf "%7d trades: %d orders, worth %.2f, spreads %s\n" number orders.placed
        (Orders.worth orders market.prices) (String.concat " " bars)
    end
  done
