// The colours of boxes: those of the data on light paper, deep ones of the same hues in the dark.

// Whether the page is dark now; paper is light.
let isDark = false;

// Follows the reader's system.
function noteTheme() {
  isDark = !isOnPaper && getComputedStyle(page.app).colorScheme === 'dark';
  for (const square of page.notes.querySelectorAll('.square')) {
    if (square.color) square.style.backgroundColor = onPage(square.color);
  }
}

// The deep colours, each made once.
const deepColors = new Map();

// What a colour of the data, `#rrggbb`, is on this page.
function onPage(color) {
  if (!isDark) return color;
  if (!deepColors.has(color)) deepColors.set(color, deep(color));
  return deepColors.get(color);
}

// Grey becomes this, which is little more than the dark paper; letters are light, and no fill has
// more light than this, so that they can be read.
const GREY = [43, 47, 54];
const HUE = 0.95;
const MOST_LIGHT = 0.15;

// The colour without the white in it, on grey: what is pale in the light recedes in the dark.
function deep(color) {
  const parts = [1, 3, 5].map((at) => parseInt(color.slice(at, at + 2), 16));
  const white = Math.min(...parts);
  const mixed = parts.map((part, at) => GREY[at] + HUE * (part - white));
  const light = lightOf(mixed);
  const less = light > MOST_LIGHT ? (MOST_LIGHT / light) ** (1 / 2.2) : 1;
  return `#${mixed.map((part) => Math.round(part * less).toString(16).padStart(2, '0')).join('')}`;
}

// The relative luminance of WCAG 2, of red, green and blue from 0 to 255.
function lightOf(parts) {
  const linear = (part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4);
  const [red, green, blue] = parts.map((part) => linear(part / 255));
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}
