/** What the page says about what just happened: calmly in the status, or as an error with a next step. */

import { hasMessage, message } from './messages.js';

const noticeKey = 'ward.notice';

/** Codes of the service that mean the same to a person. */
const sameAs = {
  algorithm_not_allowed: 'no_usable_authenticator',
  challenge_mismatch: 'challenge_expired',
  challenge_not_found: 'challenge_expired',
  cross_origin_not_allowed: 'wrong_address',
  malformed_request: 'unexpected',
  origin_not_allowed: 'wrong_address',
  passwords_busy: 'overloaded',
  request_timeout: 'network',
  rp_id_mismatch: 'wrong_address',
  top_origin_not_allowed: 'wrong_address',
  unavailable: 'overloaded',
  user_not_present: 'user_not_verified',
};

/** The sentence for whatever was thrown. */
export function explanation(error) {
  const code = sameAs[error.code] ?? error.code;
  if (hasMessage(`error.${code}`)) {
    return message(`error.${code}`);
  }
  if (error.status === 429 || error.status === 503) {
    return message('error.overloaded');
  }
  if (error.status >= 500) {
    return message('error.internal_error');
  }
  return message(error.status === 400 ? 'error.verification_failed' : 'error.unexpected');
}

/** Two live regions, one for status and one for errors; at most one of them speaks. */
export class Notices {
  #status;
  #error;

  constructor(status, error) {
    this.#status = status;
    this.#error = error;
  }

  /** Says a sentence of the section `status`. */
  say(code, sentence = code) {
    this.#show(this.#status, snakeCase(code), message(`status.${sentence}`));
    this.#hide(this.#error);
  }

  /** Explains a failure; a cancelled prompt is not one. */
  explain(error, cancelled = 'cancelled') {
    if (error.code === 'cancelled') {
      this.say('cancelled', cancelled);
      return;
    }
    const isNamed = typeof error.code === 'string';
    if (!isNamed) {
      console.error(error);
    }
    this.#show(this.#error, isNamed ? error.code : 'unexpected', explanation(error));
    this.#hide(this.#status);
    this.#error.scrollIntoView({ block: 'nearest' });
  }

  /** Says nothing. */
  clear() {
    this.#hide(this.#status);
    this.#hide(this.#error);
  }

  #show(element, code, text) {
    element.dataset.code = code;
    element.textContent = text;
    element.hidden = false;
  }

  #hide(element) {
    element.hidden = true;
    element.textContent = '';
    delete element.dataset.code;
  }
}

/** The page's own notices. */
export const notices = new Notices(document.getElementById('status'), document.getElementById('error'));

/** Leaves a status for the next page to say. */
export function leaveNotice(code) {
  try {
    sessionStorage.setItem(noticeKey, code);
  } catch {
    // Without storage the next page just says nothing.
  }
}

/** The status the last page left, once. */
export function takeNotice() {
  try {
    const code = sessionStorage.getItem(noticeKey);
    sessionStorage.removeItem(noticeKey);
    return hasMessage(`status.${code}`) ? code : null;
  } catch {
    return null;
  }
}

function snakeCase(name) {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
