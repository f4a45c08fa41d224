// What an element is: its role, as WAI-ARIA 1.2 and the HTML accessibility
// mappings have it. '' is an element without one, 'none' one that gave it up.

const ROLES = new Set(('alert alertdialog application article banner blockquote button caption cell checkbox code columnheader combobox ' +
  'complementary contentinfo definition deletion dialog directory document emphasis feed figure form generic grid gridcell group heading ' +
  'img image insertion link list listbox listitem log main mark marquee math menu menubar menuitem menuitemcheckbox menuitemradio meter ' +
  'navigation none note option paragraph presentation progressbar radio radiogroup region row rowgroup rowheader scrollbar search searchbox ' +
  'separator slider spinbutton status strong subscript superscript suggestion switch tab table tablist tabpanel term textbox time timer ' +
  'toolbar tooltip tree treegrid treeitem').split(' '));

// Roles that a person can do something with.
const USABLE = new Set(('button checkbox combobox gridcell link listbox menuitem menuitemcheckbox menuitemradio option radio scrollbar ' +
  'searchbox slider spinbutton switch tab textbox treeitem date time month week datetime color file').split(' '));

// Roles whose name is their content, if nothing else names them.
const NAMED_BY_CONTENT = new Set(('button cell checkbox columnheader gridcell heading link menuitem menuitemcheckbox menuitemradio option ' +
  'radio rowheader switch tab term tooltip treeitem summary').split(' '));

const PLAIN = {
  article: 'article', aside: 'complementary', blockquote: 'blockquote', button: 'button', code: 'code', datalist: 'listbox', dd: 'definition',
  del: 'deletion', details: 'group', dfn: 'term', dialog: 'dialog', dt: 'term', em: 'emphasis', fieldset: 'group', figure: 'figure',
  form: 'form', h1: 'heading', h2: 'heading', h3: 'heading', h4: 'heading', h5: 'heading', h6: 'heading', hgroup: 'group', hr: 'separator',
  iframe: 'iframe', frame: 'iframe', ins: 'insertion', main: 'main', mark: 'mark', math: 'math', menu: 'list', meter: 'meter', nav: 'navigation',
  ol: 'list', optgroup: 'group', option: 'option', output: 'status', p: 'paragraph', progress: 'progressbar', s: 'deletion', search: 'search',
  strong: 'strong', sub: 'subscript', summary: 'summary', sup: 'superscript', textarea: 'textbox', ul: 'list',
  video: 'video', audio: 'audio', canvas: 'canvas', embed: 'embed', object: 'embed', address: 'group',
};

const INPUTS = {
  button: 'button', submit: 'button', reset: 'button', image: 'button', checkbox: 'checkbox', radio: 'radio', range: 'slider',
  number: 'spinbutton', search: 'searchbox', date: 'date', time: 'time', month: 'month', week: 'week', 'datetime-local': 'datetime',
  color: 'color', file: 'file', hidden: 'none',
};

// Attributes that mean something on every role: with one of them, an element
// cannot give its role up.
const GLOBAL = ['aria-atomic', 'aria-busy', 'aria-controls', 'aria-current', 'aria-describedby', 'aria-details', 'aria-dropeffect',
  'aria-flowto', 'aria-grabbed', 'aria-keyshortcuts', 'aria-label', 'aria-labelledby', 'aria-live', 'aria-owns', 'aria-relevant',
  'aria-roledescription'];

const roleOf = (el) => {
  const asked = askedRole(el);
  return asked === null ? nativeRole(el) : asked;
};

// The first role of the attribute that exists and may be had; null for none.
function askedRole(el) {
  const value = dom.attr(el, 'role');
  if (!value) return null;
  for (const role of value.toLowerCase().split(/\s+/)) {
    if (!ROLES.has(role)) continue;
    if (role === 'none' || role === 'presentation') return mayGiveUp(el) ? 'none' : null;
    if (role === 'generic' || role === 'time') return ''; // with us, time is a field
    if ((role === 'region' || role === 'form') && !hasName(el)) continue;
    return role === 'image' ? 'img' : role === 'directory' ? 'list' : role;
  }
  return null;
}

const mayGiveUp = (el) => !GLOBAL.some((name) => dom.has(el, name)) && !isFocusable(el);

// Whether an author named the element, by attributes alone.
const hasName = (el) => lower(el, 'aria-label') !== '' || named(el, 'aria-labelledby').length > 0 || lower(el, 'title') !== '';

function nativeRole(el) {
  if (!isHTML(el)) return foreignRole(el);
  const tag = dom.tag(el);
  const special = Object.hasOwn(SPECIAL, tag) ? SPECIAL[tag] : null;
  if (special) return special(el);
  if (Object.hasOwn(PLAIN, tag)) return PLAIN[tag];
  return isEditHost(el) ? 'textbox' : '';
}

function foreignRole(el) {
  if (dom.space(el) === SVG) {
    const tag = dom.tag(el);
    if (tag === 'svg') return 'img';
    return tag === 'a' ? 'link' : '';
  }
  return dom.tag(el) === 'math' ? 'math' : '';
}

