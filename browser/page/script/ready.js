// Whether an element can be acted on now: there, shown, enabled, at rest, and not
// under another. What is not so yet is waited for.

const pause = (millis) => new Promise((resolve) => { setTimeout(resolve, millis); });

// The next frame; tabs in the background draw none, so time is taken for it there.
// Nothing moves between frames: on a busy machine a short wait would find
// everything at rest.
const nextFrame = () => Promise.race([
  new Promise((resolve) => { requestAnimationFrame(resolve); }), pause(dom.visibility(document) === 'visible' ? 500 : 50),
]);

// Ways to scroll an element to where it can be reached. Bars that stick to an
// edge cover what stops there, so the others are tried as well.
const PLACES = ['center', 'end', 'start'];

// Waits until the element is what need asks for: enabled, editable, point. The
// answer has a point to click in the frame's own coordinates, or why there is
// none.
async function ready(number, need, millis) {
  const end = performance.now() + millis;
  for (let round = 0; ; round++) {
    const found = await look(number, need, round);
    if (!found.why || found.why === 'gone' || found.final || performance.now() >= end) return found;
    await pause(round < 3 ? 20 : 80);
  }
}

async function look(number, need, round) {
  const el = refs.find(number);
  if (!el) return { why: 'gone' };
  const about = { ...aboutOf(el) };
  const obstacle = obstacleOf(el, need);
  if (obstacle) return { ...about, ...obstacle };
  if (!need.point) return about;
  if (!await isStill(el)) return { ...about, why: 'moving' };
  let point = pointOf(el);
  if (point.why && point.why !== 'hidden') {
    dom.intoView(pictureOf(el) || el, { block: PLACES[round % PLACES.length], inline: 'center', behavior: 'instant' });
    if (!await isStill(el)) return { ...about, why: 'moving' };
    point = pointOf(el);
  }
  return { ...about, ...point };
}

function aboutOf(el) {
  const role = roleOf(el);
  return { role: role === 'none' ? '' : role, name: nameOf(el, role === '' ? 'button' : role).name.slice(0, 120) };
}

function obstacleOf(el, need) {
  if (tagOf(el) === 'option' || tagOf(el) === 'optgroup') return { why: 'option', final: true };
  if (need.shown !== false && !isShown(el)) return { why: 'hidden' };
  if (need.enabled && isDisabled(el)) return { why: 'disabled' };
  if (need.editable && isReadOnly(el)) return { why: 'readonly' };
  return null;
}

const isReadOnly = (el) => truth(el, 'aria-readonly') || dom.matches(el, 'input[readonly],textarea[readonly]');

// Whether a box of the element is drawn; that of a descendant, where it has none.
const isShown = (el) => boxesOf(el).length > 0;

function boxesOf(el) {
  if (tagOf(el) === 'area') return areaBoxes(el);
  const style = styleOf(el);
  if (style.display === 'none') return [];
  const own = style.visibility === 'visible' ? [...dom.boxes(el)].filter((box) => box.width > 0 && box.height > 0) : [];
  if (own.length > 0) return own;
  let found = [];
  eachChild(el, (node) => {
    if (isElement(node) && !SKIP.has(tagOf(node))) found = boxesOf(node);
    return found.length === 0;
  });
  return found;
}

// The picture that an area is part of; of anything else, itself.
function pictureOf(el) {
  if (tagOf(el) !== 'area') return el;
  const map = dom.closest(el, 'map');
  const name = map ? dom.attr(map, 'name') : null;
  return name ? dom.find(dom.page(document), `img[usemap="#${CSS.escape(name)}"]`) : null;
}

// The place of an area in its picture.
function areaBoxes(el) {
  const image = pictureOf(el);
  if (!image) return [];
  const box = dom.box(image);
  const at = (dom.attr(el, 'coords') || '').split(',').map(Number).filter((one) => !Number.isNaN(one));
  if (at.length === 3) return [new DOMRect(box.x + at[0] - 1, box.y + at[1] - 1, 2, 2)];
  if (at.length < 4) return [box];
  const xs = at.filter((_, k) => k % 2 === 0);
  const ys = at.filter((_, k) => k % 2 === 1);
  const [left, top] = [Math.min(...xs), Math.min(...ys)];
  return [new DOMRect(box.x + left, box.y + top, Math.max(...xs) - left, Math.max(...ys) - top)];
}

// Whether an element stays where it is from one frame to the next. A frame may
// show the time at which it was looked at already; then another one is waited for.
async function isStill(el) {
  const drawn = pictureOf(el) || el;
  const before = dom.box(drawn);
  const time = now();
  await nextFrame();
  for (let k = 0; k < 3 && now() - time < 4 && dom.visibility(document) === 'visible'; k++) await nextFrame();
  const after = dom.box(drawn);
  return before.x === after.x && before.y === after.y && before.width === after.width && before.height === after.height;
}

