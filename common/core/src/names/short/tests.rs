//! What the names of C++ and Rust become.

use proptest::prelude::*;

use super::*;

fn short(name: &str) -> String {
    let short = short_name(name.as_bytes()).unwrap_or_else(|| name.into());
    String::from_utf8(short).expect("UTF-8")
}

#[test]
fn cpp_without_what_the_standard_gives_by_default() {
    const STRING: &str =
        "std::__cxx11::basic_string<char, std::char_traits<char>, std::allocator<char> >";
    for (name, expected) in [
        (STRING, "std::string"),
        (&format!("{STRING}::basic_string(char const*)"), "std::string::string(char const*)"),
        (&format!("{STRING}::~basic_string()"), "std::string::~string()"),
        (&format!("std::vector<{STRING}, std::allocator<{STRING} > >"), "std::vector<std::string>"),
        (
            &format!(
                "std::map<{STRING}, int, std::less<{STRING} >, \
                 std::allocator<std::pair<{STRING} const, int> > >::at({STRING} const&)"
            ),
            "std::map<std::string, int>::at(std::string const&)",
        ),
        (
            "std::unordered_map<int, A<1, 2>, std::hash<int>, std::equal_to<int>, \
             std::allocator<std::pair<const int, A<1, 2> > > >::find(int const&)",
            "std::unordered_map<int, A<1, 2>>::find(int const&)",
        ),
        (
            "std::__1::vector<int, std::__1::allocator<int>>::push_back[abi:v160006](int&&)",
            "std::vector<int>::push_back(int&&)",
        ),
        (
            "std::__fs::filesystem::path::lexically_normal()",
            "std::filesystem::path::lexically_normal()",
        ),
        (
            "std::unique_ptr<A, std::default_delete<A> >::get() const",
            "std::unique_ptr<A>::get() const",
        ),
        (
            "std::priority_queue<int, std::vector<int, std::allocator<int> >, std::less<int> >::top()",
            "std::priority_queue<int>::top()",
        ),
        (
            "std::basic_ostream<wchar_t, std::char_traits<wchar_t> >::operator<<(bool)",
            "std::wostream::operator<<(bool)",
        ),
        (
            "__gnu_cxx::__normal_iterator<int*, std::vector<int, std::allocator<int> > >::base()",
            "std::vector<int>::iterator::base()",
        ),
        (
            "f(__gnu_cxx::__normal_iterator<A const*, std::vector<A, std::allocator<A> > >)",
            "f(std::vector<A>::const_iterator)",
        ),
        ("f<(unsigned long)32, 32ul, (bool)1, (char)-1>()", "f<32, 32, true, -1>()"),
        ("f<(ns::Kind)2, 2.5f, (A*)0>()", "f<(ns::Kind)2, 2.5f, (A*)0>()"),
    ] {
        assert_eq!(short(name), expected);
    }
}

#[test]
fn cpp_keeps_what_somebody_wrote() {
    for name in [
        "std::vector<int, pool<int>>::size()",
        "std::vector<int, std::allocator<long>>",
        "std::map<int, A, std::greater<int>>",
        "std::map<int, A, std::less<int>, std::allocator<std::pair<int const, B>>>",
        "my::vector<int, std::allocator<int>>",
        "std::basic_string<A>::size()",
        "my::__cxx11::f<int>()",
        "std::shared_ptr<A>::get()",
    ] {
        assert_eq!(short(name), name);
    }
}

#[test]
fn cpp_without_return_types() {
    for (name, expected) in [
        ("void std::sort<int*>(int*, int*)", "std::sort<int*>(int*, int*)"),
        ("bool std::operator==<char>(int)", "std::operator==<char>(int)"),
        (
            "std::ostream& std::operator<< <A>(std::ostream&, A)",
            "std::operator<< <A>(std::ostream&, A)",
        ),
        ("bool A<int>::operator()<int>(int) const", "A<int>::operator()<int>(int) const"),
        ("std::function<void (int)> make<int>(int)", "make<int>(int)"),
        ("decltype (x->y) a::g<int>(int)", "a::g<int>(int)"),
        ("decltype(auto) std::visit<X>(Y)", "std::visit<X>(Y)"),
        ("void (*f<int>(int))(char)", "f<int>(int)"),
        ("void (anonymous namespace)::f<int>(int)", "(anonymous namespace)::f<int>(int)"),
        ("void f<int>(int) [clone .isra.0]", "f<int>(int) [clone .isra.0]"),
        (
            "auto std::foo<int>()::{lambda(int)#1}::operator()(int) const",
            "std::foo<int>()::{lambda(int)#1}::operator()(int) const",
        ),
    ] {
        assert_eq!(short(name), expected);
    }
}

#[test]
fn names_with_blanks_of_other_meaning_stay() {
    for name in [
        "Foo::operator std::string() const",
        "Foo::operator unsigned long<int>() const",
        "operator new(unsigned long)",
        "non-virtual thunk to A<int>::f<int>(int)",
        "f<(1 < 2)>(int)",
        "f<((x)->y), (2>1)>()",
        "a::f[abi](int)",
        "JS:*<anonymous> /app/a.js:1",
        "Foo.<init>",
        "static Swift.min<A where A: Swift.Comparable>(A, A) -> A",
        "generic specialization <Swift.Int> of Swift.min<A>(A, A) -> A",
        "net/http.(*conn).serve",
        "Stdlib.(<>)",
        "Data.Map.<$>",
        "Map<K,V>.get(Object)",
        "<lambda(int)>",
        "<",
        "a<",
        "a<b",
        ">",
        "",
    ] {
        assert_eq!(short(name), name);
    }
}

