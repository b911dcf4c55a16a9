let () =
  Inode.iter ignore (Inode.add 1 []);
  Irmin.Inode.iter ignore (Irmin.Inode.add 2 [])