// The time that animations go by.
const timeline = getterOf(Document.prototype, 'timeline');
const now = () => Number(timeline(document).currentTime);

// Where in a box to try: in the middle, then away from it.
const SPOTS = [[0.5, 0.5], [0.25, 0.5], [0.75, 0.5], [0.5, 0.25], [0.5, 0.75], [0.1, 0.1], [0.9, 0.9]];

// A point at which a click reaches the element, in this frame's coordinates.
function pointOf(el) {
  const view = viewport();
  const boxes = boxesOf(el).slice(0, 4);
  if (boxes.length === 0) return { why: 'hidden' };
  let cover = null;
  let inView = false;
  for (const [fx, fy] of SPOTS) {
    for (const box of boxes) {
      const x = box.x + box.width * fx;
      const y = box.y + box.height * fy;
      if (x < 0 || y < 0 || x >= view.width || y >= view.height) continue;
      inView = true;
      const over = coverAt(el, x, y);
      if (!over) return { x, y };
      cover = cover || over;
    }
  }
  return inView ? { why: 'covered', cover: coverText(cover) } : { why: 'outside' };
}

// What a click at a point would reach in place of the element; null if it
// reaches it.
function coverAt(el, x, y) {
  if (tagOf(el) === 'area') {
    const over = dom.at(document, x, y);
    return over === el || over === pictureOf(el) ? null : over || dom.page(document);
  }
  const root = dom.root(el);
  const hit = dom.type(root) === DOCUMENT ? dom.at(root, x, y) : dom.atIn(root, x, y);
  if (hit === null) return dom.page(document);
  if (within(hit, el)) return null;
  const control = tagOf(el) === 'label' ? prop.control(el) : null;
  if (control && within(hit, control)) return null;
  for (const label of labelsOf(el)) if (within(hit, label)) return null;
  if (within(el, hit) && !isShownBox(el)) return null; // drawn by its host, or passed through to it
  return hit;
}

// Whether the element takes clicks itself; if not, what holds it does.
const isShownBox = (el) => styleOf(el).pointerEvents !== 'none';

// The element that covers, as one would name it: the dialog rather than the
// paragraph in it.
function coverText(el) {
  let best = el;
  for (let up = el; up && tagOf(up) !== 'body' && tagOf(up) !== 'html'; up = parentOf(up)) {
    const role = roleOf(up);
    if (['dialog', 'alertdialog', 'banner', 'alert', 'region', 'complementary', 'menu', 'listbox', 'tooltip'].includes(role)) {
      best = up;
      break;
    }
    if (best === el && (role !== '' && role !== 'none' || dom.attr(up, 'id'))) best = up;
  }
  const { role, name } = aboutOf(best);
  return { ref: refs.of(best), role: role || dom.tag(best), name: name.slice(0, 80), hint: dom.attr(best, 'id') || (dom.attr(best, 'class') || '').split(' ')[0] };
}

// The point of a frame's document in the document that holds the frame, given
// the frame's element; with what covers it there.
async function through(number, x, y, millis) {
  const end = performance.now() + millis;
  for (let round = 0; ; round++) {
    const el = refs.find(number);
    if (!el) return { why: 'gone' };
    const point = throughOnce(el, x, y);
    if (!point.why || performance.now() >= end) return point;
    dom.intoView(el, { block: 'nearest', inline: 'nearest', behavior: 'instant' });
    scrollTowards(point);
    await nextFrame();
  }
}

function throughOnce(el, x, y) {
  const box = dom.box(el);
  const style = styleOf(el);
  const width = offsetWidth(el) || 0;
  const scale = width > 0 ? box.width / width : 1;
  const at = {
    x: box.x + (dom.clientLeft(el) + parseFloat(style.paddingLeft) + x) * scale,
    y: box.y + (dom.clientTop(el) + parseFloat(style.paddingTop) + y) * scale,
  };
  const view = viewport();
  if (at.x < 0 || at.y < 0 || at.x >= view.width || at.y >= view.height) return { ...at, why: 'outside' };
  const over = coverAt(el, at.x, at.y);
  return over ? { ...at, why: 'covered', cover: coverText(over) } : at;
}

// Brings a point of the window to its middle.
function scrollTowards({ x, y }) {
  const view = viewport();
  if (x < 0 || x >= view.width) scrollBy({ left: x - view.width / 2, behavior: 'instant' });
  if (y < 0 || y >= view.height) scrollBy({ top: y - view.height / 2, behavior: 'instant' });
}
