import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * Reads a year's bookings, checks that they balance, and prints the balances
 * of the accounts that moved most and the turnover of each quarter.
 */
public class Ledger {
    private static final int BOOKINGS = 62_000;
    private static final int ACCOUNTS = 1800;

    record Booking(LocalDate date, String debit, String credit, long cents, String text) {}

    record Posting(String account, long cents) {}

    private static final String[] TEXTS = {"rent", "wages", "timber", "freight", "repair", "sale", "interest"};

    /** Makes up a file of bookings. */
    static void writeSample(Path path) throws IOException {
        Random dice = new Random(17);
        LocalDate first = LocalDate.of(2023, 1, 1);
        try (BufferedWriter out = Files.newBufferedWriter(path)) {
            for (int i = 0; i < BOOKINGS; i++) {
                LocalDate date = first.plusDays((long) i * 365 / BOOKINGS);
                int debit = dice.nextInt(ACCOUNTS);
                int credit = (debit + 1 + dice.nextInt(ACCOUNTS - 1)) % ACCOUNTS;
                String text = TEXTS[dice.nextInt(TEXTS.length)] + " " + i;
                out.write(String.join(";", date.toString(), account(debit), account(credit),
                        Long.toString(100 + dice.nextInt(500_000)), text));
                out.newLine();
            }
        }
    }

    static String account(int number) {
        return "K" + (10_000 + number * 13);
    }

    static Booking parse(String line) {
        String[] field = line.split(";", 5);
        long cents = Long.parseLong(field[3]);
        if (cents <= 0 || field[1].equals(field[2])) {
            throw new IllegalArgumentException("not a booking: " + line);
        }
        return new Booking(LocalDate.parse(field[0]), field[1], field[2], cents, field[4]);
    }

    static List<Booking> read(Path path) throws IOException {
        List<Booking> bookings = new ArrayList<>();
        try (BufferedReader in = Files.newBufferedReader(path)) {
            for (String line = in.readLine(); line != null; line = in.readLine()) {
                bookings.add(parse(line));
            }
        }
        return bookings;
    }

    /** Both sides of each booking. */
    static List<Posting> postings(List<Booking> bookings) {
        return bookings.stream()
                .flatMap(b -> List.of(new Posting(b.debit(), b.cents()), new Posting(b.credit(), -b.cents())).stream())
                .toList();
    }

    /** The balance of each account. */
    static Map<String, Long> balances(List<Posting> postings) {
        return postings.stream().reduce(
                Map.of(),
                Ledger::withPosting,
                (left, right) -> {
                    throw new UnsupportedOperationException("postings are taken in order");
                });
    }

    private static Map<String, Long> withPosting(Map<String, Long> balances, Posting posting) {
        Map<String, Long> next = new HashMap<>(balances);
        next.merge(posting.account(), posting.cents(), Long::sum);
        return next;
    }

    static Map<Integer, Long> turnoverByQuarter(List<Booking> bookings) {
        return bookings.stream().collect(Collectors.groupingBy(
                b -> (b.date().getMonthValue() + 2) / 3, TreeMap::new, Collectors.summingLong(Booking::cents)));
    }

    /** How often each kind of text stands in the ledger. */
    static Map<String, Integer> kinds(List<Booking> bookings) {
        Map<String, Integer> kinds = new TreeMap<>();
        for (Booking booking : bookings) {
            String text = booking.text();
            kinds.merge(text.substring(0, text.indexOf(' ')), 1, Integer::sum);
        }
        return kinds;
    }

    static void checkBalanced(Map<String, Long> balances) {
        long sum = balances.values().stream().mapToLong(Long::longValue).sum();
        if (sum != 0) {
            throw new IllegalStateException("the ledger is out of balance by " + sum);
        }
    }

    static void print(List<Booking> bookings, Map<String, Long> balances) {
        balances.entrySet().stream()
                .sorted(Comparator.comparingLong(e -> -Math.abs(e.getValue())))
                .limit(5)
                .forEach(e -> System.out.printf("%s %12.2f%n", e.getKey(), e.getValue() / 100.0));
        turnoverByQuarter(bookings).forEach((quarter, cents) ->
                System.out.printf("quarter %d %14.2f%n", quarter, cents / 100.0));
        System.out.println(kinds(bookings));
    }

    public static void main(String[] args) throws IOException {
        Path path = Files.createTempFile("bookings", ".csv");
        try {
            writeSample(path);
            List<Booking> bookings = read(path);
            Map<String, Long> balances = balances(postings(bookings));
            checkBalanced(balances);
            print(bookings, balances);
        } finally {
            Files.delete(path);
        }
    }
}
