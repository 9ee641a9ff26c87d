/** Rows, tables and links that are shown once, on the admin page. */

import { message } from './messages.js';
import { notices } from './notices.js';
import { clone, part } from './rows.js';

/**
 * A row of a list.
 *
 * @param title Its name.
 * @param facts Short sentences below the name; empty ones are left out.
 * @param actions Its buttons: `{ hook, text, name, isDangerous, run }`; `name` is what screen readers say.
 */
export function adminRow(title, facts, actions = []) {
  const row = clone('admin-row');
  part(row, 'title').textContent = title;
  showFacts(part(row, 'facts'), facts);
  const place = row.querySelector('.row-actions');
  for (const { hook, text, name, isDangerous = false, run } of actions) {
    const button = document.createElement('button');
    button.type = 'button';
    button.className = isDangerous ? 'button small danger' : 'button small';
    button.dataset.testid = hook;
    button.textContent = text;
    button.setAttribute('aria-label', name);
    button.addEventListener('click', run);
    place.append(button);
  }
  return row;
}

/** Writes short sentences beside each other. A sentence can be an element. */
export function showFacts(element, facts) {
  element.replaceChildren(...facts.filter(Boolean).map((fact) => {
    const span = document.createElement('span');
    span.append(fact);
    return span;
  }));
}

/** A text that has no language: a name, an ID. */
export function plain(text) {
  const element = document.createElement('bdi');
  element.textContent = text;
  return element;
}

/** Fills a list; with nothing in it, it says so. */
export function fill(list, rows, none) {
  if (rows.length > 0) {
    list.replaceChildren(...rows);
    return;
  }
  const row = clone('admin-none');
  row.querySelector('.row-note').textContent = none;
  list.replaceChildren(row);
}

/** A row of a table, which begins with its heading. */
export function tableRow(heading, values) {
  const row = document.createElement('tr');
  const head = document.createElement('th');
  head.scope = 'row';
  head.append(heading);
  row.append(head, ...values.map((value) => {
    const cell = document.createElement('td');
    cell.append(value);
    return cell;
  }));
  return row;
}

/** Shows a link, which the service tells only once. */
export function showLink(place, text, link) {
  const shown = clone('admin-link');
  part(shown, 'text').textContent = text;
  part(shown, 'admin-link').textContent = link;
  const copy = part(shown, 'admin-link-copy');
  copy.addEventListener('click', async () => {
    try {
      await navigator.clipboard.writeText(link);
      notices.say('linkCopied');
    } catch {
      // It can still be selected by hand.
      getSelection().selectAllChildren(part(shown, 'admin-link'));
    }
  });
  part(shown, 'admin-link-done').addEventListener('click', () => {
    hideLink(place);
    place.closest('section').querySelector('h2').focus();
  });
  place.replaceChildren(shown);
  place.hidden = false;
  copy.focus();
}

/** Takes a link away, if one is shown. */
export function hideLink(place) {
  place.hidden = true;
  place.replaceChildren();
}

/** On or off, in words. */
export function switchText(isOn) {
  return message(isOn ? 'admin.on' : 'admin.off');
}
