import java.util.HashMap;
import java.util.Map;

/** Spends its time and its memory in rebuild_index, until RUN_FOR seconds have passed. */
public class Index {
    static Map<Integer, int[]> rebuild_index(long end) {
        Map<Integer, int[]> index = new HashMap<>();
        while (System.nanoTime() < end) {
            index = new HashMap<>();
            for (int word = 0; word < 20000; word++) index.put(word * 7919 % 50021, new int[8]);
        }
        return index;
    }

    public static void main(String[] arguments) {
        String seconds = System.getenv().getOrDefault("RUN_FOR", "4");
        long end = System.nanoTime() + (long) (Double.parseDouble(seconds) * 1e9);
        System.exit(rebuild_index(end).isEmpty() ? 1 : 0);
    }
}
