# Spends its time and its memory in rebuild_index, until RUN_FOR seconds have passed.
rebuild_index <- function(end) {
    index <- numeric(0)
    while (proc.time()[["elapsed"]] < end) {
        index <- numeric(2000)
        for (word in 1:2000) index[(word * 7919) %% 2000 + 1] <- word / 7
    }
    index
}

main <- function() {
    rebuild_index(proc.time()[["elapsed"]] + as.numeric(Sys.getenv("RUN_FOR", "4")))
}

invisible(main())
