/**
 * Notices passwords that a person types or that Ward made, and tells the worker when their form was sent.
 *
 * Only what came from a person counts: a page that fills in and submits forms by itself is not heard. The page sees none of it.
 */
(() => {
  'use strict';
  const { field, isSecret, secrets, takesName, passwordsIn, nameField, visible } = wardContent.fields;
  const LOOK_MILLISECONDS = 250;
  /** How many looks in a row must find no password: the form is gone then. */
  const LOOKS = 4;
  const MOST_LOOKS = 1200;

  /** What a person typed, before the page's scripts could change it. @type {WeakMap<HTMLInputElement, string>} */
  const typed = new WeakMap();
  /** The name of an earlier step. */
  let name = '';
  /** What was sent last. @type {{user: string, password: string, current: string} | null} */
  let last = null;
  /** @type {ReturnType<typeof setInterval> | undefined} */
  let looking;

  /** A password that Ward made and wrote into a field. */
  wardContent.generated = (input, password) => {
    typed.set(input, password);
    secrets.add(input);
  };

  /** Whether a form of this very page waits for its outcome. */
  wardContent.isSender = () => last !== null;

  const on = (event, listener) => globalThis.addEventListener(event, (occurred) => occurred.isTrusted && listener(occurred), true);

  on('input', (event) => {
    const input = field(event.composedPath()[0]);
    if (input) {
      if (input.type === 'password') {
        secrets.add(input);
      }
      typed.set(input, input.value);
    }
  });
  on('submit', (event) => sent(event.target));
  on('click', (event) => {
    const button = event.composedPath().find((each) => each instanceof Element
      && each.matches('button, input[type=submit], input[type=button], input[type=image], [role=button], a'));
    if (button) {
      withoutSubmit(button);
    }
  });
  on('keydown', (event) => {
    const input = field(event.composedPath()[0]);
    if (event.key === 'Enter' && input) {
      withoutSubmit(input);
    }
  });

  /** A form with a button to submit it tells by itself when it is sent. @param {any} element */
  function withoutSubmit(element) {
    const form = element.form ?? element.closest('form');
    const submits = form && [...form.elements].some((each) => ['submit', 'image'].includes(each.type));
    if (!submits) {
      sent(form ?? element.getRootNode());
    }
  }

  /** @param {any} root A form, or a document without one. */
  function sent(root) {
    const { all, fresh, current } = passwordsIn(root);
    const own = all.filter((input) => typed.get(input));
    if (own.length === 0) {
      const step = [...root.querySelectorAll('input')].find((input) => takesName(input) && typed.get(input) && visible(input));
      if (step && all.length === 0 && typed.get(step) !== name) {
        name = typed.get(step) ?? '';
        tell({ type: 'name', user: name });
      }
      return;
    }
    const values = all.map((input) => typed.get(input) ?? '');
    // Two fields that nobody named: one password twice, or the current one and a new one.
    const isChange = all.length === 2 && fresh.length === 2 && values[0] !== values[1]
      && !fresh.some((input) => input.autocomplete.includes('new-password'));
    const password = isChange ? values[1] : fresh.length > 0 ? typed.get(fresh[0]) : values[0];
    const before = isChange ? values[0] : fresh.length > 0 && current ? typed.get(current) ?? current.value : '';
    const named = nameField(root, all[0]);
    const user = named ? typed.get(named) ?? named.value : name;
    if (!password) {
      return;
    }
    const form = { user: user || name, password, current: before ?? '' };
    const isSame = last !== null && Object.keys(form).every((key) => form[key] === last?.[key]);
    if (!isSame || looking === undefined) {
      last = form;
      tell({ type: 'capture', ...form, isNew: fresh.length > 0 });
      watch(all);
    }
  }

  /** Says when the form is gone, and when it comes back, without a new page. @param {HTMLInputElement[]} inputs */
  function watch(inputs) {
    clearInterval(looking);
    let [looks, absent, isGone] = [0, 0, false];
    looking = setInterval(() => {
      looks += 1;
      const isThere = inputs.some((input) => input.isConnected && isSecret(input) && visible(input)) || passwordsIn(document).all.length > 0;
      absent = isThere ? 0 : absent + 1;
      if (isGone ? isThere : absent >= LOOKS) {
        isGone = !isGone;
        const { all, fresh } = passwordsIn(document);
        tell({ type: 'look', passwords: Math.max(all.length, isThere ? 1 : 0), fresh: fresh.length });
      }
      if (looks >= MOST_LOOKS) {
        clearInterval(looking);
        looking = undefined;
        last = null;
      }
    }, LOOK_MILLISECONDS);
  }

  async function tell(message) {
    try {
      await chrome.runtime.sendMessage(message);
    } catch {
      // The extension was removed or updated, or does not act here.
      clearInterval(looking);
    }
  }
})();
