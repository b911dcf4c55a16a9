//! A server for the browser, on this machine only.

use std::collections::HashMap;
use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

type Pages = Arc<Mutex<HashMap<String, Page>>>;

#[derive(Clone)]
struct Page {
    body: Vec<u8>,
    /// The headers: its type, and a policy if there is one.
    headers: String,
}

pub(crate) struct Server {
    port: u16,
    pages: Pages,
    pictures: AtomicUsize,
}

impl Server {
    pub(crate) fn start() -> Server {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
        let port = listener.local_addr().expect("its address").port();
        let pages = Pages::default();
        let served = Arc::clone(&pages);
        // The thread ends with the tests.
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let served = Arc::clone(&served);
                std::thread::spawn(move || answer(&stream, &served));
            }
        });
        Server { port, pages, pictures: AtomicUsize::new(0) }
    }

    /// Serves a picture, with a content security policy if it is not empty, and returns its
    /// address, which no other picture has: a browser does not load the next picture if its
    /// address differs only in the fragment.
    pub(crate) fn add(&self, name: &str, svg: Vec<u8>, policy: &str) -> String {
        let mut headers = "Content-Type: image/svg+xml\r\n".to_owned();
        if !policy.is_empty() {
            headers.push_str(&format!("Content-Security-Policy: {policy}\r\n"));
        }
        let url = self.put(&format!("{name}.svg"), &headers, svg);
        format!("{url}?{}", self.pictures.fetch_add(1, Ordering::Relaxed))
    }

    /// Serves a file with these headers, and returns its address.
    pub(crate) fn put(&self, name: &str, headers: &str, body: Vec<u8>) -> String {
        let page = Page { body, headers: headers.to_owned() };
        self.pages.lock().expect("no panic").insert(format!("/{name}"), page);
        format!("http://127.0.0.1:{}/{name}", self.port)
    }
}

fn answer(mut stream: &TcpStream, pages: &Pages) {
    let mut lines = BufReader::new(stream).lines().map_while(Result::ok);
    let request = lines.next().unwrap_or_default();
    lines.take_while(|line| !line.is_empty()).for_each(drop);
    // GET /picture.svg?7 HTTP/1.1
    let path = request.split([' ', '?']).nth(1).unwrap_or_default();
    let page = pages.lock().expect("no panic").get(path).cloned();
    let (status, page) = match page {
        Some(page) => ("200 OK", page),
        None => ("404 Not Found", Page { body: Vec::new(), headers: String::new() }),
    };
    let head = format!(
        "HTTP/1.1 {status}\r\nConnection: close\r\nContent-Length: {}\r\n{}\r\n",
        page.body.len(),
        page.headers
    );
    // The browser may have left for another page.
    let _ = stream.write_all(head.as_bytes()).and_then(|()| stream.write_all(&page.body));
}
