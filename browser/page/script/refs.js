// References: a number for an element, given once and never to another. Neither
// side keeps an element alive.

const refs = (() => {
  const numbers = new WeakMap();
  const elements = new Map();
  let next = 1;
  let swept = 0;

  // Drops the numbers of elements that are gone, now and then.
  function sweep() {
    if (elements.size < swept * 2 + 10000) return;
    for (const [number, weak] of elements) if (!weak.deref()) elements.delete(number);
    swept = elements.size;
  }

  return {
    // Numbers from here on are free in all frames of the tab.
    start(from) {
      sweep();
      next = Math.max(next, from);
    },
    next: () => next,
    of(el) {
      let number = numbers.get(el);
      if (number === undefined) {
        number = next++;
        numbers.set(el, number);
        elements.set(number, new WeakRef(el));
      }
      return number;
    },
    // The number an element has already, or 0.
    known: (el) => numbers.get(el) || 0,
    // The element of a number, if it is still in the page.
    find(number) {
      const el = elements.get(number)?.deref();
      return el && dom.connected(el) ? el : null;
    },
  };
})();
