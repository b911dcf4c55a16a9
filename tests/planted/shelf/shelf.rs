//! shelf: reads a library's list of books, puts it into shelf order for several
//! reading rooms, merges repeated entries and prints the first of each room.
//!
//!     shelf BOOKS

use std::collections::{BTreeMap, HashMap};
use std::fmt::Write;

#[derive(Clone, Debug)]
struct Book {
    author: String,
    title: String,
    year: u16,
    copies: u32,
    room: u8,
}

struct Random(u64);

impl Random {
    fn next(&mut self, below: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 20) as usize % below
    }

    fn pick<'a>(&mut self, words: &[&'a str]) -> &'a str {
        words[self.next(words.len())]
    }
}

const SYLLABLES: [&str; 14] = [
    "ba", "ler", "mon", "ti", "sö", "ka", "ro", "nden", "é", "vi", "st", "go", "hu", "ly",
];
const NOUNS: [&str; 10] = [
    "Garden", "Voyage", "Winter", "History", "Machine", "River", "Éclair", "Treasure", "House", "Night",
];
const LINKS: [&str; 5] = ["of the", "and the", "without a", "in", "beyond the"];

fn name(random: &mut Random) -> String {
    let mut name = String::new();
    for _ in 0..2 + random.next(3) {
        name.push_str(random.pick(&SYLLABLES));
    }
    let mut letters = name.chars();
    match letters.next() {
        Some(first) => first.to_uppercase().collect::<String>() + letters.as_str(),
        None => name,
    }
}

/// The list as the library sends it: one book a line, fields divided by bars.
fn make_list(books: usize) -> String {
    let mut random = Random(88172645463325252);
    let authors: Vec<String> = (0..books / 12 + 1)
        .map(|_| format!("{}, {}", name(&mut random), name(&mut random)))
        .collect();
    let mut list = String::new();
    for _ in 0..books {
        let author = &authors[random.next(authors.len())];
        let (first, link, second) = (random.pick(&NOUNS), random.pick(&LINKS), random.pick(&NOUNS));
        let year = 1900 + random.next(120);
        let room = random.next(4);
        writeln!(list, "{author}|The {first} {link} {second}|{year}|{}|{room}", 1 + random.next(3)).unwrap();
    }
    list
}

fn parse_line(line: &str) -> Option<Book> {
    let mut fields = line.split('|');
    Some(Book {
        author: fields.next()?.trim().to_string(),
        title: fields.next()?.trim().to_string(),
        year: fields.next()?.parse().ok()?,
        copies: fields.next()?.parse().ok()?,
        room: fields.next()?.parse().ok()?,
    })
}

struct Library {
    books: Vec<Book>,
}

impl Library {
    fn read(list: &str) -> Library {
        Library { books: list.lines().filter_map(parse_line).collect() }
    }

    fn room(&self, room: u8) -> Library {
        Library { books: self.books.iter().filter(|book| book.room == room).cloned().collect() }
    }

    /// Author, then title without regard to capitals, then year.
    fn put_in_order(&mut self) {
        self.books.sort_by_key(|book| (book.author.to_lowercase(), book.title.to_lowercase(), book.year));
    }

    /// Adds up the copies of entries that stand for the same edition.
    fn merge_repeats(&mut self) -> usize {
        let before = self.books.len();
        self.books.dedup_by(|later, first| {
            let same = later.author == first.author && later.title == first.title && later.year == first.year;
            if same {
                first.copies += later.copies;
            }
            same
        });
        before - self.books.len()
    }

    fn decades(&self) -> BTreeMap<u16, u32> {
        let mut decades = BTreeMap::new();
        for book in &self.books {
            *decades.entry(book.year / 10 * 10).or_insert(0) += book.copies;
        }
        decades
    }

    fn commonest_word(&self) -> Option<(String, usize)> {
        let mut counts: HashMap<&str, usize> = HashMap::new();
        for book in &self.books {
            for word in book.title.split_whitespace().filter(|word| word.len() > 3) {
                *counts.entry(word).or_default() += 1;
            }
        }
        let (word, count) = counts.into_iter().max_by_key(|&(word, count)| (count, word))?;
        Some((word.to_string(), count))
    }

    /// A label for every book's spine: letters of the author, year, check digit.
    fn labels(&self) -> Vec<String> {
        let label = |book: &Book| {
            let mut label: String = book.author.chars().filter(|c| c.is_alphabetic()).take(4).collect();
            let check = book.title.bytes().fold(0u32, |sum, byte| (sum * 10 + u32::from(byte)) % 97);
            write!(label, "-{}-{check:02}", book.year).unwrap();
            label
        };
        self.books.iter().map(label).collect()
    }
}

fn main() {
    let books = std::env::args().nth(1).and_then(|arg| arg.parse().ok()).unwrap_or(700_000);
    let library = Library::read(&make_list(books));
    for number in 0..4 {
        let mut room = library.room(number);
        room.put_in_order();
        let repeats = room.merge_repeats();
        let labels = room.labels();
        let busiest = room.decades().into_iter().max_by_key(|&(_, copies)| copies);
        println!("room {number}: {} books, {repeats} repeats, busiest decade {busiest:?}", room.books.len());
        println!("    first {} {:?}, last {}", labels[0], room.books[0], labels[labels.len() - 1]);
        println!("    commonest word {:?}", room.commonest_word());
    }
}
