//! The map as a picture: SVG that any viewer shows, with data for the script, which
//! puts a page over it in a browser.

use std::io;

use common::heat::{COLORS, ROUND, SHADES};
use common::numbers::{Unit, counted, grouped, seconds};
use common::{
    folded::ThreadState,
    names::{CodeKind, printable},
    picture::Theme,
};
use quick_xml::Writer;
use quick_xml::events::{BytesCData, BytesText};

use crate::by::By;
use crate::heat::Heat;
use crate::viewer::{SCRIPT, STYLE};

/// The width of the whole and of its margins, in pixels.
const WIDTH: usize = 1200;
const RIGHT: usize = 20;
const TOP: usize = 64;
/// The left margin for starts of fractions, and for names.
const FRACTIONS: usize = 80;
const NAMES: usize = 200;
/// The lines below the map.
const BELOW: usize = 76;

/// The height of a row: smaller if there are many.
const ROW: usize = 16;
const LOW_ROW: usize = 11;
const MANY_ROWS: usize = 40;

/// The least distance of times on the axis.
const MARK_WIDTH: usize = 90;

/// How many stripes a row has whose threads have no processor.
const STRIPES: usize = 120;

/// How many letters of a name fit into its margin.
const LETTERS: usize = 26;

/// What is drawn, and how.
pub(crate) struct Picture<'a> {
    pub(crate) heat: &'a Heat,
    pub(crate) unit: &'a str,
    pub(crate) title: &'a str,
    pub(crate) theme: Theme,
}

type Svg = Writer<Vec<u8>>;

