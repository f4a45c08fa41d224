// How an element stands: ticked, open, disabled, and what it holds.

const MAX_VALUE = 400;

const truth = (el, name) => lower(el, name) === 'true';

// The states as words; the names are those of the attributes.
function statesOf(el, role) {
  const list = [];
  const add = (word, on) => { if (on) list.push(word); };
  add('disabled', isDisabled(el));
  add(checkState(el, role), true);
  add(expandState(el), true);
  add('selected', selectState(el, role));
  add({ true: 'pressed', mixed: 'half pressed', false: 'not pressed' }[lower(el, 'aria-pressed')], role === 'button');
  add('required', truth(el, 'aria-required') || dom.has(el, 'required') && dom.matches(el, ':required'));
  add('invalid', /^(true|grammar|spelling)$/.test(lower(el, 'aria-invalid')) || dom.matches(el, ':user-invalid'));
  add('readonly', truth(el, 'aria-readonly') || dom.has(el, 'readonly') && dom.matches(el, 'input:read-only, textarea:read-only'));
  add('current', !['', 'false'].includes(lower(el, 'aria-current')));
  add('multiple', role === 'listbox' && (truth(el, 'aria-multiselectable') || prop.multiple(el)));
  add('popup', !['', 'false'].includes(lower(el, 'aria-haspopup')));
  add('busy', truth(el, 'aria-busy'));
  add({ ascending: 'ascending', descending: 'descending' }[lower(el, 'aria-sort')], true);
  add('password', prop.inputType(el) === 'password');
  add('draggable', lower(el, 'draggable') === 'true');
  add('focused', isFocused(el));
  return list.filter(Boolean);
}

// Disabled by itself, by its fieldset, or by a widget around it.
function isDisabled(el) {
  if (dom.matches(el, ':disabled')) return true;
  if (truth(el, 'aria-disabled')) return true;
  return isFocusable(el) || dom.has(el, 'role') ? closestWhere(el, (up) => truth(up, 'aria-disabled')) !== null : false;
}

const CHECKABLE = new Set(['checkbox', 'radio', 'switch', 'menuitemcheckbox', 'menuitemradio', 'option', 'treeitem']);

function checkState(el, role) {
  if (!CHECKABLE.has(role)) return '';
  if (prop.inputType(el) === 'checkbox' || prop.inputType(el) === 'radio') {
    return prop.mixed(el) ? 'mixed' : prop.checked(el) ? 'checked' : '';
  }
  return { true: 'checked', mixed: 'mixed' }[lower(el, 'aria-checked')] || '';
}

function expandState(el) {
  const summary = tagOf(el) === 'summary' ? parentOf(el) : null;
  if (summary && tagOf(summary) === 'details') return dom.has(summary, 'open') ? 'expanded' : 'collapsed';
  return { true: 'expanded', false: 'collapsed' }[lower(el, 'aria-expanded')] || '';
}

function selectState(el, role) {
  if (tagOf(el) === 'option') return prop.selected(el);
  return truth(el, 'aria-selected');
}

function isFocused(el) {
  const root = dom.root(el);
  if (dom.type(root) === DOCUMENT) return dom.active(root) === el && el !== dom.body(root) && dom.hasFocus(document);
  return isShadow(root) && dom.activeIn(root) === el;
}

// What a control holds, '' for nothing. A password is only counted.
function valueOf(el, role) {
  const type = prop.inputType(el);
  switch (role) {
    case 'textbox': case 'searchbox': case 'combobox': case 'date': case 'time': case 'month': case 'week': case 'datetime': case 'color': case 'file':
      if (type === 'password') return '•'.repeat(Math.min(prop.inputValue(el).length, 20));
      if (tagOf(el) === 'select') return selectedText(el);
      return cut(heldText(el));
    case 'slider': case 'spinbutton': case 'progressbar': case 'meter': case 'scrollbar': return rangeValue(el, role);
    case 'separator': return dom.has(el, 'aria-valuenow') ? rangeValue(el, role) : '';
    default: return '';
  }
}

const heldText = (el) => {
  const value = prop.inputValue(el) ?? prop.areaValue(el);
  if (value !== undefined) return value;
  return isEditHost(el) || dom.editable(el) ? dom.inner(el) : tagOf(el) === '' || !dom.has(el, 'tabindex') ? '' : squash(dom.text(el));
};

const cut = (text) => (text.length > MAX_VALUE ? text.slice(0, MAX_VALUE) + '…' : text);

function rangeValue(el, role) {
  const text = dom.attr(el, 'aria-valuetext');
  if (text) return cut(squash(text));
  const now = dom.attr(el, 'aria-valuenow') ?? prop.inputValue(el) ?? prop.meter(el) ?? (dom.has(el, 'value') ? prop.progress(el) : '');
  const min = dom.attr(el, 'aria-valuemin') ?? dom.attr(el, 'min');
  const max = dom.attr(el, 'aria-valuemax') ?? dom.attr(el, 'max');
  const range = role === 'slider' || role === 'spinbutton' ? rangeText(min, max) : '';
  return cut(String(now) + range);
}

const rangeText = (min, max) => (min !== null && max !== null ? ` (${min} to ${max})` : '');

function levelOf(el, role) {
  if (role === 'heading') {
    const level = parseInt(dom.attr(el, 'aria-level') || '', 10);
    const own = /^h([1-6])$/.exec(tagOf(el));
    return level > 0 ? Math.min(level, 99) : own ? Number(own[1]) : 2;
  }
  return role === 'treeitem' || role === 'row' ? Math.min(Math.max(parseInt(dom.attr(el, 'aria-level') || '0', 10) || 0, 0), 99) : 0;
}
