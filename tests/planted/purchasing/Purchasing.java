import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.stream.Collectors;

/**
 * Asks several suppliers for the price, the stock and the delivery time of
 * the parts on a shopping list and decides where to buy each of them. The
 * suppliers are small servers on localhost, each with its own price list.
 */
public class Purchasing {
    private static final int PARTS = 24;
    private static final List<String> SUPPLIERS = List.of("Alder", "Birch", "Cedar", "Dogwood", "Elm");

    record Part(String code, int wanted) {}

    record Quote(String supplier, Part part, int cents, int stock, int days) {}

    /** A supplier answers questions such as "price P-0007", a line each. */
    static class Supplier implements Runnable {
        private static final long LOOKUP_MILLIS = 6;
        private final String name;
        private final ServerSocket door;

        Supplier(String name) throws IOException {
            this.name = name;
            this.door = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        }

        int port() {
            return door.getLocalPort();
        }

        @Override
        public void run() {
            try {
                while (true) {
                    Socket customer = door.accept();
                    Thread thread = new Thread(() -> serve(customer), name + "-desk");
                    thread.setDaemon(true);
                    thread.start();
                }
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }

        private void serve(Socket customer) {
            try (customer; BufferedReader in = reader(customer);
                    PrintWriter out = new PrintWriter(customer.getOutputStream(), true)) {
                for (String line = in.readLine(); line != null; line = in.readLine()) {
                    Thread.sleep(LOOKUP_MILLIS);
                    out.println(answer(line.split(" ")));
                }
            } catch (IOException | InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }

        private int answer(String[] question) {
            int mix = Math.abs((name + question[1]).hashCode() * 31 + question[0].length());
            return switch (question[0]) {
                case "price" -> 500 + mix % 1900;
                case "stock" -> mix % 60;
                default -> 1 + mix % 9;
            };
        }
    }

    /** Knows where the suppliers are and asks them. */
    static class Buyer {
        private final Map<String, Integer> ports;
        private final ExecutorService pool;

        Buyer(Map<String, Integer> ports, ExecutorService pool) {
            this.ports = ports;
            this.pool = pool;
        }

        private Quote ask(String supplier, Part part) {
            try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), ports.get(supplier));
                    BufferedReader in = reader(socket);
                    PrintWriter out = new PrintWriter(socket.getOutputStream(), true)) {
                int[] answers = new int[3];
                String[] questions = {"price", "stock", "days"};
                for (int i = 0; i < questions.length; i++) {
                    out.println(questions[i] + " " + part.code());
                    answers[i] = Integer.parseInt(in.readLine());
                }
                return new Quote(supplier, part, answers[0], answers[1], answers[2]);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }

        /** All suppliers' quotes for a part. */
        List<Quote> gather(Part part) {
            return SUPPLIERS.stream()
                    .map(supplier -> CompletableFuture.supplyAsync(() -> ask(supplier, part), pool))
                    .map(CompletableFuture::join)
                    .toList();
        }

        /** The cheapest quote that can be delivered, a late one counting as dearer. */
        Quote choose(List<Quote> quotes) {
            return quotes.stream()
                    .filter(quote -> quote.stock() >= quote.part().wanted())
                    .min(Comparator.comparingInt(Buyer::weight))
                    .orElse(quotes.get(0));
        }

        private static int weight(Quote quote) {
            return quote.cents() * quote.part().wanted() + 100 * Math.max(0, quote.days() - 3);
        }
    }

    private static BufferedReader reader(Socket socket) throws IOException {
        return new BufferedReader(new InputStreamReader(socket.getInputStream()));
    }

    private static List<Part> shoppingList() {
        List<Part> parts = new ArrayList<>();
        for (int i = 0; i < PARTS; i++) {
            parts.add(new Part(String.format("P-%04d", i * 7 + 3), 1 + i % 12));
        }
        return parts;
    }

    private static void print(List<Quote> chosen) {
        Map<String, Integer> bills = chosen.stream().collect(Collectors.groupingBy(
                Quote::supplier, TreeMap::new, Collectors.summingInt(q -> q.cents() * q.part().wanted())));
        bills.forEach((name, cents) -> System.out.printf("%-8s %8.2f%n", name, cents / 100.0));
        int slowest = chosen.stream().mapToInt(Quote::days).max().orElse(0);
        System.out.println(chosen.size() + " parts, the last in " + slowest + " days");
    }

    public static void main(String[] args) throws IOException {
        Map<String, Integer> ports = new TreeMap<>();
        for (String name : SUPPLIERS) {
            Supplier supplier = new Supplier(name);
            ports.put(name, supplier.port());
            Thread thread = new Thread(supplier, name);
            thread.setDaemon(true);
            thread.start();
        }
        ExecutorService pool = Executors.newFixedThreadPool(SUPPLIERS.size());
        Buyer buyer = new Buyer(ports, pool);
        List<Quote> chosen = new ArrayList<>();
        for (Part part : shoppingList()) {
            chosen.add(buyer.choose(buyer.gather(part)));
        }
        pool.shutdown();
        print(chosen);
    }
}
