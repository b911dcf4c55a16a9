// Functions of JavaScript whose callers are known: main calls work, it calls middle, and that leaf.

function leaf(count) {
    let sum = 0;
    for (let index = 0; index < count; index++) sum += Math.sqrt(index * count);
    return sum;
}

function middle(count) {
    let sum = 0;
    for (let index = 0; index < 50; index++) sum += leaf(count + index);
    return sum;
}

function work(rounds) {
    let sum = 0;
    for (let round = 0; round < rounds; round++) sum += middle(2000);
    return sum;
}

function main() {
    return work(Number(process.argv[2]));
}

main();
