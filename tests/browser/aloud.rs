use serde_json::{Value, json};

use super::driver::key;
use super::{Browser, Stage, cases, focused, frame};

cases![a_screen_reader_finds_frames_below_their_callers];

/// The items of a tree as a screen reader gets them: the name, the level, the position among
/// siblings, and the number of siblings.
fn items(browser: &Browser) -> Vec<(String, [u64; 3])> {
    let tree = browser.chromium("Accessibility.getFullAXTree", &json!({}));
    let nodes = tree["nodes"].as_array().expect("nodes");
    let items = nodes.iter().filter(|node| node["role"]["value"] == "treeitem");
    // The order is that of the list of children; nodes may come in another order.
    let order = |node: &Value| {
        let parent = nodes.iter().find(|it| it["nodeId"] == node["parentId"]).expect("a parent");
        let ids = parent["childIds"].as_array().expect("children");
        ids.iter().position(|id| *id == node["nodeId"])
    };
    let number = |node: &Value, name: &str| {
        let properties = node["properties"].as_array().expect("properties");
        let found = properties.iter().find(|it| it["name"] == name);
        found.and_then(|it| it["value"]["value"].as_u64())
    };
    let attribute = |node: &Value, name: &str| {
        let id = &node["backendDOMNodeId"];
        let dom = browser.chromium("DOM.describeNode", &json!({ "backendNodeId": id }));
        let list = dom["node"]["attributes"].as_array().expect("attributes").clone();
        let at = list.iter().position(|it| it == name);
        at.map_or(0, |at| list[at + 1].as_str().expect("text").parse().expect("a number"))
    };
    let mut found: Vec<_> = items.collect();
    found.sort_by_key(|node| order(node));
    let names = found.into_iter().map(|node| {
        let name = node["name"]["value"].as_str().expect("a name");
        let level = number(node, "level").expect("a level");
        let set = ["aria-posinset", "aria-setsize"].map(|name| attribute(node, name));
        (name.split(',').next().expect("a name").to_owned(), [level, set[0], set[1]])
    });
    names.collect()
}

/// The items in the form of the expected text.
fn spoken(browser: &Browser) -> String {
    let items = items(browser).into_iter();
    let words = items.map(|(name, [level, place, set])| format!("{name} {level}: {place}/{set}"));
    words.collect::<Vec<_>>().join(", ")
}

fn a_screen_reader_finds_frames_below_their_callers(stage: &Stage) {
    let browser = stage.show(&[], "main;a;b 10\nmain;a;c 30\nmain;a;tiny 0\nmain;d;b 60\nx;y 20\n");
    let whole = "all 1: 0/0, main 2: 1/2, a 3: 1/2, b 4: 1/2, c 4: 2/2, d 3: 2/2, b 4: 1/1, \
        x 2: 2/2, y 3: 1/1";
    assert_eq!(spoken(browser), whole);
    // Frames that are drawn again must be placed between frames that stay.
    browser.click(&frame("a"));
    assert_eq!(spoken(browser), "all 1: 0/0, main 2: 1/2, a 3: 1/2, b 4: 1/2, c 4: 2/2");
    assert_eq!(focused(browser), json!("a"));
    browser.type_keys(key::DOWN);
    assert_eq!(focused(browser), json!("main"));
    assert_eq!(spoken(browser), whole.split(", x").next().expect("the start"));
    browser.type_keys("0o");
    assert!(spoken(browser).starts_with("all 1: 0/0, main 2: 1/2, d 3: 1/2, b 4: 1/1, a 3: 2/2"));
    browser.type_keys("2");
    assert_eq!(
        spoken(browser),
        "all 1: 0/0, b 2: 1/3, d 3: 1/2, main 4: 1/1, a 3: 2/2, main 4: 1/1, c 2: 2/3, a 3: 1/1, \
         main 4: 1/1, y 2: 3/3, x 3: 1/1"
    );
    // The function of a sandwich has callers and callees.
    browser.type_keys("1");
    browser.click(&frame("a"));
    browser.type_keys("3");
    assert_eq!(spoken(browser), "a 1: 0/0, main 2: 1/3, c 2: 2/3, b 2: 3/3");
}
