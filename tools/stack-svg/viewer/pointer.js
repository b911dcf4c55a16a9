// The mouse and the fingers: the wheel scrolls, and with Control it zooms around the pointer;
// dragging moves the picture, two fingers do both.

// A move of fewer pixels is a shaking hand.
const SHAKE = 4;

const pointers = new Map();

// What is dragged, once it has moved: the picture or the map.
let isDragged = false;

// Which part of the width the event is at.
function partOf(x) {
  const { left } = page.frames.getBoundingClientRect();
  return Math.min(Math.max((x - left) / page.stage.clientWidth, 0), 1);
}

let gesture = 0;

// Shows the new range at the next repaint. It becomes a step of the history when the hand rests,
// since browsers refuse many steps in a row.
function rangeMoved() {
  soon(renderRange);
  clearTimeout(gesture);
  gesture = setTimeout(() => remember(true), 300);
}

const LINE = 16;
const PAGE = 400;

function onWheel(event) {
  if (state.view === 'table' || event.altKey) return;
  const unit = [1, LINE, PAGE][event.deltaMode];
  const [x, y] = [event.deltaX * unit, event.deltaY * unit];
  const isZoom = event.ctrlKey || event.metaKey;
  const isAside = event.shiftKey || Math.abs(x) > Math.abs(y);
  // The wheel scrolls; a picture in a page leaves it to the page.
  if (!isZoom && !(isAlone && isAside)) return hintAtZoom();
  event.preventDefault();
  if (isAside) {
    moveRange((Math.abs(x) > Math.abs(y) ? x : y) / page.stage.clientWidth);
  } else {
    // Browsers send two fingers on a touch pad as small steps of the wheel with Control.
    const isPinch = event.ctrlKey && Math.abs(y) < 50;
    const step = Math.max(-200, Math.min(y, 200));
    scaleRange(Math.exp(step * (isPinch ? 0.01 : 0.003)), partOf(event.clientX));
  }
  rangeMoved();
}

// Says how to zoom, where there is nothing to scroll.
function hintAtZoom() {
  const { scrollHeight, clientHeight } = page.stage;
  if (isAlone && scrollHeight <= clientHeight + 1) say('Ctrl and the wheel zoom in and out');
}

function onPointerDown(event) {
  isTouch = event.pointerType === 'touch';
  if (state.view === 'table' || event.button !== 0) return;
  isDragged = false;
  pointers.set(event.pointerId, { x: event.clientX, y: event.clientY });
}

function onPointerMove(event) {
  const held = pointers.get(event.pointerId);
  if (held === undefined) return onPointer(event);
  // The button was released outside of the window.
  if (event.buttons === 0) return onPointerEnd(event);
  const { clientX: x, clientY: y } = event;
  if (!isDragged && Math.hypot(x - held.x, y - held.y) < SHAKE) return;
  if (!isDragged) {
    isDragged = true;
    page.stage.setPointerCapture(event.pointerId);
    page.stage.classList.add('dragged');
  }
  const others = [...pointers.values()].filter((one) => one !== held);
  if (others.length === 0) dragTo(held, x, y);
  else pinch(held, others[0], x);
  [held.x, held.y] = [x, y];
}

function dragTo(held, x, y) {
  moveRange((held.x - x) / page.stage.clientWidth);
  // A finger scrolls without help.
  page.stage.scrollTop += held.y - y;
  rangeMoved();
}

function pinch(held, other, x) {
  const [before, after] = [held.x, x].map((one) => Math.max(20, Math.abs(one - other.x)));
  scaleRange(before / after, partOf(other.x));
  rangeMoved();
}

function onPointerEnd({ pointerId }) {
  pointers.delete(pointerId);
  page.stage.classList.remove('dragged');
}

// The end of a drag is not a click.
function dropClick(event) {
  if (isDragged) event.stopPropagation();
  isDragged = false;
}

let isTouch = false;
let tapped = null;

// A finger cannot point: its first tap on a box shows it, the second is a click.
function isFirstTap(box) {
  const before = tapped;
  tapped = isTouch ? box.branch ?? box.branches?.[0] ?? box : null;
  return tapped !== before && isTouch;
}

function showTapped(box, event) {
  if (box.branch !== undefined) {
    state.current = box.branch;
    markCurrent(false);
    showStatus();
  }
  showTip(box, event);
}

function listenToPointers() {
  listen(page.stage, { wheel: onWheel }, { passive: false });
  listen(page.stage, {
    pointerdown: onPointerDown, pointermove: onPointerMove, pointerup: onPointerEnd, pointercancel: onPointerEnd,
  });
  listen(page.stage, { click: dropClick }, { capture: true });
}
