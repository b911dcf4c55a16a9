// The page over the picture: made once, and laid out for each size of the window.

const SVG = 'http://www.w3.org/2000/svg';

// The heights of rows, in pixels: rows with names must have room for a letter.
const [LOWEST_ROW, HIGHEST_ROW] = hasNames ? [14, 26] : [3, 40];

// The room above and below the rows, as in style.css.
const MARGIN = 4;

// The least distance of times on the axis, in pixels.
const TIME_WIDTH = 90;

const HINT = 'Select a time: drag, or click on its start and its end; or arrow keys and Enter.';

const page = makePage();

function makePage() {
  const app = make('div', 'app');
  const header = makeIn(app, 'header');
  makeIn(header, 'h1', '', facts.title);
  makeIn(header, 'p', '', facts.summary);
  const content = makeIn(app, 'div', 'content');
  const scroll = makeIn(content, 'div', 'scroll');
  const lines = makeIn(scroll, 'div', 'rows');
  const labels = makeIn(lines, 'div', 'names');
  const stage = makeIn(lines, 'div', 'stage', '', {
    tabindex: '0', role: 'application', 'aria-label': `Heat map. ${HINT}`,
  });
  stage.append(copyOfMap());
  const axis = makeIn(content, 'div', 'axis', '', { 'aria-hidden': 'true' });
  const status = makeIn(app, 'div', 'status', '', { role: 'status', 'aria-live': 'polite' });
  const legend = makeLegend(app);
  const tip = makeIn(app, 'div', 'tip', '', { 'aria-hidden': 'true' });
  return { app, header, content, scroll, lines, labels, stage, axis, status, legend, tip };
}

function copyOfMap() {
  const map = picture.querySelector('.map').cloneNode(true);
  for (const key of ['x', 'y', 'width', 'height']) map.removeAttribute(key);
  return map;
}

function makeLegend(app) {
  const legend = makeIn(app, 'footer', 'legend');
  for (const line of linesOf('legend')) {
    const [shade, ...words] = line.split(' ');
    const entry = makeIn(legend, 'span', '', words.join(' '));
    entry.prepend(make('i', `square s${shade}`));
  }
  return legend;
}

// A layer over the stage, in which a cell is 1 wide and 1 high.
function makeLayer() {
  const layer = document.createElementNS(SVG, 'svg');
  layer.setAttribute('viewBox', `0 0 ${columns} ${rows}`);
  layer.setAttribute('preserveAspectRatio', 'none');
  const paths = ['veil', 'selected', 'cursor'].map((name) => {
    const path = document.createElementNS(SVG, 'path');
    path.setAttribute('class', name);
    return layer.appendChild(path);
  });
  page.stage.append(layer);
  return paths;
}

const isWindow = picture === document.documentElement;

function showPage() {
  showOver(picture, page.app);
  // Otherwise a phone would show the picture as wide as a large screen, and small.
  if (isWindow) {
    const content = 'width=device-width, initial-scale=1';
    picture.append(make('meta', '', '', { name: 'viewport', content }));
  }
  fitToMedia();
  new ResizeObserver(layOut).observe(page.content);
}

// Gives the picture its size on a screen; on paper the static one is used.
function fitToMedia() {
  const paper = matchMedia('print');
  const own = ['viewBox', 'width', 'height'].map((key) => [key, picture.getAttribute(key)]);
  const fit = () => {
    for (const [key, value] of own) picture.setAttribute(key, value);
    if (!paper.matches) fillWindow();
  };
  paper.addEventListener('change', fit);
  fit();
}

function fillWindow() {
  picture.removeAttribute('viewBox');
  picture.setAttribute('width', '100%');
  if (isWindow) picture.setAttribute('height', '100%');
}

function layOut() {
  const room = page.content.clientHeight - page.axis.offsetHeight - 2 * MARGIN;
  const row = Math.min(HIGHEST_ROW, Math.max(LOWEST_ROW, Math.floor(room / rows)));
  page.lines.style.height = `${row * rows}px`;
  page.scroll.style.overflowY = row * rows > room ? 'auto' : 'hidden';
  const wide = hasNames ? Math.min(200, page.content.clientWidth * 0.3) : 76;
  page.labels.style.width = `${wide}px`;
  layOutNames(row);
  layOutTimes(wide);
}

// On the screen, fractions of time grow upwards; of names the first is on top.
const yOf = (row) => (hasNames ? row : rows - 1 - row);

function layOutNames(height) {
  page.labels.replaceChildren();
  const step = hasNames ? 1 : Math.ceil(rows / 5);
  for (let row = 0; row < rows; row += step) {
    const text = hasNames ? names[row] : `+${seconds(startOf(row))} s`;
    const name = makeIn(page.labels, 'div', 'name', text, { title: text });
    name.style.top = `${(yOf(row) + 0.5) * height}px`;
  }
}

function layOutTimes(left) {
  page.axis.replaceChildren();
  page.axis.style.marginLeft = `${left}px`;
  const pixels = page.stage.clientWidth;
  const end = startOf(steps);
  const most = BigInt(Math.max(1, Math.floor(pixels / TIME_WIDTH)));
  const round = facts.steps.split(' ').map(BigInt);
  const step = round.find((one) => end / one < most) ?? round.at(-1);
  for (let time = 0n; time < end; time += step) {
    const x = (Number(time) / Number(end)) * pixels;
    const mark = makeIn(page.axis, 'div', 'time', `${seconds(time)} s`);
    mark.style.left = `${x}px`;
    // The last one may have no room for its number.
    if (x + mark.offsetWidth > pixels) mark.textContent = '';
  }
}
