/** Numbers that look random. */
final class Dice {
    private long state;

    Dice(long seed) {
        state = seed * 0x9e3779b97f4a7c15L | 1;
    }

    long next() {
        state ^= state << 13;
        state ^= state >>> 7;
        state ^= state << 17;
        return state;
    }

    int below(int limit) {
        return (int) ((next() >>> 1) % limit);
    }
}
