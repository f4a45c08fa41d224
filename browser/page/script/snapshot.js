// The walk over a document that becomes a snapshot: one row for everything that
// has a role worth a line, can be used, or is text.
//
// A row: d depth, i reference, r role, n name, t text, v value, s states, l level,
// u address, h hint, c 1 for what can be used, o options and q how many there
// are, m children that were not looked at.

// Roles that get a row of their own; others are seen through.
const SHOWN = new Set(('alert alertdialog application article audio banner blockquote canvas cell columnheader complementary contentinfo ' +
  'definition dialog embed feed figure form grid group heading iframe img list listitem log main marquee menu menubar meter navigation note ' +
  'progressbar radiogroup region row rowheader search separator status table tablist tabpanel term timer toolbar tooltip tree treegrid video ' +
  'listbox gridcell').split(' '));

// Roles that are worth a row only if they have a name, or hold a state.
const SHOWN_IF_NAMED = new Set(['figure', 'group', 'form', 'article', 'img', 'note', 'application']);

const MAX_TEXT = 1000; // characters of one row of text; longer runs are several
const MAX_DEPTH = 600; // of elements within one another
const MAX_OPTIONS = 20; // options of a select that are listed unasked

function snapshot(opts) {
  const walk = {
    rows: [], opts, visits: 0, chars: 0, full: '', hosts: [],
    deadline: performance.now() + opts.millis, text: '', textOwner: null, faint: false, hidden: 0,
  };
  const start = opts.scope ? refs.find(opts.scope) : null;
  if (opts.scope && !start) return { stale: true };
  const modal = start ? null : topModal();
  const from = start || modal || dom.page(document);
  if (from) reading(() => walkElement(walk, from, 0, { ...context(from), scope: start !== null }));
  flush(walk, 0);
  return {
    document: documentID, url: location.href, title: String(dom.title(document)).slice(0, 300), rows: walk.rows, hosts: walk.hosts,
    total: dom.all(document, '*').length, visits: walk.visits, full: walk.full, modal: modal !== null, hidden: walk.hidden,
    view: { ...viewport(), x: Math.round(scrollX), y: Math.round(scrollY), w: dom.scrollWidth(dom.page(document)), h: dom.scrollHeight(dom.page(document)) },
  };
}

// Tells one document from the next.
const documentID = String(Math.random()).slice(2);

// What the walk inherits from around an element.
function context(el) {
  const up = drawnParent(el);
  return { place: { look: plainLook }, pointer: up !== null && styleOf(up).cursor === 'pointer', muted: false, block: el, level: 0, scope: false, voice: true };
}

// The dialog that blocks the rest of the page; the one in front, of several.
function topModal() {
  const list = [...dom.all(document, 'dialog:modal')];
  if (list.length < 2) return list[0] || null;
  return list.find((one) => {
    const box = dom.box(one);
    const hit = dom.at(document, box.x + box.width / 2, box.y + box.height / 2);
    return hit !== null && within(hit, one);
  }) || list[list.length - 1];
}

function isFull(walk) {
  if (walk.full) return true;
  if (walk.rows.length >= walk.opts.rows) walk.full = 'rows';
  else if (walk.visits >= walk.opts.visits) walk.full = 'elements';
  else if (walk.chars >= walk.opts.chars) walk.full = 'characters';
  else if (walk.visits % 64 === 0 && performance.now() > walk.deadline) walk.full = 'time';
  return walk.full !== '';
}

function walkElement(walk, el, depth, ctx) {
  walk.visits++;
  const tag = tagOf(el);
  if (SKIP.has(tag) || isAriaHidden(el) || dom.has(el, 'inert')) return;
  const style = styleOf(el);
  if (style.display === 'none') return tag === 'area' ? emitArea(walk, el, depth, ctx) : undefined;
  const seen = style.visibility === 'visible';
  const what = seen ? kindOf(el, style, ctx) : null;
  const block = isBlock(style) || what !== null;
  if (block) flush(walk, depth);
  const inner = {
    place: { el, style, up: ctx.place, look: null }, pointer: style.cursor === 'pointer', muted: ctx.muted, block: block ? el : ctx.block,
    level: ctx.level + 1, scope: false, voice: seen,
  };
  if (what) emit(walk, el, what, depth, inner, ctx, style);
  else walkChildren(walk, el, depth, inner, style);
  if (block) flush(walk, depth);
}

