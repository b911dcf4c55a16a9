/**
 * A bank's day: transfers are written, read, booked, sorted and checked.
 * Usage: Bank [ROUNDS]; with SLOWER=1 in the environment Risk.simulate does 30 % more.
 */
public final class Bank {
    private final Ledger ledger = new Ledger();
    private final Risk risk;

    private Bank(int repeats) {
        risk = new Risk(repeats);
    }

    private long day(long seed) {
        Dice dice = new Dice(seed);
        String text = Transfers.write(dice, 250);
        long sum = Checks.all(text);
        var transfers = Transfers.parse(text);
        sum += ledger.book(transfers);
        sum += Sorting.all(transfers, dice);
        sum += Report.print(transfers).length();
        return sum + risk.assess(transfers);
    }

    public static void main(String[] args) {
        int rounds = args.length > 0 ? Integer.parseInt(args[0]) : 2000;
        int repeats = "1".equals(System.getenv("SLOWER")) ? 1690 : 1300;
        Bank bank = new Bank(repeats);
        long sum = 0;
        for (int round = 1; round <= rounds; round++) {
            sum = sum * 31 + bank.day(round);
        }
        System.out.println(sum);
    }
}
