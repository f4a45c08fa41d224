// What an element is and what acting on it would do, for the person who is asked
// to agree. It runs in the isolated world: the page cannot bend what it calls,
// and names of fields that shadow those of their form are not looked at.
(number, wanted, x, y) => {
  const hobkin = globalThis.hobkin;
  if (!hobkin) return null;
  const attr = (el, name) => Element.prototype.getAttribute.call(el, name);
  const has = (el, name) => Element.prototype.hasAttribute.call(el, name);
  const closest = (el, selector) => Element.prototype.closest.call(el, selector);
  const all = (el, selector) => [...(el instanceof Document ? Document : Element).prototype.querySelectorAll.call(el, selector)];
  const getter = (type, name) => { const found = Object.getOwnPropertyDescriptor(type.prototype, name); return (el) => (el instanceof type ? found.get.call(el) : null); };
  const tagOf = (el) => getter(Element, 'localName')(el);
  const formOf = (el) => getter(HTMLInputElement, 'form')(el) || getter(HTMLButtonElement, 'form')(el) || getter(HTMLSelectElement, 'form')(el) ||
    getter(HTMLTextAreaElement, 'form')(el) || closest(el, 'form');
  const typeOf = (el) => getter(HTMLInputElement, 'type')(el) || getter(HTMLButtonElement, 'type')(el) || '';
  const boxOf = (el) => Element.prototype.getBoundingClientRect.call(el);
  const drawn = (el) => { const box = boxOf(el); return box.width > 0 && box.height > 0; };

  // The field that wants what only a person should give: a code that was sent to
  // them, or a card. Told by the marks for password managers, and by the names
  // that programmers give, which are the same in every language.
  const personal = (el) => {
    if (!['input', 'select', 'textarea'].includes(tagOf(el)) || typeOf(el) === 'hidden') return '';
    const words = (attr(el, 'autocomplete') || '').toLowerCase().split(/\s+/);
    const names = `${attr(el, 'name') || ''} ${attr(el, 'id') || ''}`;
    if (words.includes('one-time-code') || /(^|[\s_-])(otp|totp|one[-_]?time[-_]?(code|password)|mfa[-_]?code|2fa)([\s_-]|$)/i.test(names)) return 'code';
    if (words.some((word) => word.startsWith('cc-')) || /(^|[\s_-])(card[-_]?number|cardnumber|cc[-_]?(number|num|csc|cvc|exp)|cvc|cvv|csc)([\s_-]|$)/i.test(names)) return 'card';
    return '';
  };

  if (wanted === 'captcha') {
    const solved = all(document, '[name="g-recaptcha-response"],[name="h-captcha-response"],[name="cf-turnstile-response"]')
      .some((el) => Boolean(getter(HTMLTextAreaElement, 'value')(el) || getter(HTMLInputElement, 'value')(el)));
    return { boxes: solved ? [] : all(document, 'iframe').filter((el) => { const box = boxOf(el); return box.width >= 100 && box.height >= 40 && getComputedStyle(el).visibility === 'visible'; }).map((el) => getter(HTMLIFrameElement, 'src')(el)).slice(0, 100) };
  }

  let el = null;
  if (wanted === 'element' || wanted === 'field') {
    el = hobkin.element(number);
    if (!el) return { gone: true };
  } else {
    el = wanted === 'point' ? document.elementFromPoint(x, y) : document.activeElement;
    for (let inner = el; inner && inner.shadowRoot; el = inner) inner = wanted === 'point' ? inner.shadowRoot.elementFromPoint(x, y) : inner.shadowRoot.activeElement;
    if (!el) return { none: true };
  }
  const control = wanted === 'field' || tagOf(el) === 'label' ? hobkin.control(number) || el : el;
  const button = closest(control, 'button,input[type="submit"],input[type="image"],input[type="button"],input[type="reset"],[role="button"],[role="menuitem"],summary') || control;
  const judged = JSON.parse(hobkin.judge(button === control ? control : button));
  const link = closest(control, 'a[href],area[href]');
  // A click on what only holds a button may reach the button.
  const BUTTONS = 'button,input[type="submit"],input[type="image"],input[type="button"],input[type="reset"],[role="button"],[role="menuitem"]';
  const within = (top, depth) => {
    if (depth > 8) return null;
    const found = (top instanceof Element ? all(top, BUTTONS) : [...ShadowRoot.prototype.querySelectorAll.call(top, BUTTONS)])[0];
    if (found) return found;
    for (const one of top instanceof Element ? all(top, '*') : [...ShadowRoot.prototype.querySelectorAll.call(top, '*')]) {
      const inner = one.shadowRoot ? within(one.shadowRoot, depth + 1) : null;
      if (inner) return inner;
    }
    return null;
  };
  const holds = wanted === 'element' ? within(el, 0) || (el.shadowRoot ? within(el.shadowRoot, 0) : null) : null;
  const form = formOf(button);
  const submit = form && (tagOf(button) === 'button' || tagOf(button) === 'input') && ['submit', 'image'].includes(typeOf(button));
  const fields = form ? all(form, 'input,select,textarea') : all(document, 'input,select,textarea');
  return {
    focused: document.hasFocus(), frame: ['iframe', 'frame'].includes(tagOf(el)), tag: tagOf(control), type: typeOf(control), role: judged.role || '', name: String(judged.name || '').slice(0, 200),
    submit: Boolean(submit), opener: ['aria-expanded', 'aria-haspopup', 'aria-pressed'].some((name) => has(button, name)) || tagOf(button) === 'summary',
    editable: Boolean(control instanceof HTMLElement && control.isContentEditable), link: link ? getter(HTMLAnchorElement, 'href')(link) || getter(HTMLAreaElement, 'href')(link) || '' : '',
    action: form ? getter(HTMLButtonElement, 'formAction')(has(button, 'formaction') ? button : null) || getter(HTMLInputElement, 'formAction')(has(button, 'formaction') ? button : null) || getter(HTMLFormElement, 'action')(form) : '',
    holds: holds ? JSON.parse(hobkin.judge(holds)).name.slice(0, 200) || 'a button' : '', personal: personal(control), personalForm: form ? fields.filter(drawn).map(personal).find(Boolean) || '' : '', secret: typeOf(control) === 'password',
  };
}