// The kind of row that an element makes: its role and whether it can be used;
// null for none.
function kindOf(el, style, ctx) {
  const tag = tagOf(el);
  if (tag === 'html' || tag === 'body') return null;
  if (tag === 'label') {
    const proxy = labelKind(el, ctx);
    if (proxy) return proxy;
  }
  const role = roleOf(el);
  if (role === 'none' && !ctx.scope && !isFocusable(el)) return pointerKind(el, '', style, ctx);
  if (USABLE.has(role) && role !== 'gridcell' || role === 'summary') return { role, usable: true };
  const used = pointerKind(el, role, style, ctx);
  if (used) return used;
  if (ctx.muted) return null;
  if (ctx.scope && role !== '' && role !== 'none') return { role, usable: false };
  return SHOWN.has(role) ? { role, usable: role === 'gridcell' && dom.has(el, 'aria-selected') } : null;
}

// What has no role of a control, yet answers to the pointer or the keyboard.
function pointerKind(el, role, style, ctx) {
  const starts = style.cursor === 'pointer' && !ctx.pointer && !ctx.muted;
  const heard = starts ? '' : listensTo(el);
  if (starts || heard === 'click') return { role: SHOWN.has(role) ? role : 'clickable', usable: true, clickable: true };
  if (lower(el, 'draggable') === 'true') return { role: SHOWN.has(role) ? role : 'draggable', usable: true };
  if (heard === 'drop') return { role: SHOWN.has(role) ? role : 'dropzone', usable: true };
  if (dom.has(el, 'tabindex') && prop.tabIndex(el) >= 0) return { role: SHOWN.has(role) ? role : 'focusable', usable: true };
  return null;
}

// Elements that wait for clicks, or for something to be dropped on them, and those
// that hold such. Only the protocol knows, and hands them in.
const listening = { click: new WeakSet(), drop: new WeakSet() };
const holders = new WeakSet();

function listens(kind, list) {
  for (const el of list) {
    if (!isElement(el) || dom.owner(el) !== document) continue;
    const tag = tagOf(el);
    if (tag === 'html' || tag === 'body') continue;
    listening[kind].add(el);
    for (let up = parentOf(el); up && !holders.has(up); up = parentOf(up)) holders.add(up);
  }
  return true;
}

// Which events an element itself waits for. One that holds controls listens for
// them, as a rule: it is none itself.
function listensTo(el) {
  if (dom.has(el, 'onclick') || dom.has(el, 'onmousedown') || listening.click.has(el)) return holdsControls(el) ? '' : 'click';
  return listening.drop.has(el) || dom.has(el, 'ondrop') ? 'drop' : '';
}

const holdsControls = (el) => holders.has(el) || dom.find(el, 'a[href],button,input,select,textarea,[role],[tabindex],[onclick],[draggable=true]') !== null;

// A label speaks for its control. Where the control is not drawn, as with boxes
// that a page draws itself, the label is what one sees and clicks.
function labelKind(el, ctx) {
  const control = prop.control(el);
  if (!control || ctx.muted) return null;
  if (isRendered(control)) return null;
  const role = roleOf(control);
  return ['checkbox', 'radio', 'switch', 'file'].includes(role) ? { role, usable: true, control } : null;
}

// Whether a label's text is already said, as the name of its control.
function isSpoken(el) {
  const control = tagOf(el) === 'label' ? prop.control(el) : null;
  return control !== null && control !== undefined && isRendered(control) && nameOf(control, roleOf(control)).from === 'native';
}

function emit(walk, el, what, depth, inner, ctx, style) {
  const row = rowOf(walk, el, what);
  const holds = OWN.has(what.role) && holdsControls(el);
  const named = readName(el, what, holds);
  if (SHOWN_IF_NAMED.has(what.role) && !what.usable && !ctx.scope && named.name === '' && row.s === undefined) {
    walkChildren(walk, el, depth, inner, style);
    return;
  }
  if (named.name !== '' && named.show) row.n = named.name;
  else if (what.usable && named.name === '' && !holds) row.h = hintOf(el, what.role);
  const placeholder = what.usable && row.v === undefined ? squash(dom.attr(el, 'placeholder') || '').slice(0, 60) : '';
  if (placeholder !== '' && placeholder !== named.name) row.h = placeholder;
  push(walk, row, depth);
  const at = walk.rows.length;
  const mute = inner.muted || named.mute;
  if (!isLeaf(el, what.role)) walkChildren(walk, el, depth + 1, { ...inner, muted: mute, pointer: inner.pointer || what.usable }, style, row);
  flush(walk, depth + 1);
  fold(walk, row, at);
}

// Roles that are ours: of what has none, yet can be used.
const OWN = new Set(['clickable', 'draggable', 'focusable', 'dropzone']);

