/** What Ward has for the page: to fill in, to copy, and codes with the time that is left; and a search in the whole vault. */

import { at, row, text } from '../text.js';

const KINDS = { passkey: 'passkey', password: 'password', oneTimeCode: 'oneTimeCode' };
const SEARCH_DELAY = 150;

/** @typedef {import('./news.js').Tools} Tools */

/**
 * @param {Tools} tools
 * @param {boolean} isOpen
 */
export async function showEntries(tools, isOpen) {
  const { host, entries = [] } = /** @type {any} */ (isOpen ? await tools.ask({ type: 'entries' }) ?? {} : {});
  at('site').hidden = !host;
  at('site-title').textContent = host ? text('entriesOf', host) : '';
  at('entries').replaceChildren(...entries.map((entry) => item(entry, tools, 'copy')));
  if (entries.length === 0) {
    at('entries').append(empty('noEntries'));
  }
}

/**
 * @param {Tools} tools
 * @param {boolean} isOpen
 */
export function prepareSearch(tools, isOpen) {
  at('search-part').hidden = !isOpen;
  at('search').placeholder = text('search');
  at('search').setAttribute('aria-label', text('search'));
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let waiting;
  at('search').oninput = () => {
    clearTimeout(waiting);
    waiting = setTimeout(() => search(tools), SEARCH_DELAY);
  };
}

/** @param {Tools} tools */
async function search(tools) {
  const query = at('search').value.trim();
  const { entries = [] } = query ? await tools.ask({ type: 'search', query }) ?? {} : {};
  if (at('search').value.trim() === query) {
    at('found').hidden = !query;
    at('found').replaceChildren(...entries.map((entry) => item(entry, tools, 'reveal')));
    if (entries.length === 0) {
      at('found').append(empty('nothingFound'));
    }
  }
}

/** @param {string} name */
function empty(name) {
  const element = document.createElement('li');
  element.className = 'soft';
  element.textContent = text(name);
  return element;
}

/**
 * @param {any} entry
 * @param {Tools} tools
 * @param {'copy' | 'reveal'} way How its secret is asked for: of the page, or of the whole vault, for which the agent asks the person.
 */
function item({ id, kind, user, title, domain, provider, isDraft }, { ask, note }, way) {
  const element = document.createElement('li');
  const word = text(isDraft ? 'draft' : KINDS[kind] ?? 'password');
  const [name, more] = way === 'reveal' ? [title || domain, user] : [user || title || text('noName'), provider];
  element.append(row('div', name, [word, more].filter(Boolean).join(' · ')));
  if (kind === 'passkey') {
    return element;
  }
  const buttons = document.createElement('div');
  buttons.className = 'tools';
  const button = (/** @type {string} */ hook, /** @type {() => Promise<void>} */ work) => {
    const made = document.createElement('button');
    made.type = 'button';
    made.dataset.testid = hook;
    made.textContent = text(hook);
    made.setAttribute('aria-label', `${text(hook)}: ${name}, ${word}`);
    made.addEventListener('click', (event) => event.isTrusted && work());
    buttons.append(made);
  };
  if (way === 'copy') {
    button('fill', async () => {
      const answer = await ask({ type: 'put', entry: id, kind });
      if (answer?.isDone) {
        window.close();
      } else if (answer) {
        note(text('noField'));
      }
    });
  }
  if (kind === 'oneTimeCode') {
    button('showCode', async () => {
      const given = await ask({ type: way, entry: id });
      if (given?.code) {
        showCode(element, given);
      }
    });
  }
  button('copy', async () => {
    const given = await ask({ type: way, entry: id });
    const value = given?.password ?? given?.code;
    if (value !== undefined) {
      const held = await ask({ type: 'hold', text: value });
      if (held?.seconds) {
        return note(text('copiedFor', String(held.seconds)));
      }
      await navigator.clipboard.writeText(value);
      note(text('copied'));
    }
  });
  element.append(buttons);
  return element;
}

/**
 * A code until its time is over.
 *
 * @param {HTMLElement} element
 * @param {{code?: string, secondsLeft?: number, period?: number}} given
 */
function showCode(element, { code = '', secondsLeft, period }) {
  element.querySelector('.code')?.remove();
  const line = document.createElement('div');
  line.className = 'code';
  line.dataset.testid = 'code';
  const digits = document.createElement('span');
  digits.textContent = code.length === 6 ? `${code.slice(0, 3)} ${code.slice(3)}` : code;
  line.append(digits);
  element.append(line);
  if (secondsLeft === undefined || period === undefined) {
    return;
  }
  const bar = document.createElement('progress');
  const left = document.createElement('span');
  left.className = 'left';
  bar.max = period;
  bar.setAttribute('aria-hidden', 'true');
  line.append(bar, left);
  const end = performance.now() + secondsLeft * 1000;
  const tick = () => {
    const seconds = Math.ceil((end - performance.now()) / 1000);
    if (seconds <= 0 || !line.isConnected) {
      clearInterval(timer);
      line.remove();
      return;
    }
    bar.value = seconds;
    left.textContent = text('secondsLeft', String(seconds));
  };
  const timer = setInterval(tick, 250);
  tick();
}
