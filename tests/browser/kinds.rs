use serde_json::json;

use super::{Stage, cases, drawn, frame, query, share, text_of};

cases![
    two_profiles_show_what_is_gone_and_what_is_new,
    a_chart_keeps_the_order_and_has_an_axis,
    an_inverted_picture_stands_on_its_head,
    the_theme_is_the_readers_or_the_users,
    what_was_cut_is_said,
    the_width_is_the_windows_or_the_users,
    no_frame_is_behind_the_scroll_bar,
    names_are_shortened_by_module,
    a_block_has_the_colour_of_what_weighs_most_in_it,
];

fn two_profiles_show_what_is_gone_and_what_is_new(stage: &Stage) {
    let input = "main;old 40 0\nmain;new 0 20\nmain;same 30 30\n";
    let browser = stage.show(&["--diff", "--no-normalize"], input);
    assert_eq!(drawn(browser), ["all", "main", "new", "old", "same"]);
    assert!((share(browser, "old") - 40.0 / 120.0).abs() < 0.001);
    browser.point_at(&frame("old"));
    let of_old = "old 40 counts before 40 (57.1%) after 0 (0%) gone 33.3% of all self 40 (33.3%)";
    assert_eq!(text_of(browser, "status"), of_old);
    for (name, label) in
        [("old", "old gone"), ("new", "new new"), ("same", "same"), ("main", "main")]
    {
        assert_eq!(browser.text(&format!("{}.textContent", frame(name))), label);
    }
    let color =
        |name: &str| browser.text(&format!("getComputedStyle({}).backgroundColor", frame(name)));
    assert_eq!(color("old"), "rgb(88, 152, 208)");
    assert_eq!(color("new"), "rgb(230, 139, 48)");
    assert_eq!(color("same"), "rgb(234, 234, 234)");
    assert!(text_of(browser, "notes").starts_with(
        "gone less as before, or noise more new total weight 120: 70 before, 50 after, −28.6%"
    ));
    browser.type_keys("4");
    assert_eq!(text_of(browser, "table-sum"), "70 50 −20 all 4 functions");
    // 30 are 43 % of 70 and 60 % of 50: 40 % more.
    let browser = stage.show(&["--diff"], input);
    // Noise explains the others.
    for (name, label) in
        [("old", "old gone"), ("new", "new new"), ("same", "same"), ("main", "main")]
    {
        assert_eq!(browser.text(&format!("{}.textContent", frame(name))), label);
    }
    assert!(text_of(browser, "notes").contains("changes are those of shares of the whole"));
    // With so few samples, the difference may be noise.
    let color = browser.text(&format!("getComputedStyle({}).backgroundColor", frame("same")));
    assert_eq!(color, "rgb(234, 234, 234)");
    browser.point_at(&frame("same"));
    assert!(text_of(browser, "status").contains(" +40.0% noise explains it "));
    // With a hundred times as many it cannot be.
    let hundredfold = "main;old 4000 0\nmain;new 0 2000\nmain;same 3000 3000\n";
    let browser = stage.show(&["--diff"], hundredfold);
    let color = browser.text(&format!("getComputedStyle({}).backgroundColor", frame("same")));
    assert_eq!(color, "rgb(251, 222, 190)");
}

fn a_chart_keeps_the_order_and_has_an_axis(stage: &Stage) {
    let browser = stage.show(&["--flamechart"], "b;x 10\nb 20\nb;x 30\na 40\nb 100\n");
    assert_eq!(drawn(browser), ["a", "all", "b", "b", "x", "x"]);
    let starts = "[...document.querySelectorAll('.frame')].map((e) => e.box.branch.start).sort((a, b) => a - b)";
    assert_eq!(browser.value(starts), json!([0, 0, 0, 30, 60, 100]));
    assert!(text_of(browser, "axis").starts_with("0 20 40"));
    // The second of two frames with the same name.
    browser.click("[...document.querySelectorAll('.frame')].filter((e) => e.ariaLabel.startsWith('b,')).sort((one, two) => two.box.x - one.box.x)[0]");
    assert!(text_of(browser, "axis").starts_with("100 110"));
    browser.reload();
    assert!(text_of(browser, "axis").starts_with("100 110"));
    // The group of narrow frames covers the time over which they are spread.
    let spread = "main;f 1\nmain 3\n".repeat(3000);
    let browser = stage.show(&["--flamechart"], spread);
    let blocks = browser.number(
        "[...document.querySelectorAll('.group')].reduce((sum, e) => sum + e.box.width, 0)",
    );
    let whole = browser.number("document.querySelector('.frame[role]').offsetWidth");
    assert!(blocks > 0.99 * whole, "{blocks} of {whole}");
    // The mark of 2,000 is at the right edge, where there is no room for its number.
    let browser = stage.show(&["--flamechart"], "a 1000\nb 1001\n");
    let axis = text_of(browser, "axis");
    assert!(axis.contains("1,800") && !axis.contains("2,000"), "{axis}");
}

fn an_inverted_picture_stands_on_its_head(stage: &Stage) {
    let browser = stage.show(&["--inverted"], "a;b 1\n");
    let top = |name: &str| browser.number(&format!("{}.getBoundingClientRect().top", frame(name)));
    assert!(top("all") < top("a") && top("a") < top("b"));
    browser.type_keys("i");
    assert!(top("all") > top("a") && top("a") > top("b"));
}

