/** What Ward has for the page: to fill in, to copy, and codes with the time that is left. */

import { at, row, text } from '../text.js';

const KINDS = { passkey: 'passkey', password: 'password', oneTimeCode: 'oneTimeCode' };

/**
 * @param {import('./news.js').Tools} tools
 * @param {boolean} isOpen
 */
export async function showEntries(tools, isOpen) {
  const { host, entries = [] } = /** @type {any} */ (isOpen ? await tools.ask({ type: 'entries' }) ?? {} : {});
  at('site').hidden = !host;
  at('site-title').textContent = host ? text('entriesOf', host) : '';
  at('entries').replaceChildren(...entries.map((entry) => item(entry, tools)));
  if (entries.length === 0) {
    const empty = document.createElement('li');
    empty.className = 'soft';
    empty.textContent = text('noEntries');
    at('entries').append(empty);
  }
}

/**
 * @param {any} entry
 * @param {import('./news.js').Tools} tools
 */
function item({ id, kind, user, title, provider, isDraft }, { ask, note }) {
  const element = document.createElement('li');
  const word = text(isDraft ? 'draft' : KINDS[kind] ?? 'password');
  const name = user || title || text('noName');
  element.append(row('div', name, [word, provider].filter(Boolean).join(' · ')));
  if (kind === 'passkey') {
    return element;
  }
  const tools = document.createElement('div');
  tools.className = 'tools';
  const button = (/** @type {string} */ hook, /** @type {string} */ label, /** @type {() => Promise<void>} */ work) => {
    const made = document.createElement('button');
    made.type = 'button';
    made.dataset.testid = hook;
    made.textContent = label;
    made.setAttribute('aria-label', `${label}: ${name}, ${word}`);
    made.addEventListener('click', (event) => event.isTrusted && work());
    tools.append(made);
  };
  button('fill', text('fill'), async () => {
    const answer = await ask({ type: 'put', entry: id, kind });
    if (answer?.isDone) {
      window.close();
    } else if (answer) {
      note(text('noField'));
    }
  });
  button('copy', text('copy'), async () => {
    const given = await ask({ type: 'copy', entry: id });
    const value = given?.password ?? given?.code;
    if (value !== undefined) {
      await navigator.clipboard.writeText(value);
      note(text('copied'));
    }
  });
  element.append(tools);
  return element;
}
