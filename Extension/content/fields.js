/** Which fields of a page are for signing in, and how they are filled. */
(() => {
  'use strict';
  const TYPES = new Set(['text', 'email', 'tel', 'url', 'search', 'password']);

  /** @param {EventTarget | null | undefined} target @returns {HTMLInputElement | null} */
  function field(target) {
    return target instanceof HTMLInputElement && TYPES.has(target.type) && !target.disabled && !target.readOnly ? target : null;
  }

  const words = (input) => (input.getAttribute('autocomplete') ?? '').toLowerCase().split(/\s+/);
  const takesPasskey = (input) => words(input).includes('webauthn');
  const takesCode = (input) => words(input).includes('one-time-code');

  const visible = (input) => input.checkVisibility?.() ?? input.getClientRects().length > 0;
  const fieldsIn = (root) => [...root.querySelectorAll('input')].filter((other) => field(other));
  const inputsAround = (input) => fieldsIn(input.form ?? input.getRootNode());

  /**
   * Whether a person can see a field at its place: not hidden, not see-through, not tiny, not moved out of the page, and with
   * nothing over it.
   *
   * @param {HTMLElement} input
   */
  function isSeen(input) {
    const box = input.getBoundingClientRect();
    if (!input.isConnected || !visible(input) || box.width < 16 || box.height < 8) {
      return false;
    }
    for (let next = /** @type {any} */ (input); next; next = next.assignedSlot ?? next.parentElement ?? next.getRootNode().host) {
      const { opacity, visibility, clipPath, maskImage, filter } = getComputedStyle(next);
      const isClear = (value) => ['none', '', 'auto'].includes(value);
      if (Number(opacity) < 0.5 || (next === input && visibility !== 'visible') || !isClear(clipPath) || !isClear(maskImage)
        || /opacity|brightness|blur/.test(filter)) {
        return false;
      }
    }
    const [x, y] = [box.left + box.width / 2, box.top + box.height / 2];
    if (x < 0 || y < 0 || x >= innerWidth || y >= innerHeight) {
      // A person can scroll there, unless it is before the beginning of the page or beyond its end.
      const { scrollWidth, scrollHeight } = document.documentElement;
      return x + scrollX >= 0 && y + scrollY >= 0 && x + scrollX < Math.max(scrollWidth, innerWidth)
        && y + scrollY < Math.max(scrollHeight, innerHeight);
    }
    return reaches(input, x, y);
  }

  /** Whether a click at a place reaches a field or its label. */
  function reaches(input, x, y) {
    let hit = document.elementFromPoint(x, y);
    while (hit?.shadowRoot?.contains(input)) {
      hit = hit.shadowRoot.elementFromPoint(x, y);
    }
    return hit === input || input.contains(hit) || [...(input.labels ?? [])].some((label) => label === hit || label.contains(hit));
  }

  // Passwords that a person sees while typing were password fields before.
  const secrets = new WeakSet();
  const isSecret = (input) => input.type === 'password' || secrets.has(input);

  /** The fields for passwords, and which of them are for a new one. */
  function passwordsIn(root) {
    const all = fieldsIn(root).filter((other) => isSecret(other) && visible(other) && !words(other).includes('one-time-code'));
    const labelled = all.filter((other) => words(other).includes('new-password'));
    const open = all.filter((other) => !words(other).includes('new-password') && !words(other).includes('current-password'));
    const isLabelled = labelled.length > 0 || open.length < all.length;
    const fresh = isLabelled || all.length < 2 ? labelled : all.slice(all.length > 2 ? 1 : 0);
    return { all, fresh, current: all.find((other) => !fresh.includes(other)) ?? null };
  }

  /** Whether a strong password can be suggested for a field. */
  const takesSuggestion = (input) => passwordsIn(input.form ?? input.getRootNode()).fresh.includes(input);

  /** What a person may call themselves in a form, also where the name can only be read. */
  function nameField(root, password) {
    const inputs = /** @type {HTMLInputElement[]} */ ([...root.querySelectorAll('input')]);
    const isNamed = (other) => words(other).includes('username');
    const isText = (other) => ['text', 'email', 'tel'].includes(other.type) && !isSecret(other) && visible(other)
      && !words(other).includes('one-time-code');
    const isBefore = (other) => !password || other.compareDocumentPosition(password) & Node.DOCUMENT_POSITION_FOLLOWING;
    return inputs.find((other) => isNamed(other) && other.value) ?? inputs.find(isNamed)
      ?? inputs.filter((other) => isText(other) && isBefore(other)).at(-1) ?? null;
  }

  /** Whether a field is for a name, in a form that asks for the password later. */
  const takesName = (input) => ['text', 'email', 'tel'].includes(input.type) && (words(input).some((word) =>
    ['username', 'email', 'webauthn'].includes(word)) || input.type === 'email'
    || /user|login|e-?mail|account/i.test(`${input.name} ${input.id}`));

  /** The password that belongs to a field; never one for a new password. */
  function passwordField(input) {
    const isCurrent = (other) => other.type === 'password' && visible(other) && !words(other).includes('new-password');
    return isCurrent(input) ? input : inputsAround(input).find(isCurrent) ?? null;
  }

  function userField(input) {
    const password = passwordField(input);
    if (input !== password) {
      return input;
    }
    const before = inputsAround(input).filter((other) =>
      other !== password && other.type !== 'password' && visible(other)
        && other.compareDocumentPosition(password) & Node.DOCUMENT_POSITION_FOLLOWING);
    return before.at(-1) ?? null;
  }

  function takesPassword(input) {
    return input.type === 'password'
      ? passwordField(input) === input
      : words(input).includes('username') || passwordField(input) !== null && userField(passwordField(input)) === input;
  }

  /** The fields that hold what Ward wrote. */
  const written = new WeakSet();

  function write(input, value) {
    written.add(input);
    input.value = value;
    input.dispatchEvent(new InputEvent('input', { bubbles: true, composed: true, inputType: 'insertReplacementText' }));
    input.dispatchEvent(new Event('change', { bubbles: true }));
  }

  /**
   * Writes into the fields of a form that a person sees.
   *
   * @param {HTMLInputElement} input
   * @param {{user?: string, password?: string, code?: string}} given
   * @returns {boolean} whether anything was written.
   */
  function fill(input, { user, password, code }) {
    const name = userField(input);
    const secret = passwordField(input);
    const wanted = [[input, code], [name, user], [secret, password]];
    const seen = wanted.filter(([target, value]) => target && value !== undefined && isSeen(target));
    seen.forEach(([target, value]) => write(target, value));
    return seen.length > 0;
  }

  /**
   * Writes a generated password into the fields for a new one.
   *
   * @param {HTMLInputElement} input
   * @param {string} password
   */
  function fillNew(input, password) {
    const { fresh } = passwordsIn(input.form ?? input.getRootNode());
    const targets = (fresh.includes(input) ? fresh : [input]).filter(isSeen);
    targets.forEach((target) => write(target, password));
    return targets;
  }

  Object.assign(wardContent, {
    fields: {
      field, takesPasskey, takesCode, takesPassword, takesSuggestion, takesName, passwordsIn, nameField, isSeen, isSecret, secrets, visible,
      written, write, fill, fillNew,
    },
  });
})();
