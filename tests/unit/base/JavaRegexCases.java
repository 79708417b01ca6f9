// Makes java_regex_cases.tsv: what java.util.regex itself answers, for java_regex_test.cc to compare with.
//
//   java tests/unit/base/JavaRegexCases.java > tests/unit/base/java_regex_cases.tsv      (Java 17 or later)
//
// A line: pattern, flags ("i" or nothing), subject, replacement, "1" or "0" for matches(), the result of
// replaceFirst() or "!" where it throws. Bytes outside of printable ASCII, and %, are written %HH, in UTF-8.
import java.nio.charset.StandardCharsets;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

public class JavaRegexCases {
  // Pattern, flags, replacement.
  static final String[][] PATTERNS = {
    {"(?<routedByValue>.*)", "", "outbox.event.${routedByValue}"},
    {"(.*)", "", "$1.suffix"},
    {".*", "", "x-$0"},
    {"a|ab", "", "<R>"},
    {"a*?", "", "[$0]"},
    {"(a)|(b)|(.*)", "", "1$1 2$2 3$3"},
    {"(o)(r)(d)(e)(r)", "", "$10-$5"},
    {"(a)(b)(c)(d)(e)(f)(g)(h)(i)(j)(k)", "", "$11$10$12$110"},
    {"(?<a>.)(?<b1>.*)", "", "${b1}${a}"},
    {"(.)", "", "\\$1 \\\\ \\x $1"},
    {"(.)", "", "a$"},
    {"(.)", "", "a\\"},
    {"(.)", "", "$2"},
    {"(.)", "", "${none}"},
    {"(.)", "", "${1}"},
    {"(.)", "", "$x"},
    {"(?<n>.)", "", "${n"},
    {"order", "i", "[$0]"},
    {"ORD[a-f]R", "i", "[$0]"},
    {"[^o]*", "i", "[$0]"},
    {"[@-\\[]+", "i", "[$0]"},
    {"(?i)order(?-i)S?", "", "[$0]"},
    {"(?i:O)rder", "", "[$0]"},
    {"(?s)(.+)", "", "[$1]"},
    {"(?s:.)+|x", "", "[$0]"},
    {"é+", "i", "[$0]"},
    {"k", "i", "[$0]"},
    {"\\w+", "", "[$0]"},
    {"\\W+", "", "[$0]"},
    {"\\s+", "", "[$0]"},
    {"\\S+", "", "[$0]"},
    {"\\d+", "", "[$0]"},
    {"\\D+", "", "[$0]"},
    {"\\h+", "", "[$0]"},
    {"\\v+", "", "[$0]"},
    {"[^\\D\\p{L}]+", "", "[$0]"},
    {"[\\w.-]+", "", "[$0]"},
    {"[\\H]+", "", "[$0]"},
    {"\\v{1,3}\\S", "", "[$0]"},
    {"\\p{L}+", "", "[$0]"},
    {"\\p{Lu}\\p{Ll}*", "", "[$0]"},
    {"\\P{L}+", "", "[$0]"},
    {"\\p{IsN}+", "", "[$0]"},
    {"\\p{Alpha}+", "", "[$0]"},
    {"\\P{Alnum}+", "", "[$0]"},
    {"[\\p{Punct}\\p{Space}]+", "", "[$0]"},
    {"[^\\P{ASCII}a-z]+", "", "[$0]"},
    {"\\p{Print}+", "", "[$0]"},
    {"\\p{Cntrl}+", "", "[$0]"},
    {"order$", "", "[$0]"},
    {"order\\Z", "", "[$0]"},
    {"order\\z", "", "[$0]"},
    {"^order", "", "[$0]"},
    {"\\Aorder", "", "[$0]"},
    {"$", "", "[$0]"},
    {".$", "", "[$0]"},
    {"^.*$", "", "[$0]"},
    {"[^x]*$", "", "[$0]"},
    {"(.)\\1", "", "[$0]"},
    {"(?<c>.)\\k<c>", "", "[$0]"},
    {"(.)\\11", "", "[$0]"},
    {"\\Qa.b\\E.*", "", "[$0]"},
    {"\\Q.\\E", "", "[$0]"},
    {"\\Qa", "", "[$0]"},
    {"\\x61\\u0062\\x{63}\\0144", "", "[$0]"},
    {"\\ud83d\\ude00|\\t|\\cJ|\\e", "", "[$0]"},
    {"[\\x{1F600}-\\x{1F64F}]+", "", "[$0]"},
    {"a{2}|b{1,}|c{0,2}", "", "[$0]"},
    {"a++b|(?>o|or)der", "", "[$0]"},
    {".{2,3}?", "", "[$0]"},
    {"o(?=r)|(?<=o)r", "", "[$0]"},
    {"(?!a).|(?<!b)c", "", "[$0]"},
    {"[]a]|[^]]", "", "[$0]"},
    {"[a-]|[-b]|[a&b]", "", "[$0]"},
    {"()|x", "", "[$1]"},
    {"", "", "[$0]"},
    {"a|", "", "[$0]"},
    {"}", "", "[$0]"},
    {"(a|b|o|r)*", "", "[$1]"},
    {"((a)|b)*", "", "[$1$2]"},
    {"(\\w+)\\.(\\w+)(?:\\.(\\w+))?", "", "$2-$1-$3"},
  };
  static final String[] SUBJECTS = {
    "", "a", "ab", "aab", "order", "Order", "ORDERs", "order\n", "order\r\n", "order\u0085", "order\r", "order\u2028x",
    "a.b.c", "abcd", "abcdefghijk1", "x order-1 é É", "12 ab_", "\u212a\u0130 k", "\t\u3000\u000b 7",
    "\r\u2029c_AA", "😀😃", "a]b-c&}",
    "^$\\", "É\u0301\u0001", "aabbaa11", "\n\n",
  };

  static String escape(String text) {
    StringBuilder escaped = new StringBuilder();
    for (byte b : text.getBytes(StandardCharsets.UTF_8)) {
      if (b > ' ' && b < 0x7f && b != '%') escaped.append((char) b);
      else escaped.append(String.format("%%%02X", b & 0xff));
    }
    return escaped.toString();
  }

  static String replaceFirst(Matcher matcher, String replacement) {
    try {
      return escape(matcher.replaceFirst(replacement));
    } catch (IllegalArgumentException | IndexOutOfBoundsException e) {
      return "!";
    }
  }

  public static void main(String[] args) {
    for (String[] row : PATTERNS) {
      Pattern pattern = Pattern.compile(row[0], row[1].equals("i") ? Pattern.CASE_INSENSITIVE : 0);
      for (String subject : SUBJECTS) {
        Matcher matcher = pattern.matcher(subject);
        System.out.println(
            String.join("\t", escape(row[0]), row[1], escape(subject), escape(row[2]), matcher.matches() ? "1" : "0",
                replaceFirst(matcher, row[2])));
      }
    }
  }
}
