// What an element is called: the computation of accessible names
// (https://w3c.github.io/accname/), with the parts that HTML adds.

const MAX_NAME = 300; // characters; longer names are cut
const MAX_STEPS = 400; // elements that one name may be made of

// Icon fonts draw pictures with private characters. Most text has nothing to squash.
const squash = (text) => (/\s\s|[^\S ]|[\u200b\ufeff\ue000-\uf8ff]/.test(text) ? text.replace(/[\s\u200b\ufeff\ue000-\uf8ff]+/g, ' ') : text).trim();

// The name of an element, and where it comes from: 'labelledby', 'label',
// 'native', 'content', 'title', 'placeholder' or ''.
function nameOf(el, role) {
  const kept = gathered && gathered.names.get(el);
  if (kept && kept.role === role) return kept;
  const walk = walkFor(el);
  const name = squash(textAlternative(el, role, walk, { root: true })).slice(0, MAX_NAME);
  const found = { role, name, from: name === '' ? '' : walk.from };
  if (gathered) gathered.names.set(el, found);
  return found;
}

const walkFor = (el) => ({ seen: new Set(), steps: 0, from: '', named: el });

// Whether all that could name an element is its content.
const onlyContentNames = (el, role) => NAMED_BY_CONTENT.has(role) && !dom.has(el, 'aria-label') && !dom.has(el, 'aria-labelledby') &&
  !dom.has(el, 'title') && nativeName(el, role, walkFor(el), { root: true }) === '';

// One step of the computation. How says how we came here: root, byReference
// (through aria-labelledby), hiddenToo (what was referenced is hidden itself).
function textAlternative(el, role, walk, how) {
  if (walk.steps++ > MAX_STEPS || walk.seen.has(el)) return '';
  walk.seen.add(el);
  const note = (from, text) => {
    if (how.root && text.trim() !== '') walk.from = from;
    return text;
  };
  if (!how.byReference) {
    const others = named(el, 'aria-labelledby');
    if (others.length > 0) {
      const text = others.map((one) => referenced(one, walk)).join(' ');
      if (text.trim() !== '') return note('labelledby', text);
    }
  }
  if (!how.root && el !== walk.named) {
    const value = embeddedValue(el, role);
    if (value) return value;
  }
  const label = (dom.attr(el, 'aria-label') || '').trim();
  if (label !== '' && !(how.inLabel && how.inLabel === el)) return note('label', label);
  const native = nativeName(el, role, walk, how);
  if (native !== '') return note('native', native);
  if (!how.root || isNamedByContent(el, role)) {
    const content = contentOf(el, role, walk, how);
    if (content.trim() !== '') return note('content', content);
  }
  const title = dom.attr(el, 'title') || '';
  if (title.trim() !== '' && (how.root || !NAMED_BY_CONTENT.has(role))) return note('title', title);
  if (how.root && takesPlaceholder(role)) return note('placeholder', dom.attr(el, 'placeholder') || dom.attr(el, 'aria-placeholder') || '');
  return '';
}

// Rows of grids have names, which those of plain tables do without.
const isNamedByContent = (el, role) => NAMED_BY_CONTENT.has(role) ||
  role === 'row' && closestWhere(el, (up) => GRIDS.has(roleOf(up))) !== null;

// What aria-labelledby points at may be hidden, and then all of it counts.
function referenced(el, walk) {
  walk.seen.delete(el); // an element may well name itself: "Delete" + its row
  return textAlternative(el, roleOf(el), walk, { byReference: true, hiddenToo: !isRendered(el) || isAriaHidden(el) });
}

// In the middle of another's name, a control stands for what it holds.
function embeddedValue(el, role) {
  switch (role) {
    case 'textbox': case 'searchbox': return valueOfText(el);
    case 'combobox': return tagOf(el) === 'select' ? selectedText(el) : valueOfText(el);
    case 'listbox': return tagOf(el) === 'select' ? selectedText(el) : chosenText(el);
    case 'slider': case 'spinbutton': case 'progressbar': case 'meter': case 'scrollbar':
      return dom.attr(el, 'aria-valuetext') || dom.attr(el, 'aria-valuenow') || String(prop.inputValue(el) ?? prop.meter(el) ?? '');
    default: return null;
  }
}

const valueOfText = (el) => prop.inputValue(el) ?? prop.areaValue(el) ?? dom.text(el);

const selectedText = (el) => [...(prop.options(el) || [])].filter(prop.selected).map((one) => prop.optionLabel(one)).join(', ');

function chosenText(el) {
  const chosen = dom.find(el, '[role=option][aria-selected=true]');
  return chosen ? dom.text(chosen) : '';
}

