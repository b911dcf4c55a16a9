module Work = struct
  let run items = List.length (List.map (fun item -> string_of_int (item + 1)) items)
end

let () = print_int (Work.run [ 1; 2 ])