// The name of a row, whether it is shown, and whether it says all there is to
// read within.
function readName(el, what, holds) {
  const { role, usable } = what;
  if (what.control) return { ...nameOf(what.control, role), show: true, mute: true };
  const own = OWN.has(role);
  if (own && holds) return { name: lower(el, 'aria-label') && dom.attr(el, 'aria-label'), show: true, mute: false };
  if (own) {
    const found = nameOf(el, 'button');
    return { name: found.name.slice(0, 120), show: true, mute: found.from !== '' };
  }
  // What is not a control is read as it looks, text for text: its content need not
  // be put together to a name.
  const looks = !USABLE.has(role) && role !== 'summary' || role === 'gridcell';
  if (looks && !usable && onlyContentNames(el, role)) return { name: '', show: false, mute: false };
  const found = nameOf(el, role);
  const read = looks && found.from === 'content';
  return { name: found.name, show: !read, mute: role === 'textbox' || role === 'searchbox' || !read && found.from === 'content' && usable };
}

const LEAVES = new Set(['textbox', 'searchbox', 'slider', 'spinbutton', 'progressbar', 'meter', 'img', 'iframe', 'video', 'audio', 'canvas',
  'date', 'time', 'month', 'week', 'datetime', 'color', 'file', 'separator', 'scrollbar', 'embed']);

const isLeaf = (el, role) => tagOf(el) === 'select' || LEAVES.has(role) && !isEditHost(el) && shadowOf(el) === null && (role !== 'img' || dom.space(el) !== SVG);

function rowOf(walk, el, what) {
  const from = what.control || el;
  const row = { i: refs.of(el), r: what.role };
  const states = statesOf(from, what.role);
  if (what.clickable && what.role !== 'clickable') states.push('clickable');
  if (states.length > 0) row.s = states;
  const value = valueOf(from, what.role);
  if (value !== '') row.v = value;
  const level = levelOf(el, what.role);
  if (level > 0) row.l = level;
  if (what.usable) row.c = 1;
  if (walk.opts.urls) addAddress(row, el);
  const list = optionsOf(el);
  if (list) addOptions(walk, row, list);
  return row;
}

function addAddress(row, el) {
  const url = prop.href(el) || prop.areaHref(el) || (row.r === 'img' || row.r === 'iframe' ? prop.source(el) || dom.attr(el, 'src') : '');
  if (url) row.u = String(url).slice(0, 500);
}

const optionsOf = (el) => prop.options(el) || (prop.list(el) ? prop.list(el).options : null);

function addOptions(walk, row, list) {
  const most = walk.opts.scope === row.i ? 1000 : MAX_OPTIONS;
  row.q = list.length;
  row.o = [];
  for (let k = 0; k < list.length && k < most; k++) row.o.push(squash(prop.optionLabel(list[k]) || prop.optionValue(list[k]) || '').slice(0, 100));
}

