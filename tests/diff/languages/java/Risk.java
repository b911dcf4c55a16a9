import java.util.List;

/** What may be lost: what takes the longest. */
final class Risk {
    private final int repeats;

    Risk(int repeats) {
        this.repeats = repeats;
    }

    /** The hot function: a wager that is played again and again. */
    private static double simulate(double start, int repeats) {
        double worst = start;
        for (int repeat = 0; repeat < repeats; repeat++) {
            double value = start;
            int state = repeat * 7919 + 17;
            for (int day = 0; day < 40; day++) {
                state = state * 1103515245 + 12345;
                value += value * ((state >> 16) % 100) / 3000;
            }
            worst = Math.min(worst, value);
        }
        return worst;
    }

    long assess(List<Transfers.Transfer> transfers) {
        double sum = 0;
        for (int at = 0; at < 3; at++) {
            sum += simulate(transfers.get(at).cents() + 1, repeats);
        }
        return (long) sum;
    }
}
