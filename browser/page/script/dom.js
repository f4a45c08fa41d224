// Ways to look at a document that the document cannot bend.
//
// A page's own code does not run in this world, but its markup can hide
// properties here too: <form><input name="parentNode"></form> makes
// form.parentNode an input, and <img name="body"> does so with document.body. So
// everything is read through the accessors of the prototypes, kept at the start.

const bind = (fn) => Function.prototype.call.bind(fn);
const getterOf = (proto, name) => bind(Object.getOwnPropertyDescriptor(proto, name).get);
const setterOf = (proto, name) => bind(Object.getOwnPropertyDescriptor(proto, name).set);
const methodOf = (proto, name) => bind(proto[name]);

const dom = {
  type: getterOf(Node.prototype, 'nodeType'),
  parent: getterOf(Node.prototype, 'parentNode'),
  first: getterOf(Node.prototype, 'firstChild'),
  next: getterOf(Node.prototype, 'nextSibling'),
  connected: getterOf(Node.prototype, 'isConnected'),
  text: getterOf(Node.prototype, 'textContent'),
  owner: getterOf(Node.prototype, 'ownerDocument'),
  root: methodOf(Node.prototype, 'getRootNode'),
  contains: methodOf(Node.prototype, 'contains'),
  data: getterOf(CharacterData.prototype, 'data'),
  tag: getterOf(Element.prototype, 'localName'),
  space: getterOf(Element.prototype, 'namespaceURI'),
  attr: methodOf(Element.prototype, 'getAttribute'),
  has: methodOf(Element.prototype, 'hasAttribute'),
  attrs: methodOf(Element.prototype, 'getAttributeNames'),
  find: methodOf(Element.prototype, 'querySelector'),
  matches: methodOf(Element.prototype, 'matches'),
  closest: methodOf(Element.prototype, 'closest'),
  count: getterOf(Element.prototype, 'childElementCount'),
  box: methodOf(Element.prototype, 'getBoundingClientRect'),
  boxes: methodOf(Element.prototype, 'getClientRects'),
  html: getterOf(Element.prototype, 'outerHTML'),
  openShadow: getterOf(Element.prototype, 'shadowRoot'),
  intoView: methodOf(Element.prototype, 'scrollIntoView'),
  scrollBy: methodOf(Element.prototype, 'scrollBy'),
  scrollTop: getterOf(Element.prototype, 'scrollTop'),
  scrollLeft: getterOf(Element.prototype, 'scrollLeft'),
  scrollHeight: getterOf(Element.prototype, 'scrollHeight'),
  scrollWidth: getterOf(Element.prototype, 'scrollWidth'),
  clientHeight: getterOf(Element.prototype, 'clientHeight'),
  clientWidth: getterOf(Element.prototype, 'clientWidth'),
  clientTop: getterOf(Element.prototype, 'clientTop'),
  clientLeft: getterOf(Element.prototype, 'clientLeft'),
  slotOf: getterOf(Element.prototype, 'assignedSlot'),
  inner: getterOf(HTMLElement.prototype, 'innerText'),
  focus: methodOf(HTMLElement.prototype, 'focus'),
  blur: methodOf(HTMLElement.prototype, 'blur'),
  click: methodOf(HTMLElement.prototype, 'click'),
  editable: getterOf(HTMLElement.prototype, 'isContentEditable'),
  slotted: methodOf(HTMLSlotElement.prototype, 'assignedNodes'),
  host: getterOf(ShadowRoot.prototype, 'host'),
  byId: methodOf(Document.prototype, 'getElementById'),
  byIdIn: methodOf(DocumentFragment.prototype, 'getElementById'),
  all: methodOf(Document.prototype, 'querySelectorAll'),
  allIn: methodOf(DocumentFragment.prototype, 'querySelectorAll'),
  at: methodOf(Document.prototype, 'elementFromPoint'),
  atIn: methodOf(ShadowRoot.prototype, 'elementFromPoint'),
  active: getterOf(Document.prototype, 'activeElement'),
  activeIn: getterOf(ShadowRoot.prototype, 'activeElement'),
  page: getterOf(Document.prototype, 'documentElement'),
  body: getterOf(Document.prototype, 'body'),
  title: getterOf(Document.prototype, 'title'),
  visibility: getterOf(Document.prototype, 'visibilityState'),
  ready: getterOf(Document.prototype, 'readyState'),
  hasFocus: methodOf(Document.prototype, 'hasFocus'),
  range: methodOf(Document.prototype, 'createRange'),
  send: methodOf(EventTarget.prototype, 'dispatchEvent'),
};

const HTML = 'http://www.w3.org/1999/xhtml';
const SVG = 'http://www.w3.org/2000/svg';
const ELEMENT = 1;
const TEXT = 3;
const DOCUMENT = 9;

const isElement = (node) => node !== null && dom.type(node) === ELEMENT;
const isHTML = (el) => dom.space(el) === HTML;
// The tag, of elements of HTML only: <a> of SVG is another thing.
const tagOf = (el) => (isHTML(el) ? dom.tag(el) : '');
const lower = (el, name) => {
  const value = dom.attr(el, name);
  return value ? value.trim().toLowerCase() : '';
};

// Shadow roots that the page keeps closed; they were found by the protocol and
// handed in with adopt.
const closedRoots = new WeakMap();
const shadowOf = (el) => dom.openShadow(el) || closedRoots.get(el) || null;
const adopt = (host, root) => { closedRoots.set(host, root); };

const isShadow = (node) => node !== null && dom.type(node) === 11 && node instanceof ShadowRoot;

