// Elements of a page that a script puts over its picture.

const HTML = 'http://www.w3.org/1999/xhtml';

function make(tag, className, text = '', attributes = {}) {
  const element = document.createElementNS(HTML, tag);
  if (className) element.className = className;
  if (text) element.textContent = text;
  return setAll(element, attributes);
}

function setAll(element, attributes) {
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  return element;
}

function makeIn(parent, ...rest) {
  return parent.appendChild(make(...rest));
}

// Copies a text; returns whether the browser did it.
async function copyText(text, within) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return copyBySelection(text, within);
  }
}

// For pages without a clipboard, such as those without encryption. It works within a page of HTML:
// where the picture is the whole document, Chromium throws an error.
function copyBySelection(text, within) {
  const area = makeIn(within, 'textarea', 'copied');
  const focus = document.activeElement;
  area.value = text;
  area.select();
  try {
    return document.execCommand('copy');
  } catch {
    return false;
  } finally {
    area.remove();
    focus?.focus();
  }
}

// Puts `app` over the static picture.
function showOver(picture, app) {
  const holder = document.createElementNS('http://www.w3.org/2000/svg', 'foreignObject');
  holder.setAttribute('class', 'viewer');
  holder.setAttribute('width', '100%');
  holder.setAttribute('height', '100%');
  holder.append(app);
  picture.append(holder);
  picture.classList.add('has-viewer');
}
