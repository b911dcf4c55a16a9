// Spends its time and its memory in rebuild_index, until RUN_FOR seconds have passed.
function rebuild_index(end) {
    let index = new Map();
    while (Date.now() < end) {
        index = new Map();
        for (let word = 0; word < 20000; word++) index.set((word * 7919) % 50021, [word, word]);
    }
    return index;
}

const process = globalThis.process ?? { env: {} };
function main() {
    // A profile of memory has what is in use at the end.
    globalThis.kept = rebuild_index(Date.now() + 1000 * (process.env.RUN_FOR ?? 4));
}

main();
