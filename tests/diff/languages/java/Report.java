import java.util.List;
import java.util.stream.Collectors;

/** What is printed in the evening. */
final class Report {
    private Report() {}

    static String print(List<Transfers.Transfer> transfers) {
        return head(transfers) + lines(transfers) + escape(names(transfers));
    }

    private static String head(List<Transfers.Transfer> transfers) {
        long sum = transfers.stream().mapToLong(Transfers.Transfer::cents).sum();
        return String.format("%d transfers, %.2f%n", transfers.size(), sum / 100.0);
    }

    private static String lines(List<Transfers.Transfer> transfers) {
        StringBuilder text = new StringBuilder();
        for (Transfers.Transfer transfer : transfers) {
            pad(text, transfer.from());
            pad(text, transfer.to());
            text.append(transfer.cents()).append('\n');
        }
        return text.toString();
    }

    private static void pad(StringBuilder text, String name) {
        text.append(name);
        for (int at = name.length(); at < 14; at++) {
            text.append(' ');
        }
    }

    private static String names(List<Transfers.Transfer> transfers) {
        return transfers.stream().map(Transfers.Transfer::from).distinct().sorted()
            .collect(Collectors.joining(" & "));
    }

    private static String escape(String text) {
        return text.replace("&", "&amp;").replace("<", "&lt;");
    }
}
