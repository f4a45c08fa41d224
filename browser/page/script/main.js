// What Go may ask for: a function by name, with its arguments.

const api = {
  snapshot(opts) {
    findOwners();
    return snapshot(opts);
  },
  ready, through, fill, held, focusOn, focusFrame, choose, ticked, dragsData, scroll, submit, get, hasText, shown, at, state,
  view: viewport,
  // Whether a click at a point reaches an element.
  hits(number, x, y) {
    const el = refs.find(number);
    return el !== null && isShown(el) && coverAt(el, x, y) === null;
  },
  // Where what scrolls around an element, or the page, stands.
  position(number) {
    const el = number ? refs.find(number) : null;
    return scrollState(scrollerOf(el, 0, 1));
  },
  rect(number) {
    const el = refs.find(number);
    if (!el) return { why: 'gone' };
    const box = dom.box(el);
    return { x: box.x + scrollX, y: box.y + scrollY, width: box.width, height: box.height };
  },
};

// Answers go as JSON, which is quicker to hand over than objects. References are
// counted over all frames: the caller says where to begin, and learns where the
// count ended.
globalThis.hobkin = (name, args, next) => {
  refs.start(next);
  const answer = Reflect.apply(api[name], null, args);
  const say = (value) => JSON.stringify({ next: refs.next(), value });
  return answer instanceof Promise ? answer.then(say) : say(answer);
};

// Elements as they are, for the protocol.
globalThis.hobkin.element = (number) => refs.find(number);
globalThis.hobkin.control = (number) => {
  const el = refs.find(number);
  return el ? controlOf(el) : null;
};
globalThis.hobkin.elements = (numbers) => numbers.map((number) => {
  const el = refs.find(number);
  if (el) timesAsked.set(el, (timesAsked.get(el) || 0) + 1);
  return el;
});
globalThis.hobkin.known = refs.known;
globalThis.hobkin.adopt = adopt;
globalThis.hobkin.listens = listens;

// What an element is and is called, for the comparison with the browser's own
// answer.
globalThis.hobkin.judge = (el) => {
  const role = roleOf(el);
  return JSON.stringify({ tag: dom.tag(el), role, ref: refs.known(el), states: statesOf(el, role), ...nameOf(el, role) });
};
