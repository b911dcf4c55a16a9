import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;

/** Ways to sort. */
final class Sorting {
    private Sorting() {}

    static long all(List<Transfers.Transfer> transfers, Dice dice) {
        long[] numbers = new long[500];
        for (int i = 0; i < numbers.length; i++) {
            numbers[i] = dice.next() >>> 20;
        }
        long[] one = numbers.clone();
        long[] other = numbers.clone();
        quickSort(one, 0, one.length - 1);
        mergeSort(other, new long[other.length], 0, other.length);
        if (!Arrays.equals(one, other)) {
            throw new IllegalStateException("not sorted");
        }
        return byName(transfers).get(3).number() + largest(transfers) + shellSort(numbers);
    }

    private static List<Transfers.Transfer> byName(List<Transfers.Transfer> transfers) {
        List<Transfers.Transfer> sorted = new ArrayList<>(transfers);
        sorted.sort(Comparator.comparing(Transfers.Transfer::from)
            .thenComparingLong(Transfers.Transfer::cents));
        return sorted;
    }

    private static long largest(List<Transfers.Transfer> transfers) {
        PriorityQueue<Long> queue = new PriorityQueue<>();
        for (Transfers.Transfer transfer : transfers) {
            queue.add(transfer.cents());
            if (queue.size() > 40) {
                queue.remove();
            }
        }
        return queue.element();
    }

    private static void quickSort(long[] numbers, int low, int high) {
        if (low >= high) {
            return;
        }
        int middle = partition(numbers, low, high);
        quickSort(numbers, low, middle);
        quickSort(numbers, middle + 1, high);
    }

    private static int partition(long[] numbers, int low, int high) {
        long pivot = numbers[low + (high - low) / 2];
        int left = low - 1;
        int right = high + 1;
        while (true) {
            while (numbers[++left] < pivot) {}
            while (numbers[--right] > pivot) {}
            if (left >= right) {
                return right;
            }
            long kept = numbers[left];
            numbers[left] = numbers[right];
            numbers[right] = kept;
        }
    }

    private static void mergeSort(long[] numbers, long[] spare, int from, int to) {
        if (to - from < 2) {
            return;
        }
        int middle = (from + to) >>> 1;
        mergeSort(numbers, spare, from, middle);
        mergeSort(numbers, spare, middle, to);
        merge(numbers, spare, from, middle, to);
    }

    private static void merge(long[] numbers, long[] spare, int from, int middle, int to) {
        int left = from;
        int right = middle;
        for (int at = from; at < to; at++) {
            boolean takeLeft = right >= to || (left < middle && numbers[left] <= numbers[right]);
            spare[at] = takeLeft ? numbers[left++] : numbers[right++];
        }
        System.arraycopy(spare, from, numbers, from, to - from);
    }

    private static long shellSort(long[] numbers) {
        for (int gap = numbers.length / 2; gap > 0; gap /= 2) {
            for (int i = gap; i < numbers.length; i++) {
                long kept = numbers[i];
                int at = i;
                for (; at >= gap && numbers[at - gap] > kept; at -= gap) {
                    numbers[at] = numbers[at - gap];
                }
                numbers[at] = kept;
            }
        }
        return numbers[numbers.length / 2];
    }
}
