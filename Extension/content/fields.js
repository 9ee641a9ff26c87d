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
  const inputsAround = (input) => [...(input.form ?? input.getRootNode()).querySelectorAll('input')].filter((other) => field(other));

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

  function write(input, value) {
    input.value = value;
    input.dispatchEvent(new InputEvent('input', { bubbles: true, composed: true, inputType: 'insertReplacementText' }));
    input.dispatchEvent(new Event('change', { bubbles: true }));
  }

  /**
   * @param {HTMLInputElement} input
   * @param {{user?: string, password?: string, code?: string}} given
   */
  function fill(input, { user, password, code }) {
    if (code !== undefined) {
      write(input, code);
    }
    const name = userField(input);
    if (user !== undefined && name) {
      write(name, user);
    }
    const secret = passwordField(input);
    if (password !== undefined && secret) {
      write(secret, password);
    }
  }

  Object.assign(wardContent, { fields: { field, takesPasskey, takesCode, takesPassword, fill } });
})();
