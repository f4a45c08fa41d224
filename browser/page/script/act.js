// What is done to elements by script, where no key or mouse would do it as well,
// and what is asked of them before and after.

// The control that one means by a label, or by a box around one field.
function controlOf(el) {
  if (tagOf(el) === 'label' && prop.control(el)) return prop.control(el);
  if (isTextField(el) || isEditable(el) || tagOf(el) === 'select' || prop.inputType(el)) return el;
  const inside = [...methodAll(el, 'input:not([type=hidden]),textarea,select,[contenteditable]')];
  return inside.length === 1 ? inside[0] : el;
}
const methodAll = methodOf(Element.prototype, 'querySelectorAll');

const TEXT_TYPES = new Set(['text', 'search', 'url', 'tel', 'email', 'password', 'number']);
const isTextField = (el) => tagOf(el) === 'textarea' || TEXT_TYPES.has(prop.inputType(el));
const isEditable = (el) => el instanceof HTMLElement && dom.editable(el);

const FORMS = {
  date: 'a date such as 2026-03-31', time: 'a time such as 14:30', 'datetime-local': 'a date and time such as 2026-03-31T14:30',
  month: 'a month such as 2026-03', week: 'a week such as 2026-W14', color: 'a colour such as #3366ff', range: 'a number', number: 'a number such as 12.5',
};

const setters = {
  input: setterOf(HTMLInputElement.prototype, 'value'),
  checked: setterOf(HTMLInputElement.prototype, 'checked'),
  selected: setterOf(HTMLOptionElement.prototype, 'selected'),
  index: setterOf(HTMLSelectElement.prototype, 'selectedIndex'),
};

const tell = (el, ...names) => {
  for (const name of names) dom.send(el, new Event(name, { bubbles: true, composed: true }));
};

// Makes a field ready to take text: focused, with all that it holds selected. Fields
// that take no typing are set at once.
function fill(number, text) {
  const from = refs.find(number);
  if (!from) return { why: 'gone' };
  const el = controlOf(from);
  const type = prop.inputType(el);
  if (isDisabled(el)) return { why: 'disabled' };
  if (isReadOnly(el)) return { why: 'readonly' };
  if (type === 'number' && text !== '' && Number.isNaN(Number(text))) return { why: 'value', form: FORMS.number };
  if (isTextField(el)) {
    dom.focus(el);
    selectText(el);
    return { way: 'type', secret: type === 'password', before: heldText(el) };
  }
  if (Object.hasOwn(FORMS, type || '')) return setField(el, type, text);
  if (isEditable(el)) {
    dom.focus(el);
    const range = dom.range(document);
    range.selectNodeContents(el);
    const selection = getSelection();
    selection.removeAllRanges();
    selection.addRange(range);
    return { way: 'type', before: dom.inner(el), rich: true };
  }
  return { why: 'kind', kind: type === 'checkbox' || type === 'radio' ? 'check' : type === 'file' ? 'upload' : tagOf(el) === 'select' ? 'select' : 'click' };
}

const selectInput = methodOf(HTMLInputElement.prototype, 'select');
const selectArea = methodOf(HTMLTextAreaElement.prototype, 'select');
const selectText = (el) => (tagOf(el) === 'textarea' ? selectArea(el) : selectInput(el));

function setField(el, type, text) {
  const before = prop.inputValue(el);
  dom.focus(el);
  setters.input(el, type === 'color' ? text.toLowerCase() : text);
  const after = prop.inputValue(el);
  const same = type === 'range' ? text !== '' && !Number.isNaN(Number(text)) : type === 'color' ? after === text.toLowerCase() : after !== '' || text === '';
  if (!same) {
    setters.input(el, before);
    return { why: 'value', form: FORMS[type] };
  }
  tell(el, 'input', 'change');
  return { way: 'set', value: after };
}

// What a field holds after it was filled.
function held(number) {
  const el = refs.find(number);
  if (!el) return { why: 'gone' };
  const control = controlOf(el);
  const secret = prop.inputType(control) === 'password';
  const value = heldText(control);
  return { value: secret ? '' : value.slice(0, 100000), length: value.length, secret };
}

// Puts the keyboard's focus on an element, or on what in it can have it.
function focusOn(number) {
  const el = refs.find(number);
  if (!el) return { why: 'gone' };
  const control = controlOf(el);
  const root = dom.root(control);
  const focused = () => (dom.type(root) === DOCUMENT ? dom.active(root) : isShadow(root) ? dom.activeIn(root) : null);
  const before = focused();
  dom.focus(control);
  const active = focused();
  if (active === control && before !== control) toEnd(control);
  return { focused: active !== null && (within(active, control) || within(control, active) && active !== dom.body(document)) };
}

