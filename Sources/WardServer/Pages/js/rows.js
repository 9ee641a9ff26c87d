/** Rows made from the page's templates. */

import { message } from './messages.js';

/** A copy of what the template by this id holds. */
export function clone(id) {
  return document.getElementById(id).content.firstElementChild.cloneNode(true);
}

/** The part of a row by its name or test hook. */
export function part(row, name) {
  return row.querySelector(`[data-part="${name}"], [data-testid="${name}"]`);
}

/** Writes a sentence, with the exact time for those who point at it. */
export function stamp(element, name, values, exactly = '') {
  element.textContent = message(name, values);
  element.title = exactly;
}