impl Picture<'_> {
    /// The bytes of the file.
    pub(crate) fn draw(&self) -> Vec<u8> {
        let mut svg = Writer::new(Vec::new());
        self.write(&mut svg).expect("memory can be written");
        let mut bytes = svg.into_inner();
        bytes.push(b'\n');
        bytes
    }

    fn write(&self, svg: &mut Svg) -> io::Result<()> {
        let height = TOP + self.map_height() + BELOW;
        let (class, view) = (self.theme.class("stack-heat"), format!("0 0 {WIDTH} {height}"));
        let [width, height] = [WIDTH, height].map(|pixels| pixels.to_string());
        let root = svg.create_element("svg").with_attributes([
            ("xmlns", "http://www.w3.org/2000/svg"),
            ("class", &class),
            ("width", &width),
            ("height", &height),
            ("viewBox", &view),
            ("font-family", "system-ui, sans-serif"),
            ("font-size", "12"),
        ]);
        root.write_inner_content(|svg| {
            text_element(svg, "title", &[], self.title)?;
            text_element(svg, "desc", &[], &self.summary())?;
            cdata(svg, "style", &STYLE)?;
            let ground = [("class", "paper"), ("width", "100%"), ("height", "100%")];
            let ground = svg.create_element("rect").with_attributes(ground);
            ground.with_attribute(("fill", "#ffffff")).write_empty()?;
            self.write_head(svg)?;
            self.write_map(svg)?;
            self.write_names(svg)?;
            self.write_times(svg)?;
            self.write_legend(svg)?;
            self.write_data(svg)?;
            cdata(svg, "script", &SCRIPT)
        })?;
        Ok(())
    }

    fn map_height(&self) -> usize {
        let rows = self.heat.lines.len();
        rows * if rows > MANY_ROWS { LOW_ROW } else { ROW }
    }

    fn left(&self) -> usize {
        if self.heat.by.is_some() { NAMES } else { FRACTIONS }
    }

    fn map_width(&self) -> usize {
        WIDTH - RIGHT - self.left()
    }

    /// What a column and a row are, in words.
    fn summary(&self) -> String {
        let heat = self.heat;
        let rows = match &heat.by {
            Some(by) => format!("a row for each {}", visible(&by.singular())),
            None => format!("{} rows from its start upwards", heat.lines.len()),
        };
        let column = seconds(heat.width);
        let whole = heat.both_times(&Unit::named(self.unit));
        let whole = whole.unwrap_or_else(|| format!("{} in all", self.weight(heat.total)));
        format!("a column is {column} s, {rows}; {whole}")
    }

    fn weight(&self, weight: u64) -> String {
        visible(&Unit::named(self.unit).words(weight))
    }

    fn write_head(&self, svg: &mut Svg) -> io::Result<()> {
        let head = [("x", "20"), ("y", "28"), ("class", "head"), ("font-size", "17")];
        text_element(svg, "text", &head, self.title)?;
        text_element(svg, "text", &[("x", "20"), ("y", "48"), ("class", "note")], &self.summary())
    }

    /// The cells of each shade as one path, in a picture whose unit is a cell: the
    /// script moves and stretches it as it is.
    fn write_map(&self, svg: &mut Svg) -> io::Result<()> {
        let (columns, rows) = (self.heat.columns, self.heat.lines.len());
        let place = [
            ("x", self.left().to_string()),
            ("y", TOP.to_string()),
            ("width", self.map_width().to_string()),
            ("height", self.map_height().to_string()),
            ("viewBox", format!("0 0 {columns} {rows}")),
        ];
        let map = svg.create_element("svg").with_attributes([
            ("class", "map"),
            ("preserveAspectRatio", "none"),
            ("shape-rendering", "crispEdges"),
        ]);
        let place = place.iter().map(|(key, value)| (*key, value.as_str()));
        map.with_attributes(place).write_inner_content(|svg| {
            let ground = svg.create_element("rect").with_attribute(("class", "ground"));
            let size = [("width", "100%"), ("height", "100%"), ("fill", "#f5f6f8")];
            ground.with_attributes(size).write_empty()?;
            for (shade, path) in self.paths().iter().enumerate().filter(|(_, it)| !it.is_empty()) {
                let class = format!("s{}", shade + 1);
                let place = [("class", class.as_str()), ("fill", COLORS[shade]), ("d", path)];
                line_end(svg)?;
                svg.create_element("path").with_attributes(place).write_empty()?;
            }
            self.write_states(svg)
        })?;
        Ok(())
    }

    /// Where rows are states of threads, those that do not run show it: a veil makes the row of
    /// `waiting` pale, and that of `runnable` striped.
    fn write_states(&self, svg: &mut Svg) -> io::Result<()> {
        let is_by_state = self.heat.by.as_ref().is_some_and(|by| by.key() == "state");
        let lines = self.heat.lines.iter().enumerate().filter(|_| is_by_state);
        for (row, line) in lines {
            let state = ThreadState::of_label(line.value.as_bytes());
            let (y, columns) = (self.y_of(row), self.heat.columns);
            let veil = match state.and_then(CodeKind::of_state) {
                Some(CodeKind::Waiting) => format!("M0 {y}h{columns}v1h-{columns}z"),
                Some(CodeKind::Runnable) => stripes(y, columns),
                _ => continue,
            };
            let look = [("class", "ground"), ("fill", "#f5f6f8"), ("fill-opacity", "0.6")];
            line_end(svg)?;
            let path = svg.create_element("path").with_attributes(look);
            path.with_attributes([("pointer-events", "none"), ("d", &veil)]).write_empty()?;
        }
        Ok(())
    }

    fn paths(&self) -> Vec<String> {
        let mut paths = vec![String::new(); SHADES];
        for (row, line) in self.heat.lines.iter().enumerate() {
            let y = self.y_of(row);
            let weights = line.weights(self.heat.columns);
            let shades = weights.iter().map(|&weight| self.heat.shades.of_weight(weight));
            let shades: Vec<usize> = shades.collect();
            let mut x = 0;
            for run in shades.chunk_by(|one, other| one == other) {
                let cells = run.len();
                if run[0] > 0 {
                    paths[run[0] - 1].push_str(&format!("M{x} {y}h{cells}v1h-{cells}z"));
                }
                x += cells;
            }
        }
        paths
    }

    /// Fractions of time grow upwards; of names the first is on top.
    fn y_of(&self, row: usize) -> usize {
        if self.heat.by.is_some() { row } else { self.heat.lines.len() - 1 - row }
    }

    /// The texts before the rows.
    fn write_names(&self, svg: &mut Svg) -> io::Result<()> {
        let rows = self.heat.lines.len();
        let height = self.map_height() as f64 / rows as f64;
        let x = (self.left() - 8).to_string();
        for row in 0..rows {
            let Some(name) = self.heat.name(row, LETTERS) else { continue };
            let y = TOP as f64 + (self.y_of(row) as f64 + 0.5) * height + 4.0;
            let place = [
                ("x", x.as_str()),
                ("y", &format!("{y:.1}")),
                ("class", "note"),
                ("text-anchor", "end"),
            ];
            text_element(svg, "text", &place, &name)?;
        }
        Ok(())
    }

    fn write_times(&self, svg: &mut Svg) -> io::Result<()> {
        let y = (TOP + self.map_height() + 16).to_string();
        let column = self.map_width() as f64 / self.heat.columns as f64;
        for (at, time) in self.heat.marks(self.map_width() / MARK_WIDTH) {
            let x = format!("{:.1}", self.left() as f64 + at * column);
            let place = [("x", x.as_str()), ("y", &y), ("class", "note")];
            text_element(svg, "text", &place, &format!("{} s", seconds(time)))?;
        }
        Ok(())
    }

    fn write_legend(&self, svg: &mut Svg) -> io::Result<()> {
        let y = TOP + self.map_height() + 44;
        let legend: Vec<_> = self.heat.shades.legend().collect();
        let step = (WIDTH - RIGHT - 20) / SHADES;
        for (at, (shade, least, most)) in legend.into_iter().enumerate() {
            let [x, beside, square, below] =
                [20 + at * step, 38 + at * step, y - 11, y].map(|pixels| pixels.to_string());
            let class = format!("s{shade}");
            let place = [("x", x.as_str()), ("y", &square), ("width", "13"), ("height", "13")];
            let color = [("class", class.as_str()), ("fill", COLORS[shade - 1])];
            let square = svg.create_element("rect").with_attributes(place);
            square.with_attributes(color).write_empty()?;
            let place = [("x", beside.as_str()), ("y", &below), ("class", "note")];
            text_element(svg, "text", &place, &self.range(least, most))?;
        }
        Ok(())
    }

    /// The weights of a shade in words.
    fn range(&self, least: u64, most: u64) -> String {
        let unit = Unit::named(self.unit);
        match unit {
            _ if least == most => visible(&unit.number(most)),
            Unit::Things(_) | Unit::Unknown => {
                format!("{}\u{2013}{}", grouped(least), grouped(most))
            }
            _ => format!("up to {}", unit.number(most)),
        }
    }

    /// Numbers and names for the script, in elements that viewers do not show.
    fn write_data(&self, svg: &mut Svg) -> io::Result<()> {
        let heat = self.heat;
        let nanoseconds = match Unit::named(self.unit) {
            Unit::Time(nanoseconds) => nanoseconds,
            _ => 0,
        };
        let facts = [
            ("data-title", visible(self.title)),
            ("data-summary", self.summary()),
            ("data-by", visible(heat.by.as_ref().map_or("", By::key))),
            ("data-width", heat.width.to_string()),
            ("data-steps", ROUND.map(|step| step.to_string()).join(" ")),
            ("data-columns", heat.columns.to_string()),
            ("data-total", heat.total.to_string()),
            ("data-unit", visible(self.unit)),
            ("data-one", visible(counted(1, self.unit).trim_end())),
            ("data-nanoseconds", nanoseconds.to_string()),
        ];
        let facts = facts.iter().map(|(key, value)| (*key, value.as_str()));
        let element = svg.create_element("metadata").with_attribute(("id", "facts"));
        element.with_attributes(facts).write_empty()?;
        let legend = heat.shades.legend();
        let legend =
            legend.map(|(shade, least, most)| format!("{shade} {}", self.range(least, most)));
        let names = heat.lines.iter().map(|line| line.name.clone());
        let weights = heat.lines.iter().map(|line| weights_text(&line.weights(heat.columns)));
        for (id, lines) in [
            ("legend", legend.collect::<Vec<_>>()),
            ("names", names.collect()),
            ("weights", weights.collect()),
        ] {
            text_element(svg, "metadata", &[("id", id)], &lines.join("\n"))?;
        }
        Ok(())
    }
}