const SPECIAL = {
  a: (el) => (dom.has(el, 'href') ? 'link' : isEditHost(el) ? 'textbox' : ''),
  area: (el) => (dom.has(el, 'href') ? 'link' : ''),
  aside: (el) => (hasName(el) || !inSection(el) ? 'complementary' : ''),
  footer: (el) => (inSection(el, true) ? '' : 'contentinfo'),
  header: (el) => (inSection(el, true) ? '' : 'banner'),
  img: (el) => imageRole(el),
  input: (el) => inputRole(el),
  li: (el) => listItemRole(el),
  section: (el) => (hasName(el) ? 'region' : ''),
  select: (el) => (prop.multiple(el) || prop.size(el) > 1 ? 'listbox' : 'combobox'),
  summary: (el) => (tagOf(parentOf(el) || el) === 'details' ? 'summary' : ''),
  table: (el) => (isDataTable(el) ? 'table' : ''),
  tbody: (el) => inTable(el, 'rowgroup'),
  thead: (el) => inTable(el, 'rowgroup'),
  tfoot: (el) => inTable(el, 'rowgroup'),
  tr: (el) => inTable(el, 'row'),
  td: (el) => cellRole(el),
  th: (el) => headerRole(el),
  caption: () => 'caption',
};

const SECTIONING = new Set(['article', 'aside', 'nav', 'section']);
const SECTION_ROLES = new Set(['article', 'complementary', 'navigation', 'region']);

// Whether el belongs to a part of the page, and so is not the page's own.
function inSection(el, mainToo) {
  return closestWhere(el, (up) => {
    const asked = askedRole(up);
    if (asked !== null) return SECTION_ROLES.has(asked) || (mainToo && asked === 'main');
    const tag = tagOf(up);
    return SECTIONING.has(tag) || (mainToo && tag === 'main');
  }) !== null;
}

function imageRole(el) {
  const alt = dom.attr(el, 'alt');
  return alt === '' && !hasName(el) && !isFocusable(el) ? 'none' : 'img';
}

function inputRole(el) {
  const type = prop.inputType(el);
  if (type === 'checkbox' && dom.has(el, 'switch')) return 'switch';
  if (prop.list(el) && /^(text|search|url|tel|email)$/.test(type)) return 'combobox';
  return Object.hasOwn(INPUTS, type) ? INPUTS[type] : 'textbox';
}

const LISTS = new Set(['ul', 'ol', 'menu']);

function listItemRole(el) {
  const list = parentOf(el);
  if (!list) return '';
  return LISTS.has(tagOf(list)) && roleOf(list) !== 'list' ? '' : 'listitem'; // the list is none
}

// Tables that only place things on the page are none to a reader. These signs of
// a real one are those that browsers go by, as far as they are cheap.
const tableKinds = new WeakMap();
function isDataTable(table) {
  if (!tableKinds.has(table)) tableKinds.set(table, judgeTable(table));
  return tableKinds.get(table);
}

function judgeTable(table) {
  if (hasName(table) || dom.find(table, ':scope > caption, :scope > thead, :scope > tfoot, :scope > colgroup, :scope > * > tr > th')) return true;
  if (dom.has(table, 'rules') || dom.has(table, 'summary') || parseInt(dom.attr(table, 'border') || '0', 10) > 0) return true;
  if (dom.find(table, ':scope > * > tr > td:is([headers],[scope],[abbr])')) return true;
  const rows = table instanceof HTMLTableElement ? table.rows.length : 0;
  if (rows >= 20) return true;
  if (rows <= 1) return false;
  const cell = dom.find(table, ':scope > * > tr > td');
  return cell !== null && (parseFloat(getComputedStyle(cell).borderTopWidth) > 0 || rows > 1 && dom.find(table, ':scope > * > tr > td:nth-child(5)') !== null);
}

const GRIDS = new Set(['grid', 'treegrid']);
const TABLES = new Set(['table', 'grid', 'treegrid']);

function tableRole(el) {
  const table = closestWhere(el, (up) => tagOf(up) === 'table' || TABLES.has(askedRole(up)));
  return table ? roleOf(table) : '';
}

const inTable = (el, role) => (TABLES.has(tableRole(el)) ? role : '');

function cellRole(el) {
  const table = tableRole(el);
  if (GRIDS.has(table)) return 'gridcell';
  return table === 'table' ? 'cell' : '';
}

function headerRole(el) {
  if (!TABLES.has(tableRole(el))) return '';
  const scope = lower(el, 'scope');
  if (scope === 'row' || scope === 'rowgroup') return 'rowheader';
  if (scope === 'col' || scope === 'colgroup') return 'columnheader';
  return looksLikeRowHeader(el) ? 'rowheader' : 'columnheader';
}

// A header without a scope stands for its row if data follows it there.
function looksLikeRowHeader(el) {
  const row = parentOf(el);
  return row !== null && dom.find(row, ':scope > td') !== null && dom.find(row, ':scope > th') === el;
}

const isEditHost = (el) => {
  const value = dom.attr(el, 'contenteditable');
  return value !== null && /^(true|plaintext-only|)$/i.test(value.trim()) && !(parentOf(el) && dom.editable(parentOf(el)));
};

const isFocusable = (el) => dom.has(el, 'tabindex') || isNativelyFocusable(el);

function isNativelyFocusable(el) {
  switch (tagOf(el)) {
    case 'a': case 'area': return dom.has(el, 'href');
    case 'button': case 'select': case 'textarea': return !dom.matches(el, ':disabled');
    case 'input': return prop.inputType(el) !== 'hidden' && !dom.matches(el, ':disabled');
    case 'iframe': case 'summary': return true;
    default: return isEditHost(el);
  }
}

function childNamed(el, tag) {
  for (let node = dom.first(el); node; node = dom.next(node)) if (isElement(node) && dom.tag(node) === tag) return node;
  return null;
}