// The parent as one sees it in the page's structure, through shadow roots.
function parentOf(node) {
  const parent = dom.parent(node);
  if (isShadow(parent)) return dom.host(parent);
  return isElement(parent) ? parent : null;
}

// The parent as it is drawn: a slotted node lies in its slot.
function drawnParent(node) {
  if (isElement(node)) {
    const slot = dom.slotOf(node);
    if (slot) return slot;
  }
  return parentOf(node);
}

// Calls visit for every child as it is drawn, until visit returns false.
function eachChild(el, visit) {
  const root = shadowOf(el);
  if (root) return eachSibling(dom.first(root), visit);
  if (tagOf(el) === 'slot') {
    const given = dom.slotted(el);
    if (given.length > 0) {
      for (const node of given) if (visit(node) === false) return false;
      return true;
    }
  }
  return eachSibling(dom.first(el), visit);
}

function eachSibling(node, visit) {
  for (; node; node = dom.next(node)) if (visit(node) === false) return false;
  return true;
}

const within = (node, ancestor) => {
  for (; node; node = parentOf(node)) if (node === ancestor) return true;
  return false;
};

function closestWhere(el, test) {
  for (el = parentOf(el); el; el = parentOf(el)) if (test(el)) return el;
  return null;
}

// The element with an id, in the tree that el lies in.
function byId(el, id) {
  const root = dom.root(el);
  if (dom.type(root) === DOCUMENT) return dom.byId(root, id);
  return isShadow(root) ? dom.byIdIn(root, id) : null;
}

const idList = (el, name) => (dom.attr(el, name) || '').split(/\s+/).filter(Boolean);
const nobody = [];
const named = (el, name) => (dom.has(el, name) ? idList(el, name).map((id) => byId(el, id)).filter(Boolean) : nobody);

// Properties of one kind of element only, undefined for others.
const propertyOf = (kind, name) => {
  const found = Object.getOwnPropertyDescriptor(kind.prototype, name);
  const read = bind(found.get);
  return (el) => (el instanceof kind ? read(el) : undefined);
};

const prop = {
  inputType: propertyOf(HTMLInputElement, 'type'),
  inputValue: propertyOf(HTMLInputElement, 'value'),
  inputStart: propertyOf(HTMLInputElement, 'selectionStart'),
  inputEnd: propertyOf(HTMLInputElement, 'selectionEnd'),
  inputLabels: propertyOf(HTMLInputElement, 'labels'),
  checked: propertyOf(HTMLInputElement, 'checked'),
  mixed: propertyOf(HTMLInputElement, 'indeterminate'),
  inputForm: propertyOf(HTMLInputElement, 'form'),
  list: propertyOf(HTMLInputElement, 'list'),
  areaValue: propertyOf(HTMLTextAreaElement, 'value'),
  areaStart: propertyOf(HTMLTextAreaElement, 'selectionStart'),
  areaEnd: propertyOf(HTMLTextAreaElement, 'selectionEnd'),
  areaLabels: propertyOf(HTMLTextAreaElement, 'labels'),
  selectLabels: propertyOf(HTMLSelectElement, 'labels'),
  buttonLabels: propertyOf(HTMLButtonElement, 'labels'),
  meterLabels: propertyOf(HTMLMeterElement, 'labels'),
  progressLabels: propertyOf(HTMLProgressElement, 'labels'),
  outputLabels: propertyOf(HTMLOutputElement, 'labels'),
  options: propertyOf(HTMLSelectElement, 'options'),
  multiple: propertyOf(HTMLSelectElement, 'multiple'),
  size: propertyOf(HTMLSelectElement, 'size'),
  selected: propertyOf(HTMLOptionElement, 'selected'),
  optionLabel: propertyOf(HTMLOptionElement, 'label'),
  optionValue: propertyOf(HTMLOptionElement, 'value'),
  href: propertyOf(HTMLAnchorElement, 'href'),
  areaHref: propertyOf(HTMLAreaElement, 'href'),
  control: propertyOf(HTMLLabelElement, 'control'),
  meter: propertyOf(HTMLMeterElement, 'value'),
  progress: propertyOf(HTMLProgressElement, 'value'),
  progressMax: propertyOf(HTMLProgressElement, 'max'),
  source: propertyOf(HTMLImageElement, 'src'),
  tabIndex: propertyOf(HTMLElement, 'tabIndex'),
};

const labelled = new Set(['input', 'textarea', 'select', 'button', 'meter', 'progress', 'output']);

// The labels of a control. Asked for them, a control searches the whole document;
// while a page is read, when nothing changes, those of a document are gathered once.
function labelsOf(el) {
  if (!labelled.has(tagOf(el))) return [];
  if (gathered) return gatheredLabels(dom.root(el)).get(el) || [];
  return prop.inputLabels(el) || prop.areaLabels(el) || prop.selectLabels(el) || prop.buttonLabels(el) ||
    prop.meterLabels(el) || prop.progressLabels(el) || prop.outputLabels(el) || [];
}

let gathered = null; // labels by control, by document or shadow root; names by element

// Runs what only reads the page.
function reading(read) {
  gathered = { labels: new Map(), names: new Map() };
  try {
    return read();
  } finally {
    gathered = null;
  }
}

function gatheredLabels(root) {
  let labels = gathered.labels.get(root);
  if (labels) return labels;
  labels = new Map();
  gathered.labels.set(root, labels);
  for (const label of isElement(root) ? [] : dom.type(root) === DOCUMENT ? dom.all(root, 'label') : dom.allIn(root, 'label')) {
    const control = prop.control(label);
    if (!control) continue;
    if (labels.has(control)) labels.get(control).push(label);
    else labels.set(control, [label]);
  }
  return labels;
}