/// Stripes over the row at `y`.
fn stripes(y: usize, columns: usize) -> String {
    let width = columns as f64 / STRIPES as f64;
    let stripe = |at: usize| format!("M{:.2} {y}h{:.2}v1h-{1:.2}z", at as f64 * width, width / 2.0);
    (0..STRIPES).map(stripe).collect()
}

/// Numbers with spaces between them. A 0 is left empty, and zeros at the end are left out: `3  12`
/// is 3, 0, 12.
fn weights_text(weights: &[u64]) -> String {
    let number = |weight: &u64| if *weight == 0 { String::new() } else { weight.to_string() };
    let text = weights.iter().map(number).collect::<Vec<_>>().join(" ");
    text.trim_end().to_owned()
}

/// Text from the command line for the picture.
fn visible(text: &str) -> String {
    printable(text.as_bytes())
}

fn text_element(svg: &mut Svg, name: &str, place: &[(&str, &str)], text: &str) -> io::Result<()> {
    // Each element on a line of its own, for diff and grep.
    line_end(svg)?;
    let element = svg.create_element(name).with_attributes(place.iter().copied());
    let text = text.split('\n').map(visible).collect::<Vec<_>>().join("\n");
    element.write_text_content(BytesText::new(&text))?;
    Ok(())
}

fn cdata(svg: &mut Svg, name: &str, text: &str) -> io::Result<()> {
    line_end(svg)?;
    svg.create_element(name).write_cdata_content(BytesCData::new(text))?;
    Ok(())
}

fn line_end(svg: &mut Svg) -> io::Result<()> {
    svg.get_mut().push(b'\n');
    Ok(())
}
