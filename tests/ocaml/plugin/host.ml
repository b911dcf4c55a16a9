let load file = Dynlink.loadfile file; print_newline ()
let () = load Sys.argv.(1)