// Puts the cursor behind what a field holds, where a person's click would most
// often put it, unless the page has put it somewhere itself.
function toEnd(el) {
  if (!isTextField(el) && !isEditable(el)) return;
  if (prop.inputStart(el) || prop.inputEnd(el) || prop.areaStart(el) || prop.areaEnd(el) || !isTextField(el) && !getSelection().isCollapsed) return;
  getSelection().modify('move', 'forward', 'documentboundary');
}

// The frame that has the focus in this document; 0 when it is the document's own.
function focusFrame() {
  let el = dom.active(document);
  while (el && shadowOf(el)) {
    const inner = dom.activeIn(shadowOf(el));
    if (!inner) break;
    el = inner;
  }
  return el && ['iframe', 'frame'].includes(tagOf(el)) ? refs.of(el) : 0;
}

// Chooses options of a list by value or by what they say.
function choose(number, wanted) {
  const from = refs.find(number);
  if (!from) return { why: 'gone' };
  const el = controlOf(from);
  const options = prop.options(el);
  if (!options) return { why: 'kind' };
  if (isDisabled(el)) return { why: 'disabled' };
  const all = [...options];
  const chosen = [];
  for (const want of wanted) {
    const one = matchOption(all, want);
    if (!one) return { why: 'option', wanted: want, count: all.length, options: all.slice(0, 30).map(labelOf) };
    if (dom.matches(one, ':disabled') || dom.closest(one, 'optgroup[disabled]')) return { why: 'off', wanted: want };
    chosen.push(one);
  }
  if (chosen.length > 1 && !prop.multiple(el)) return { why: 'single' };
  dom.focus(el);
  const before = all.map((one) => prop.selected(one)).join();
  if (prop.multiple(el)) for (const one of all) setters.selected(one, chosen.includes(one));
  else setters.index(el, all.indexOf(chosen[0]));
  if (all.map((one) => prop.selected(one)).join() !== before) tell(el, 'input', 'change');
  return { chosen: chosen.map(labelOf) };
}

const labelOf = (option) => squash(prop.optionLabel(option) || prop.optionValue(option)).slice(0, 200);

function matchOption(all, want) {
  const low = squash(want).toLowerCase();
  return all.find((one) => prop.optionValue(one) === want) || all.find((one) => labelOf(one) === squash(want)) ||
    all.find((one) => labelOf(one).toLowerCase() === low) || all.find((one) => prop.optionValue(one).toLowerCase() === low);
}

// Whether a box is ticked, and the label to click where the box is not drawn.
function ticked(number) {
  const from = refs.find(number);
  if (!from) return { why: 'gone' };
  const control = tagOf(from) === 'label' ? prop.control(from) || from : from;
  const role = roleOf(control);
  if (!CHECKABLE.has(role) && role !== 'button') return { why: 'kind' };
  const state = role === 'button' ? { true: 'checked', mixed: 'mixed' }[lower(control, 'aria-pressed')] || '' : checkState(control, role);
  if (role === 'button' && !dom.has(control, 'aria-pressed')) return { why: 'kind' };
  if ((role === 'option' || role === 'treeitem') && !dom.has(control, 'aria-checked')) return { why: 'kind' };
  const click = isShown(from) ? from : [...labelsOf(control)].find(isShown) || from;
  return { state: state || 'unchecked', radio: role === 'radio' || role === 'menuitemradio', click: refs.of(click) };
}

// Whether dragging the element starts a drag of data, as opposed to one that the
// page makes of mouse moves.
function dragsData(number) {
  for (let el = refs.find(number); el; el = parentOf(el)) {
    const value = lower(el, 'draggable');
    if (value === 'true') return true;
    if (value === 'false') return false;
    if (tagOf(el) === 'img' || tagOf(el) === 'a' && dom.has(el, 'href')) return true;
  }
  // Text that is selected would be dragged in place of what the page moves.
  getSelection().removeAllRanges();
  return false;
}

// Scrolls an element into view, or what scrolls around it by an amount.
function scroll(number, dx, dy) {
  const el = number ? refs.find(number) : null;
  if (number && !el) return { why: 'gone' };
  if (dx === 0 && dy === 0) {
    dom.intoView(el, { block: 'center', inline: 'center', behavior: 'instant' });
    return { ...scrollState(scrollerOf(el, 0, 1)), moved: true };
  }
  const view = viewport();
  const scroller = scrollerOf(el || dom.at(document, view.width / 2, view.height / 2), dx, dy);
  const before = scrollState(scroller);
  dom.scrollBy(scroller, { left: dx, top: dy, behavior: 'instant' });
  const after = scrollState(scroller);
  return { ...after, moved: before.x !== after.x || before.y !== after.y, inside: scroller === pageScroller() ? 0 : refs.of(scroller) };
}

