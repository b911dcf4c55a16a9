import java.util.ArrayList;
import java.util.List;

/** Transfers as text, written and read again. */
final class Transfers {
    record Transfer(int number, String from, String to, long cents, int day) {}

    private static final String[] NAMES =
        {"Adler", "Braun", "Conti", "Duval", "Eriksen", "Farkas", "Garcia", "Horvat", "Ivanov"};

    private Transfers() {}

    static String write(Dice dice, int count) {
        StringBuilder text = new StringBuilder();
        for (int number = 0; number < count; number++) {
            writeOne(text, number, dice);
        }
        return text.toString();
    }

    private static void writeOne(StringBuilder text, int number, Dice dice) {
        text.append(number).append(';').append(account(dice)).append(';').append(account(dice));
        text.append(';').append(amount(dice)).append(';').append(dice.below(365)).append('\n');
    }

    private static String account(Dice dice) {
        return NAMES[dice.below(NAMES.length)] + "-" + (char) ('A' + dice.below(26));
    }

    private static String amount(Dice dice) {
        int cents = dice.below(100);
        return dice.below(10000) + (cents < 10 ? ".0" : ".") + cents;
    }

    static List<Transfer> parse(String text) {
        List<Transfer> transfers = new ArrayList<>();
        for (String line : text.split("\n")) {
            transfers.add(parseLine(line));
        }
        return transfers;
    }

    private static Transfer parseLine(String line) {
        String[] field = line.split(";");
        return new Transfer(Integer.parseInt(field[0]), field[1], field[2],
            parseCents(field[3]), Integer.parseInt(field[4]));
    }

    private static long parseCents(String text) {
        long cents = 0;
        for (int at = 0; at < text.length(); at++) {
            char c = text.charAt(at);
            if (Character.isDigit(c)) {
                cents = cents * 10 + (c - '0');
            }
        }
        return cents;
    }
}
