module index

go 1.19
