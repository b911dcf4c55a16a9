import java.nio.charset.StandardCharsets;

/** Checksums of a text. */
final class Checks {
    private Checks() {}

    static long all(String text) {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        long sum = crc(bytes) + adler(bytes) + fnv(bytes);
        return sum + letters(text) + hexadecimal(bytes).length() + text.hashCode();
    }

    private static int crc(byte[] bytes) {
        int crc = -1;
        for (byte b : bytes) {
            crc ^= b & 255;
            for (int bit = 0; bit < 4; bit++) {
                crc = (crc & 1) == 1 ? crc >>> 1 ^ 0xedb88320 : crc >>> 1;
            }
        }
        return ~crc;
    }

    private static int adler(byte[] bytes) {
        int a = 1;
        int b = 0;
        for (byte value : bytes) {
            a = (a + (value & 255)) % 65521;
            b = (b + a) % 65521;
        }
        return b << 16 | a;
    }

    private static long fnv(byte[] bytes) {
        long hash = 0xcbf29ce484222325L;
        for (byte value : bytes) {
            hash = (hash ^ value & 255) * 0x100000001b3L;
        }
        return hash;
    }

    private static int letters(String text) {
        int count = 0;
        for (int at = 0; at < text.length(); at++) {
            if (Character.isLetter(text.charAt(at))) {
                count++;
            }
        }
        return count;
    }

    private static String hexadecimal(byte[] bytes) {
        StringBuilder out = new StringBuilder(2000);
        for (int at = 0; at < bytes.length && at < 1000; at++) {
            out.append(digit(bytes[at] >> 4 & 15)).append(digit(bytes[at] & 15));
        }
        return out.toString();
    }

    private static char digit(int value) {
        return "0123456789abcdef".charAt(value);
    }
}
