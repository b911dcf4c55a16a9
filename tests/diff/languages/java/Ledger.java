import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Accounts and what is on them. */
final class Ledger {
    private final Map<String, Long> balances = new HashMap<>();

    long book(List<Transfers.Transfer> transfers) {
        for (Transfers.Transfer transfer : transfers) {
            change(transfer.from(), -transfer.cents());
            change(transfer.to(), transfer.cents());
        }
        return largest() + months(transfers).size() + partners(transfers);
    }

    private void change(String account, long cents) {
        balances.merge(account, cents, Long::sum);
    }

    private long largest() {
        long best = 0;
        for (long balance : balances.values()) {
            best = Math.max(best, balance);
        }
        return best;
    }

    private static Map<Integer, Long> months(List<Transfers.Transfer> transfers) {
        Map<Integer, Long> sums = new TreeMap<>();
        for (Transfers.Transfer transfer : transfers) {
            sums.merge(month(transfer.day()), transfer.cents(), Long::sum);
        }
        return sums;
    }

    private static int month(int day) {
        int[] lengths = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
        int month = 0;
        while (day >= lengths[month]) {
            day -= lengths[month++];
        }
        return month;
    }

    private static long partners(List<Transfers.Transfer> transfers) {
        Map<String, Integer> counts = new HashMap<>();
        for (Transfers.Transfer transfer : transfers) {
            counts.merge(pair(transfer), 1, Integer::sum);
        }
        return counts.size();
    }

    private static String pair(Transfers.Transfer transfer) {
        boolean inOrder = transfer.from().compareTo(transfer.to()) < 0;
        return inOrder ? transfer.from() + transfer.to() : transfer.to() + transfer.from();
    }
}