fn the_theme_is_the_readers_or_the_users(stage: &Stage) {
    let paper = "getComputedStyle(document.querySelector('.app')).backgroundColor";
    let (light, dark) = ("rgb(255, 255, 255)", "rgb(20, 23, 28)");
    for (reader, args, expected) in [
        ("light", &[][..], light),
        ("dark", &[], dark),
        ("dark", &["--theme", "light"], light),
        ("light", &["--theme", "dark"], dark),
    ] {
        let scheme = json!([{ "name": "prefers-color-scheme", "value": reader }]);
        stage.browser.chromium("Emulation.setEmulatedMedia", &json!({ "features": scheme }));
        let browser = stage.show(args, "a 1\n");
        assert_eq!(browser.text(paper), expected, "{reader} {args:?}");
        let svg = "getComputedStyle(document.documentElement).backgroundColor";
        assert_eq!(browser.text(svg), expected, "{reader} {args:?}");
    }
    stage.browser.chromium("Emulation.setEmulatedMedia", &json!({ "features": [] }));
}

fn what_was_cut_is_said(stage: &Stage) {
    let browser = stage.show(&["--max-frames", "2"], "a 50\nb 40\nc 7\nd 3\n");
    assert_eq!(drawn(browser), ["[cut]", "a", "all", "b"]);
    assert!(
        text_of(browser, "notes")
            .contains("2 frames (10.0% of the weight) are cut by --max-frames")
    );
    browser.type_keys("4");
    let rows = "[...document.querySelectorAll('.row')].map((row) => row.textContent).join(' ')";
    let expected = "≥ 50≥ 50.0%≥ 50≥ 50.0%a ≥ 40≥ 40.0%≥ 40≥ 40.0%b 1010.0%1010.0%[cut]";
    assert_eq!(browser.text(rows), expected);
    for view in ["flame", "bottom-up", "sandwich", "table"] {
        let fragment = format!("#view={view}");
        let browser = stage.show_at(&fragment, &["--max-frames", "0"], "a 1\nb 1\n");
        assert!(text_of(browser, "notes").contains("are cut by --max-frames"), "{view}");
    }
}

fn the_width_is_the_windows_or_the_users(stage: &Stage) {
    let width = "document.querySelector('.app').clientWidth";
    let browser = stage.show(&[], "a 1\n");
    assert_eq!(browser.number(width), browser.number("innerWidth"));
    let browser = stage.show(&["--width", "640"], "a 1\n");
    assert_eq!(browser.number(width), 640.0);
}

fn no_frame_is_behind_the_scroll_bar(stage: &Stage) {
    let high = vec!["f"; 300].join(";");
    let browser = stage.show(&[], format!("{high} 1\n"));
    let end = format!("Math.round({}.getBoundingClientRect().right)", frame("all"));
    let room = "Math.round(document.querySelector('.stage').getBoundingClientRect().left
        + document.querySelector('.stage').clientWidth)";
    assert_eq!(browser.number(&end) + 1.0, browser.number(room));
    // The margins on both sides are equal.
    assert_eq!(browser.number(room), browser.number("innerWidth") - 12.0);
}

/// The static layer and the viewer must agree.
fn names_are_shortened_by_module(stage: &Stage) {
    let folded = "Stdlib.List.fold_left 10\nalloc::vec::Vec::push 10\nx 10\ny 10\n";
    let browser = stage.show(&["--width", "400"], folded);
    for (name, label) in [
        ("Stdlib.List.fold_left", "\u{2026}fold_left"),
        ("alloc::vec::Vec::push", "\u{2026}Vec::push"),
    ] {
        assert_eq!(browser.text(&format!("{}.textContent", frame(name))), label);
        let drawn = format!(
            "[...document.querySelectorAll('#frames g')]
                .find((g) => g.firstChild.textContent.startsWith('{name} ')).lastChild.textContent"
        );
        assert_eq!(browser.text(&drawn), label);
    }
}

fn a_block_has_the_colour_of_what_weighs_most_in_it(stage: &Stage) {
    let narrow = |kernel: u32, native: u32| -> String {
        let pair = |n| format!("main;f{n} {native}\nmain;f{n}_[k] {kernel}\n");
        (1000..4000).map(pair).collect()
    };
    let blocks = "[...new Set([...document.querySelectorAll('.frame.group')]
        .map((e) => getComputedStyle(e).backgroundColor))].join(' ')";
    let entry = |word: &str| {
        let find = format!(
            "getComputedStyle([...document.querySelectorAll('.kind')]
                .find((e) => e.textContent.startsWith('{word}')).firstChild)"
        );
        stage.browser.text(&format!("{find}.backgroundColor"))
    };
    for (kernel, native, word) in [(3, 2, "kernel"), (2, 3, "own code")] {
        let browser = stage.show(&[], narrow(kernel, native));
        assert_eq!(browser.text(blocks), entry(word));
    }
    // They are hatched, and the legend explains it.
    let hatching = |class: &str| {
        let style = format!("getComputedStyle(document.querySelector('{class}'))");
        stage.browser.text(&format!("{style}.backgroundImage"))
    };
    assert!(hatching(".group").starts_with("repeating-linear-gradient"));
    assert_eq!(hatching(".group"), hatching(".narrow"));
    assert!(text_of(&stage.browser, "notes").contains("narrow frames"));
    // After a search, they are as before.
    query(&stage.browser, "f2");
    assert_ne!(stage.browser.text(blocks), entry("own code"));
    query(&stage.browser, "");
    assert_eq!(stage.browser.text(blocks), entry("own code"));
    let modules: String = (1000..4000).map(|n| format!("main;M.f{n} 2\nmain;N.f{n} 3\n")).collect();
    let browser = stage.show(&["--colors", "module"], modules);
    assert_eq!(browser.text(blocks), format!("{} {}", entry("M"), entry("N")));
}