const scrollingElement = getterOf(Document.prototype, 'scrollingElement');
const pageScroller = () => scrollingElement(document) || dom.page(document);

function scrollState(el) {
  return {
    x: Math.round(dom.scrollLeft(el)), y: Math.round(dom.scrollTop(el)), width: dom.scrollWidth(el), height: dom.scrollHeight(el),
    viewWidth: dom.clientWidth(el), viewHeight: dom.clientHeight(el),
  };
}

// The nearest thing around el that scrolls and has room in that direction.
function scrollerOf(el, dx, dy) {
  for (; el && el !== dom.body(document) && el !== dom.page(document); el = parentOf(el)) {
    const style = styleOf(el);
    const s = scrollState(el);
    if (dy !== 0 && /auto|scroll/.test(style.overflowY) && (dy > 0 ? s.y + s.viewHeight < s.height - 1 : s.y > 0)) return el;
    if (dx !== 0 && /auto|scroll/.test(style.overflowX) && (dx > 0 ? s.x + s.viewWidth < s.width - 1 : s.x > 0)) return el;
  }
  return pageScroller();
}

const requestSubmit = methodOf(HTMLFormElement.prototype, 'requestSubmit');
const formElements = getterOf(HTMLFormElement.prototype, 'elements');

// Sends the form that an element belongs to, as its button would.
function submit(number) {
  const el = refs.find(number);
  if (!el) return { why: 'gone' };
  const control = controlOf(el);
  const form = tagOf(control) === 'form' ? control : prop.inputForm(control) || dom.closest(control, 'form');
  if (!form) return { why: 'form' };
  if (!dom.has(form, 'novalidate')) {
    const wrong = [...formElements(form)].filter((one) => isElement(one) && dom.matches(one, ':invalid') && tagOf(one) !== 'fieldset');
    if (wrong.length > 0) {
      return { why: 'invalid', fields: wrong.slice(0, 10).map((one) => ({ ref: refs.of(one), ...aboutOf(one), message: String(one.validationMessage || '').slice(0, 200) })) };
    }
  }
  requestSubmit(form);
  return {};
}

// What an element, or the page, holds.
function get(number, what, name) {
  const el = number ? refs.find(number) : dom.body(document) || dom.page(document);
  if (!el) return { why: number ? 'gone' : 'empty' };
  switch (what) {
    case 'html': return whole(number ? dom.html(el) : dom.html(dom.page(document)));
    case 'value': return secretOr(el);
    case 'attribute': return dom.has(el, name) ? whole(dom.attr(el, name)) : { why: 'attribute', names: dom.attrs(el).slice(0, 40) };
    case 'url': return whole(number ? prop.href(el) || prop.source(el) || dom.attr(el, 'src') || dom.attr(el, 'action') || '' : location.href);
    case 'title': return whole(number ? dom.attr(el, 'title') || '' : String(dom.title(document)));
    default: return whole(readText(el));
  }
}

const whole = (text) => ({ text: text.slice(0, 400000), length: text.length });

function secretOr(el) {
  const control = controlOf(el);
  if (prop.inputType(control) === 'password') return { text: '', length: 0, secret: true };
  return whole(tagOf(control) === 'select' ? selectedText(control) : String(heldText(control) || rangeValue(control, roleOf(control)) || ''));
}

// The text that is drawn within an element, shadow roots included.
function readText(el) {
  if (prop.inputValue(el) !== undefined || tagOf(el) === 'textarea') return secretOr(el).text;
  const parts = el instanceof HTMLElement ? [dom.inner(el)] : [dom.text(el)];
  for (const root of shadowsIn(el)) for (let node = dom.first(root); node; node = dom.next(node)) if (node instanceof HTMLElement) parts.push(dom.inner(node));
  return parts.filter(Boolean).join('\n');
}

function shadowsIn(el) {
  const found = [];
  const visit = (top) => {
    if (isElement(top) && shadowOf(top)) { found.push(shadowOf(top)); visit(shadowOf(top)); }
    for (const one of isElement(top) ? methodAll(top, '*') : dom.allIn(top, '*')) {
      const root = shadowOf(one);
      if (root && found.length < 500) {
        found.push(root);
        visit(root);
      }
    }
  };
  visit(el);
  return found;
}

// Whether text can be read in the document now.
function hasText(text) {
  const body = dom.body(document) || dom.page(document);
  return body !== null && squash(readText(body)).includes(squash(text));
}

// Whether an element is there and shown.
function shown(number) {
  const el = refs.find(number);
  return { there: el !== null, shown: el !== null && isShown(el) };
}

// What lies at a point of the window.
function at(x, y) {
  const hit = dom.at(document, x, y);
  return hit ? { ...coverText(hit), frame: ['iframe', 'frame'].includes(tagOf(hit)) } : { why: 'outside' };
}

const state = () => dom.ready(document);
