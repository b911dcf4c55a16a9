<?php
// Spends its time and its memory in rebuild_index, until RUN_FOR seconds have passed.
function rebuild_index(float $end): array {
    $index = [];
    while (microtime(true) < $end) {
        $index = [];
        for ($word = 0; $word < 20000; $word++) {
            $index[$word * 7919 % 50021] = [$word, $word];
        }
    }
    return $index;
}

function main(): int {
    return count(rebuild_index(microtime(true) + (float) (getenv('RUN_FOR') ?: 4)));
}

main();