// What to tell apart a control by that has no name.
function hintOf(el, role) {
  const image = dom.find(el, 'img[src], use') || (prop.source(el) ? el : null);
  const source = image ? (prop.source(image) || dom.attr(image, 'href') || dom.attr(image, 'xlink:href') || '').split(/[?#]/)[0].split('/').pop() : '';
  const id = dom.attr(el, 'id');
  const kind = (dom.attr(el, 'class') || '').trim().split(/\s+/)[0];
  const shape = dom.space(el) === SVG ? dom.tag(el) : '';
  return [shape, id ? '#' + id : kind ? '.' + kind : source, USABLE.has(role) ? '' : colourOf(el, shape)].filter(Boolean).join(' ').slice(0, 60) || undefined;
}

// The colour of a plain box or shape, which may be all that tells it apart.
function colourOf(el, shape) {
  const style = styleOf(el);
  const colour = shape ? style.fill : style.backgroundColor;
  const parts = /^rgb\((\d+), (\d+), (\d+)\)$/.exec(colour);
  return parts ? '#' + parts.slice(1).map((one) => Number(one).toString(16).padStart(2, '0')).join('') : '';
}

function push(walk, row, depth) {
  flush(walk, depth);
  row.d = depth;
  walk.chars += (row.n || '').length + (row.v || '').length + (row.u || '').length + 20;
  walk.rows.push(row);
}

// One run of text under a row that says nothing else becomes the row's own.
function fold(walk, row, at) {
  const only = walk.rows[at];
  if (walk.rows.length !== at + 1 || only.r !== 'text') return;
  walk.rows.pop();
  if (row.n !== undefined && row.n.includes(only.t)) return;
  row.t = only.t;
  if (only.s) row.s = [...(row.s || []), ...only.s];
  delete row.h;
}

function walkChildren(walk, el, depth, ctx, style, row) {
  if (hidesContent(el, style)) return;
  if (isShadowCandidate(el)) walk.hosts.push(refs.of(el));
  const muted = ctx.muted || isSpoken(el) || isSaid(el, row);
  const inner = muted === ctx.muted ? ctx : { ...ctx, muted };
  const closed = isClosedDetails(el);
  let left = 0;
  const visit = (node) => {
    if (left > 0 || isElement(node) && (isFull(walk) || ctx.level > MAX_DEPTH)) {
      left += isElement(node) ? 1 : 0;
      return left < 100000;
    }
    if (dom.type(node) === TEXT) {
      if (!closed) addText(walk, node, inner, style);
    } else if (isElement(node) && (!closed || tagOf(node) === 'summary') && !isOwned(node, el)) walkElement(walk, node, depth, inner);
    return true;
  };
  eachChild(el, visit);
  if (dom.has(el, 'aria-owns')) for (const one of named(el, 'aria-owns')) if (!within(el, one)) visit(one);
  if (left > 0) leftOut(walk, row, left, depth);
}

// What was not looked at is told of at the row that holds it.
function leftOut(walk, row, count, depth) {
  for (let k = walk.rows.length - 1; !row && k >= 0; k--) if (walk.rows[k].d < depth) row = walk.rows[k];
  row = row || walk.rows[0];
  if (row) row.m = (row.m || 0) + count;
}

// A caption that its table or group is named by already.
function isSaid(el, row) {
  const tag = tagOf(el);
  if (tag !== 'legend' && tag !== 'caption') return false;
  const up = parentOf(el);
  return up !== null && !row && nameOf(up, roleOf(up)).from === 'native';
}

// An element that another one owns is walked there.
function isOwned(node, parent) {
  const id = ownersIn.size > 0 ? dom.attr(node, 'id') : null;
  if (!id || !ownersIn.has(id)) return false;
  const owner = ownersIn.get(id);
  return owner !== parent && dom.connected(owner) && !within(owner, node);
}
let ownersIn = new Map();
function findOwners() {
  ownersIn = new Map();
  for (const owner of dom.all(document, '[aria-owns]')) for (const id of idList(owner, 'aria-owns')) if (!ownersIn.has(id)) ownersIn.set(id, owner);
}

function addText(walk, node, ctx, style) {
  const data = dom.data(node);
  if (!ctx.voice || ctx.muted) return;
  if (/^\s*$/.test(data)) {
    if (walk.text !== '') walk.text += ' ';
    return;
  }
  const look = lookIn(ctx.place);
  if (isUnreadable(style, look)) {
    walk.hidden++;
    return;
  }
  if (walk.text === '') {
    walk.textOwner = ctx.block;
    walk.faint = true;
  }
  walk.faint = walk.faint && isCamouflaged(style, look);
  walk.text += data.slice(0, Math.max(walk.opts.chars - walk.chars - walk.text.length, 0));
}

// Ends the run of text that was gathered.
function flush(walk, depth) {
  if (walk.text === '') return;
  const whole = squash(walk.text);
  walk.text = '';
  for (const text of pieces(whole)) {
    const row = { d: depth, i: refs.of(walk.textOwner), r: 'text', t: text };
    if (walk.faint) row.s = ['camouflaged'];
    walk.chars += text.length + 20;
    walk.rows.push(row);
  }
}

// Long text in pieces, between words where there are any.
function pieces(text) {
  const list = [];
  for (let at = 0; at < text.length;) {
    const blank = text.length - at > MAX_TEXT ? text.lastIndexOf(' ', at + MAX_TEXT) : text.length;
    const end = blank > at + MAX_TEXT / 2 ? blank : at + MAX_TEXT;
    list.push(text.slice(at, end).trim());
    at = end;
  }
  return list;
}

// The places of a picture that lead somewhere are not drawn themselves.
function emitArea(walk, el, depth, ctx) {
  if (ctx.muted || roleOf(el) !== 'link') return;
  const row = rowOf(walk, el, { role: 'link', usable: true });
  const { name } = nameOf(el, 'link');
  if (name) row.n = name;
  push(walk, row, depth);
}

// Elements that may have a closed shadow root: what is drawn there is in no list
// of children, so these look empty.
const timesAsked = new WeakMap(); // a root may come later, but few do
const MAX_HOSTS = 40;
const HOST_TAGS = new Set(['article', 'aside', 'blockquote', 'div', 'footer', 'header', 'main', 'nav', 'p', 'section', 'span']);

function isShadowCandidate(el) {
  const tag = tagOf(el);
  if (!HOST_TAGS.has(tag) && !tag.includes('-') || shadowOf(el)) return false;
  const custom = tag.includes('-') && dom.matches(el, ':defined');
  if ((timesAsked.get(el) || 0) >= (custom ? 5 : 2)) return false;
  if (!custom && (!HOST_TAGS.has(tag) || hasDrawnChild(el))) return false;
  if (!custom) {
    const box = dom.box(el);
    if (box.width < 8 || box.height < 8) return false;
  }
  return true;
}

function hasDrawnChild(el) {
  for (let node = dom.first(el); node; node = dom.next(node)) {
    if (dom.type(node) === TEXT && dom.data(node).trim() !== '') return true;
    if (isElement(node) && checkVisibility(node)) return true;
  }
  return false;
}
