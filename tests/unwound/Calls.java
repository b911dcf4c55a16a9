// Functions of Java whose callers are known: main calls work, it calls middle, and that leaf.
class Calls {
    static double leaf(int count) {
        double sum = 0;
        for (int index = 0; index < count; index++) sum += Math.sqrt(index * (double) count);
        return sum;
    }

    static double middle(int count) {
        double sum = 0;
        for (int index = 0; index < 50; index++) sum += leaf(count + index);
        return sum;
    }

    static double work(int rounds) {
        double sum = 0;
        for (int round = 0; round < rounds; round++) sum += middle(2000);
        return sum;
    }

    public static void main(String[] words) {
        System.out.println(work(Integer.parseInt(words[0])));
    }
}