#[test]
fn rust_says_types_of_its_library_by_their_last_names() {
    for (name, expected) in [
        (
            "<alloc::vec::Vec<u8> as core::iter::traits::collect::FromIterator<u8>>::from_iter",
            "<Vec<u8> as FromIterator<u8>>::from_iter",
        ),
        (
            "core::ptr::drop_in_place<alloc::vec::Vec<alloc::string::String>>",
            "core::ptr::drop_in_place<Vec<String>>",
        ),
        ("<std::path::PathBuf>::new", "<PathBuf>::new"),
        (
            "app::_::<impl core::clone::Clone for app::X>::clone",
            "app::_::<impl Clone for app::X>::clone",
        ),
        (
            "<fn(core::option::Option<u8>) -> u8 as core::ops::function::FnOnce<()>>::call_once",
            "<fn(Option<u8>) -> u8 as FnOnce<()>>::call_once",
        ),
    ] {
        assert_eq!(short(name), expected);
    }
}

#[test]
fn rust_keeps_paths_that_tell_types_apart() {
    for name in [
        "alloc::vec::Vec<T,A>::push",
        "core::ops::function::FnOnce::call_once",
        "<core::slice::iter::Iter<u8> as app::T>::f",
        "<std::io::Error as app::T>::f",
        "<alloc::rc::Weak<u8>>::upgrade",
        "<std::sys::fs::unix::ReadDir>::f",
        "<app::vec::Vec<u8>>::push",
        "f::<core::ops::function::FnOnce::call_once<u8>>",
        "f<std::Vec>",
    ] {
        assert_eq!(short(name), name);
    }
}

#[test]
fn go_and_java_are_as_their_own_tools_print_them() {
    for (name, expected) in [
        ("main.Map[go.shape.int,go.shape.string].func1", "main.Map[...].func1"),
        ("main.(*List[go.shape.[]uint8]).Push", "main.(*List[...]).Push"),
        ("a.F[go.shape.struct { b [4]int }](b.G[go.shape.int])", "a.F[...](b.G[...])"),
        ("Ljava/util/Arrays;::sort", "java.util.Arrays.sort"),
        ("Lapp/Main$1:::<init>", "app.Main$1.<init>"),
        // Not theirs, or not whole.
        ("main.Map[int]", "main.Map[int]"),
        ("main.Map[go.shape.int", "main.Map[go.shape.int"),
        ("L;::f", "L;::f"),
        ("List<A;::f", "List<A;::f"),
    ] {
        assert_eq!(short(name), expected);
    }
}

#[test]
fn deep_and_long_names_stay_or_take_little_time() {
    let deep = "a<".repeat(300) + &">".repeat(300);
    assert_eq!(short(&deep), deep);
    let long = format!("std::vector<int, std::allocator<int> >{}", "x".repeat(70_000));
    assert_eq!(short(&long), long);
    let nested = (0..100).fold("int".to_owned(), |inner, _| {
        format!("std::set<{inner}, std::less<{inner} >, std::allocator<{inner} > >")
            .chars()
            .take(60_000)
            .collect()
    });
    assert!(short(&nested).len() <= nested.len());
}

proptest! {
    #[test]
    fn no_name_panics_or_gets_longer(
        name in "(std::|__cxx11::|basic_|string|vector|operator|decltype\\(| |<|>|,|\\(|\\)|\\[|\\]|\\*|-|alloc::vec::Vec|a|::|1ul|\\PC){0,40}"
    ) {
        prop_assert!(short(&name).len() <= name.len());
    }

    #[test]
    fn a_short_name_is_as_short_as_it_gets(function in function_of_cpp()) {
        let once = short(&function);
        prop_assert!(!once.contains("allocator") && !once.contains("basic_") && !once.contains("> >"));
        prop_assert_eq!(short(&once), once);
    }
}

/// The whole name of a function of a template.
fn function_of_cpp() -> impl Strategy<Value = String> {
    let function = prop::sample::select(vec!["a::f", "A::operator()", "operator<< ", "std::sort"]);
    (type_of_cpp(), function, type_of_cpp(), type_of_cpp())
        .prop_map(|(result, name, of, argument)| format!("{result} {name}<{of}>({argument})"))
}

/// The whole name of a type, with all of its arguments.
fn type_of_cpp() -> impl Strategy<Value = String> {
    let plain = prop::sample::select(vec!["int", "a::B*", "unsigned long const&", "void (*)(int)"]);
    plain.prop_map(str::to_owned).prop_recursive(4, 12, 2, |inner| {
        (0..5, inner.clone(), inner).prop_map(|(kind, of, other)| {
            let pair = format!("std::allocator<std::pair<{of} const, {other}> >");
            match kind {
                0 => format!("std::vector<{of}, std::allocator<{of}> >"),
                1 => format!("std::map<{of}, {other}, std::less<{of}>, {pair} >"),
                2 => format!("std::unique_ptr<{of}, std::default_delete<{of}> >&&"),
                3 => format!("a::C<{of}, {other}, 32ul>"),
                _ => "std::__cxx11::basic_string<char, std::char_traits<char>, \
                      std::allocator<char> >"
                    .to_owned(),
            }
        })
    })
}
