module post

go 1.19
