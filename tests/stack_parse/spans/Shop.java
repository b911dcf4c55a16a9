import jdk.jfr.Event;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;

/**
 * Two threads answer requests; each fiftieth rebuilds an index, which is slow. Recorded by
 *
 *     javac Shop.java
 *     java -Xint -XX:+UseSerialGC -XX:StartFlightRecording=filename=requests.jfr,settings=none,\
 *         +jdk.ExecutionSample#enabled=true,+jdk.ExecutionSample#period=1ms,\
 *         +jdk.GCPhasePause#enabled=true,+jdk.GCPhasePause#threshold=0ms Shop
 */
public class Shop {
    @Name("shop.Request")
    @StackTrace(false)
    static class Request extends Event {}

    static volatile long sink;

    static void compute(int rounds, long factor) {
        long x = rounds;
        for (int i = 0; i < rounds; i++) x = x * factor + (x >>> 7) + i;
        sink = x;
    }

    static void parse() {
        compute(100_000, 31);
    }

    static void rebuildIndex() {
        for (int i = 0; i < 60; i++) compute(100_000, 37);
    }

    /** Between requests. */
    static void tidy() {
        compute(50_000, 41);
    }

    static void serve() {
        for (int number = 0; number < 300; number++) {
            Request request = new Request();
            request.begin();
            parse();
            if (number % 50 == 49) rebuildIndex();
            request.commit();
            tidy();
        }
    }

    public static void main(String[] args) throws Exception {
        Thread[] threads = {new Thread(Shop::serve, "worker-0"), new Thread(Shop::serve, "worker-1")};
        for (Thread thread : threads) thread.start();
        for (Thread thread : threads) thread.join();
        System.gc();
    }
}