// What the markup itself says of an element.
function nativeName(el, role, walk, how) {
  const tag = tagOf(el);
  switch (tag) {
    case 'img': case 'area': return dom.attr(el, 'alt') || '';
    case 'input': return inputName(el, walk, how);
    case 'textarea': case 'select': case 'meter': case 'progress': case 'output': case 'button': return how.inLabel ? '' : labelText(el, walk);
    case 'fieldset': return childText(el, 'legend', walk);
    case 'table': return childText(el, 'caption', walk);
    case 'optgroup': return dom.attr(el, 'label') || '';
    case 'option': return prop.optionLabel(el) || '';
    default:
  }
  if (dom.space(el) === SVG) {
    const title = childNamed(el, 'title');
    if (title) return dom.text(title);
  }
  return '';
}

function inputName(el, walk, how) {
  const type = prop.inputType(el);
  const label = how.inLabel ? '' : labelText(el, walk);
  if (label !== '') return label;
  switch (type) {
    case 'submit': return prop.inputValue(el) || (dom.has(el, 'value') ? '' : 'Submit');
    case 'reset': return prop.inputValue(el) || (dom.has(el, 'value') ? '' : 'Reset');
    case 'button': return prop.inputValue(el);
    case 'image': return dom.attr(el, 'alt') || prop.inputValue(el) || dom.attr(el, 'title') || 'Submit';
    default: return '';
  }
}

// The text of the labels that a control has, without the control itself.
function labelText(el, walk) {
  return [...labelsOf(el)].map((label) => {
    walk.seen.add(el);
    return textAlternative(label, '', walk, { inLabel: el, hiddenToo: !isRendered(label) });
  }).join(' ');
}

function childText(el, tag, walk) {
  const child = childNamed(el, tag);
  return child ? textAlternative(child, '', walk, {}) : '';
}

const takesPlaceholder = (role) => role === 'textbox' || role === 'searchbox' || role === 'spinbutton' || role === 'combobox';

// The text of what is in an element, with the blanks that its layout makes.
function contentOf(el, role, walk, how) {
  let text = generated(el, '::before');
  const add = (more, apart) => {
    if (more === '') return;
    text += apart && text !== '' && !/\s$/.test(text) ? ' ' + more + ' ' : more;
  };
  const visit = (node) => {
    if (dom.type(node) === TEXT) {
      text += dom.data(node);
      return;
    }
    if (!isElement(node) || walk.steps > MAX_STEPS) return;
    const tag = tagOf(node);
    if (tag === 'br') {
      text += ' ';
      return;
    }
    if (SKIP.has(tag)) return;
    const style = styleOf(node);
    if (!how.hiddenToo && (isAriaHidden(node) || style.display === 'none' || hidesContent(el, style))) return;
    if (!how.hiddenToo && style.visibility !== 'visible' && style.display !== 'contents') {
      add(contentOf(node, '', walk, { ...how, root: false, unseenText: true }), false);
      return;
    }
    const childRole = roleOf(node);
    if (role === 'treeitem' && childRole === 'group') return;
    const apart = isApart(style);
    const part = textAlternative(node, childRole, walk, { inLabel: how.inLabel, hiddenToo: how.hiddenToo });
    if (apart && text !== '' && !/\s$/.test(text)) text += ' ';
    text += part;
    if (apart && part !== '') text += ' ';
  };
  if (how.unseenText) {
    eachChild(el, (node) => { if (isElement(node)) visit(node); });
    return text;
  }
  if (isClosedDetails(el) && !how.hiddenToo) {
    const summary = childNamed(el, 'summary');
    if (summary) visit(summary);
    return text;
  }
  eachChild(el, visit);
  for (const one of named(el, 'aria-owns')) visit(one);
  return text + generated(el, '::after');
}

const isApart = isBlock; // boxes of their own are words of their own

// Text that the style sheet adds; its alternative, where one is given.
function generated(el, pseudo) {
  const style = getComputedStyle(el, pseudo);
  const { content } = style;
  if (content === 'none' || content === 'normal' || content === '') return '';
  const alternative = content.lastIndexOf('" / ');
  const part = (alternative >= 0 ? content.slice(alternative + 3) : content).replace(/url\("(?:[^"\\]|\\.)*"\)/g, '');
  let text = '';
  for (const match of part.matchAll(/"((?:[^"\\]|\\.)*)"|\b(open|close)-quote/g)) {
    text += match[2] ? { open: '“', close: '”' }[match[2]] : match[1].replace(/\\(.)/g, '$1');
  }
  return isBlock(style) && text !== '' ? ` ${text} ` : text;
}

const isAriaHidden = (el) => dom.attr(el, 'aria-hidden') === 'true';
