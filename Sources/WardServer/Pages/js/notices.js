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

/** How long a status stays, in milliseconds. An error stays until it is closed, or until the next action. */
const statusTime = 20_000;

/** These say that something is under way, so they stay until it ends. */
const unfinished = ['waiting', 'working'];

/**
 * Two live regions, one for status and one for errors; at most one of them speaks.
 *
 * An error about a field stands at the field.
 */
export class Notices {
  #status;
  #error;
  #timer = 0;
  /** Where an error stands that is not about a field, and what comes after it. */
  #home;
  #next;
  #field = null;

  constructor(status, error) {
    this.#status = status;
    this.#error = error;
    this.#home = region(error).parentElement;
    this.#next = region(error).nextSibling;
    for (const element of [status, error]) {
      element.closest('.said')?.querySelector('.close').addEventListener('click', () => this.#close(element));
    }
  }

  /** Says a sentence of the section `status`. */
  say(code, sentence = code) {
    this.#show(this.#status, snakeCase(code), message(`status.${sentence}`));
    this.#hide(this.#error);
    if (!unfinished.includes(code)) {
      this.#hideLater();
    }
  }

  /**
   * Explains a failure; a cancelled prompt is not one.
   *
   * @param how.cancelled The sentence for a cancelled prompt.
   * @param how.field The field that the failure is about, if any; it gets the focus.
   * @param how.sentence The sentence of the section `error` for it, if not the usual one.
   */
  explain(error, { cancelled = 'cancelled', field, sentence } = {}) {
    this.#release();
    if (error.code === 'cancelled') {
      this.say('cancelled', cancelled);
      return;
    }
    const isNamed = typeof error.code === 'string';
    if (!isNamed) {
      console.error(error);
    }
    this.#show(this.#error, isNamed ? error.code : 'unexpected', explanation(sentence ? { code: sentence } : error));
    this.#hide(this.#status);
    if (field) {
      this.#blame(field);
    }
    this.#error.scrollIntoView({ block: 'nearest' });
  }

  /** Puts the error at a field. */
  #blame(field) {
    this.#field = field;
    (field.closest('.field') ?? field.parentElement).append(region(this.#error));
    field.setAttribute('aria-invalid', 'true');
    const described = field.getAttribute('aria-describedby');
    field.setAttribute('aria-describedby', [this.#error.id, described].filter(Boolean).join(' '));
    field.focus();
  }

  /** Takes the error away from its field. */
  #release() {
    const field = this.#field;
    if (!field) {
      return;
    }
    this.#field = null;
    this.#home.insertBefore(region(this.#error), this.#next);
    field.removeAttribute('aria-invalid');
    const rest = field.getAttribute('aria-describedby').split(' ').filter((id) => id !== this.#error.id).join(' ');
    if (rest) {
      field.setAttribute('aria-describedby', rest);
    } else {
      field.removeAttribute('aria-describedby');
    }
  }

  /** Says nothing. */
  clear() {
    this.#hide(this.#status);
    this.#hide(this.#error);
  }

  /** The button goes with its notice, so the focus moves to the field, or to the heading. */
  #close(element) {
    const field = element === this.#error ? this.#field : null;
    this.#hide(element);
    if (field) {
      field.focus();
      return;
    }
    document.querySelector('h1[tabindex]:not([hidden] *)')?.focus({ preventScroll: true });
  }

  /** Hides the status after some time, in which the page was in view. */
  #hideLater() {
    this.#timer = setTimeout(() => (document.hidden ? this.#hideLater() : this.#hide(this.#status)), statusTime);
  }

  #show(element, code, text) {
    clearTimeout(this.#timer);
    element.dataset.code = code;
    element.textContent = text;
    element.hidden = false;
  }

  #hide(element) {
    if (element === this.#error) {
      this.#release();
    }
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

/** A notice with its live region and its button. */
function region(notice) {
  return notice.closest('.said') ?? notice.parentElement;
}

function snakeCase(name) {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
