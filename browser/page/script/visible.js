// What can be seen. Text that is there for machines only (transparent, shrunk to
// a pixel, pushed off the page, in the colour of its background) is not read as
// text of the page; controls in such places stay, since many a page draws its
// own box over a transparent checkbox.

const styleOf = (el) => getComputedStyle(el);

// Whether an element has a box that could be drawn at all.
function isRendered(el) {
  const style = styleOf(el);
  if (style.display === 'contents') return true;
  return style.display !== 'none' && style.display !== '' && style.visibility === 'visible' && checkVisibility(el);
}

const checkVisibility = methodOf(Element.prototype, 'checkVisibility');

// How the text in a place of the walk looks. Each question to a style costs, and
// there are many elements: it is found out for those that hold text to be read.
function lookIn(place) {
  if (place.look === null) place.look = lookWithin(place.el, place.style, lookIn(place.up));
  return place.look;
}

// How the text within an element looks, from how it looks around it.
function lookWithin(el, style, look) {
  const { display, position } = style;
  let hidden = look.hidden || style.opacity === '0' || isClipped(el, style, display, position) || isWarped(el, style, display);
  if (!hidden && position !== 'static') hidden = isOffPage(el);
  const back = style.backgroundColor;
  const paints = back !== 'rgba(0, 0, 0, 0)' && back !== 'transparent';
  const picture = paints ? style.backgroundImage !== 'none' : look.picture || style.backgroundImage !== 'none';
  if (hidden === look.hidden && !paints && picture === look.picture) return look;
  return { hidden, back: paints ? back : look.back, picture };
}

const plainLook = { hidden: false, back: 'rgb(255, 255, 255)', picture: false };

// The ways of hiding text from eyes and not from screen readers: a box of a
// pixel or none that cuts off what does not fit, or a clip that leaves nothing.
function isClipped(el, style, display, position) {
  if (style.clipPath !== 'none' && /^inset\((50|[6-9]\d|100)%/.test(style.clipPath)) return true;
  if (position === 'absolute' || position === 'fixed') {
    if (/^rect\(0px,? 0px,? 0px,? 0px\)|^rect\(1px,? 1px,? 1px,? 1px\)/.test(style.clip)) return true;
  }
  if (display === 'inline' || display === 'contents') return false;
  if (style.overflowX !== 'visible' || style.overflowY !== 'visible') {
    const box = dom.box(el);
    return box.width <= 1 || box.height <= 1;
  }
  return false;
}

// Ways to move or fade text out of sight that are seldom used for anything else.
function isWarped(el, style, display) {
  const { filter } = style;
  if (filter !== 'none' && /opacity\(0(%|\.0+)?\)/.test(filter)) return true;
  if (display === 'inline' || display === 'contents') return false; // neither has its own lines, nor is it moved
  const indent = style.textIndent;
  if (indent.startsWith('-') && parseFloat(indent) <= -500) return true;
  if (style.transform === 'none' && style.scale === 'none') return false;
  const box = dom.box(el);
  return (box.width === 0 || box.height === 0) && offsetWidth(el) > 0;
}
const offsetWidth = propertyOf(HTMLElement, 'offsetWidth');

// Whether a box lies where no scrolling brings it into sight: left of or above
// the page.
function isOffPage(el) {
  const box = dom.box(el);
  if (box.width === 0 && box.height === 0) return false;
  return box.right + scrollX <= 0 && getComputedStyle(dom.page(document)).direction !== 'rtl' || box.bottom + scrollY <= 0 && !isFixedAbove(el);
}

// Bars that slide in from above wait there, and are ordinary otherwise.
const isFixedAbove = (el) => styleOf(el).position === 'fixed';

// Whether text in an element cannot be read for its size or colour. Text over a
// picture is taken to be readable: its colour says nothing there.
function isUnreadable(style, look) {
  if (look.hidden || parseFloat(style.fontSize) < 1) return true;
  const ink = style.color;
  if (isClear(ink)) return style.webkitBackgroundClip !== 'text' && isClear(style.webkitTextFillColor);
  return false;
}

// Text in exactly the colour behind it; only marked, since a picture behind may
// come from elsewhere.
const isCamouflaged = (style, look) => !look.picture && style.color === look.back && style.webkitTextFillColor === look.back;

const isClear = (colour) => /^rgba\(.*,\s*0\)$|^transparent$/.test(colour);

// The state of a tree that is not drawn though it is there: closed details,
// and content-visibility.
function hidesContent(el, style) {
  return style.contentVisibility === 'hidden';
}
const isClosedDetails = (el) => tagOf(el) === 'details' && !dom.has(el, 'open');

const BLOCK = /^(block|flex|grid|table|list-item|flow-root|inline-block|inline-flex|inline-grid|table-.*)$/;
const blocks = new Map(); // what the pattern says of the few values that there are
function isBlock(style) {
  const { display } = style;
  let is = blocks.get(display);
  if (is === undefined) blocks.set(display, is = BLOCK.test(display));
  if (is || style.float !== 'none') return true;
  const { position } = style;
  return position === 'absolute' || position === 'fixed';
}

// What cannot hold anything to read.
const SKIP = new Set(['script', 'style', 'template', 'noscript', 'head', 'meta', 'link', 'title', 'base', 'param', 'source', 'track', 'datalist',
  'noembed', 'noframes', 'colgroup', 'col', 'rp']);

// Scrolls and measures for acts.
const viewport = () => ({ width: dom.clientWidth(dom.page(document)) || innerWidth, height: dom.clientHeight(dom.page(document)) || innerHeight });
