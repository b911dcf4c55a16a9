// The colours of boxes: those of the data on light paper, deep ones of the same hues in the dark.

// Whether the page is dark now; paper is light. Nothing is known before it is drawn.
let isDark = null;

const darkSystem = matchMedia('(prefers-color-scheme: dark)');

// Follows the user's theme or the reader's system, as style.css does. To ask for the computed style
// would make the browser lay out the page.
function noteTheme() {
  const { classList } = picture;
  const isWanted = classList.contains('dark') || (darkSystem.matches && !classList.contains('light'));
  const wasDark = isDark;
  isDark = isWanted && !isOnPaper;
  if (isDark === wasDark) return;
  for (const square of page.notes.querySelectorAll('.square')) {
    if (square.color) square.style.backgroundColor = onPage(square.color, square.color);
  }
}

// The deep colours, each made once.
const deepColors = new Map();

// What a colour of the data, `#rrggbb`, is on this page. A shade of a kind or module comes with the
// colour of that, its middle shade.
function onPage(color, middle = '') {
  if (!isDark) return color;
  const key = color + middle;
  if (!deepColors.has(key)) deepColors.set(key, hexOf(middle && hasShades ? shadeInDark(color, middle) : deep(color)));
  return deepColors.get(key);
}

const colorOfName = (name) => onPage(colorsOfNames[name], classesOfNames[name]);

// The colour of a name's kind or module.
const colorOfClass = (name) => onPage(classesOfNames[name], classesOfNames[name]);

// Whether names of one kind or module differ by their shades.
const hasShades = !isDiff && colorsOfNames.some((color, name) => color !== classesOfNames[name]);

const rgbOf = (color) => [1, 3, 5].map((at) => parseInt(color.slice(at, at + 2), 16));
const hexOf = (parts) => `#${parts.map((part) => Math.round(Math.min(part, 255)).toString(16).padStart(2, '0')).join('')}`;

// Grey becomes this, which is little more than the dark paper; letters are light, and no fill has
// more light than this, so that they can be read.
const GREY = [43, 47, 54];
const HUE = 0.95;
const MOST_LIGHT = 0.15;

// The colour without the white in it, on grey: what is pale in the light recedes in the dark.
const hueOnGrey = (parts) => parts.map((part, at) => GREY[at] + HUE * (part - Math.min(...parts)));

const withLight = (parts, light) => parts.map((part) => part * (light / lightOf(parts)) ** (1 / 2.2));

const colorIn = (parts) => Math.max(...parts) - Math.min(...parts);

// What is less than this has no hue.
const LEAST_COLOR = 12;

// A change glows, however small it is; what is as before recedes.
const LEAST_LIGHT_OF_CHANGE = 0.07;

function deep(color) {
  const parts = rgbOf(color);
  const mixed = hueOnGrey(parts);
  const least = isDiff && colorIn(parts) > LEAST_COLOR ? LEAST_LIGHT_OF_CHANGE : 0;
  return withLight(mixed, Math.max(least, Math.min(lightOf(mixed), MOST_LIGHT)));
}

// Shades of one hue differ by their light, also for those who see no red, no green or no blue: from
// the least to the most light. Own code is never as dark as what others wrote.
const LIGHTS = { own: [0.07, MOST_LIGHT], others: [0.028, 0.11], greys: [0.03, 0.06] };

// A shade has this many times the colour of the middle one; plumbing has far less.
const [LEAST_STRENGTH, MOST_STRENGTH] = [0.62, 1.38];
const STRENGTH_OF_PLUMBING = 0.3;

function shadeInDark(color, middle) {
  const [own, of] = [color, middle].map(rgbOf);
  const isGrey = colorIn(of) < LEAST_COLOR;
  const strength = isGrey ? 1 + (Math.min(...of) - Math.min(...own)) / 40 : colorIn(own) / colorIn(of);
  const kind = isGrey ? 'greys' : middle === entryOf('own')?.color ? 'own' : 'others';
  const [least, most] = strength < STRENGTH_OF_PLUMBING ? LIGHTS.greys : LIGHTS[kind];
  const part = (strength - LEAST_STRENGTH) / (MOST_STRENGTH - LEAST_STRENGTH);
  return withLight(hueOnGrey(own), least + (most - least) * Math.max(0, Math.min(1, part)));
}

// The relative luminance of WCAG 2, of red, green and blue from 0 to 255.
function lightOf(parts) {
  const linear = (part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4);
  const [red, green, blue] = parts.map((part) => linear(part / 255));
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}
