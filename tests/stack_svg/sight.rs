use super::draw;
use crate::util::{filter, filter_bytes};

#[test]
fn a_narrow_box_has_the_name_of_the_function() {
    let table = [
        ("std::vector<int>::push_back(int const&)", "\u{2026}push_back"),
        ("<alloc::vec::Vec<T> as core::ops::Drop>::drop", "\u{2026}Vec::drop"),
        ("java.util.HashMap.putVal(int, Object)", "\u{2026}putVal"),
        ("net/http.(*conn).serve", "\u{2026}conn.serve"),
        ("Stdlib.List.fold_left", "\u{2026}fold_left"),
        ("work_of_all (/src/util.c:14)", "work_of_all\u{2026}"),
    ];
    for (name, label) in table {
        // Of 1180 pixels, with room for 11 letters or 12.
        let width = if label.chars().count() > 11 { 95 } else { 90 };
        let picture = draw(&[], format!("{name} {width}\nrest {}\n", 1180 - width));
        assert_eq!(picture.named(name)[0].label, label);
    }
}

#[test]
fn a_box_of_42_pixels_has_some_letters_of_two_columns() {
    let picture = draw(&[], "関数を実行する 42\n関数 42\nrest 1096\n");
    assert_eq!(picture.named("関数を実行する")[0].label, "\u{2026}る");
    assert_eq!(picture.named("関数")[0].label, "関数");
}

#[test]
fn one_sample_is_no_samples() {
    let picture = draw(&["--unit", "samples"], "a 1\nb 2\n");
    assert_eq!(picture.named("a")[0].title, "a (1 sample, 33.33%)");
    assert_eq!(picture.named("b")[0].title, "b (2 samples, 66.67%)");
    for (unit, one) in [("cache-misses", "1 cache-miss"), ("ns", "1 ns"), ("cycles", "1 cycle")] {
        let picture = draw(&["--unit", unit], "a 1\n");
        assert!(picture.texts.contains(&format!("total {one}")), "{:?}", picture.texts);
    }
}

/// All boxes are in the file, so other programs find them.
#[test]
fn a_deep_picture_shows_the_rows_next_to_the_roots() {
    let deep = (0..1000).map(|depth| format!("f{depth}")).collect::<Vec<_>>().join(";");
    let folded = format!("{deep} 3\nf0 1\n");
    for args in [&["--no-script"][..], &["--no-script", "--inverted"]] {
        let picture = draw(args, &folded);
        assert_eq!(picture.frames().len(), 1000);
        assert!((5418..5600).contains(&picture.height), "{}", picture.height);
        let said = "700 levels more, far from the roots, out of sight";
        assert!(picture.texts.iter().any(|text| text == said), "{:?}", picture.texts);
        let svg = String::from_utf8(filter_bytes("stack-svg", args, &folded)).expect("UTF-8");
        let window = svg.split("viewBox=\"0 ").nth(2).expect("a window").split('"').next();
        let window: Vec<f64> = window
            .into_iter()
            .flat_map(|it| it.split(' '))
            .map(|it| it.parse().expect("a number"))
            .collect();
        let y_of = |name: &str| -> f64 {
            let (_, rest) = svg.split_once(&format!("<title>{name} (")).expect("a box");
            let y = rest.split("y=\"").nth(1).expect("an edge").split('"').next();
            y.expect("an edge").parse().expect("a number")
        };
        let is_in_sight = |name: &str| (window[0]..window[0] + window[2]).contains(&y_of(name));
        assert!(is_in_sight("all") && is_in_sight("f0") && is_in_sight("f299"), "{window:?}");
        assert!(!is_in_sight("f300") && !is_in_sight("f999"), "{window:?}");
    }
    assert_eq!(
        filter("stack-parse", &[], filter_bytes("stack-svg", &["--no-script"], &folded)),
        format!("f0 1\n{deep} 3\n")
    );
    // A narrow tower ends with the page.
    let tower = format!("{} 1\nlow 200\n", vec!["t"; 400].join(";"));
    assert!(draw(&[], tower).height < 1900);
}
