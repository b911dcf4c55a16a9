let () = ignore (Bare.report 1); Bare.each [ 2 ]
