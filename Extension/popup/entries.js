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
 * The icon of a site, or a letter in a colour of its own.
 *
 * @param {{icon?: string, domain: string}} entry
 * @param {string} name
 */
function picture({ icon, domain }, name) {
  // The agent drew the icon again as a small PNG file; anything else is not shown.
  if (icon && /^[A-Za-z0-9+/]+=*$/.test(icon)) {
    const image = document.createElement('img');
    image.className = 'picture';
    image.alt = '';
    image.src = `data:image/png;base64,${icon}`;
    return image;
  }
  const letter = document.createElement('span');
  letter.className = 'picture letter';
  letter.setAttribute('aria-hidden', 'true');
  letter.textContent = [...name.matchAll(/[\p{L}\p{N}]/gu)][0]?.[0].toUpperCase() ?? '·';
  const hue = [...domain].reduce((sum, character) => (sum * 31 + (character.codePointAt(0) ?? 0)) % 360, 7);
  letter.style.setProperty('--hue', String(hue));
  return letter;
}

/**
 * @param {any} entry
 * @param {Tools} tools
 * @param {'copy' | 'reveal'} way How its secret is asked for: of the page, or of the whole vault, for which the agent asks the person.
 */
function item({ id, kind, user, title, domain, provider, isDraft, siteName, icon }, { ask, note }, way) {
  const element = document.createElement('li');
  const word = text(isDraft ? 'draft' : KINDS[kind] ?? 'password');
  if (way === 'reveal') {
    // A name comes from the site itself, so the domain always stands beside it.
    const isHost = !title || [title, `www.${title}`].includes(domain) || title === `www.${domain}`;
    const name = (isHost && siteName) || title || domain;
    const line = document.createElement('div');
    line.className = 'beside';
    line.append(picture({ icon, domain }, name), row('div', name, [word, user, name === domain ? '' : domain].filter(Boolean).join(' · ')));
    element.append(line);
    return withTools(element, { id, kind }, { ask, note }, way, `${name}, ${word}`);
  }
  const name = user || title || text('noName');
  element.append(row('div', name, [word, provider].filter(Boolean).join(' · ')));
  return withTools(element, { id, kind }, { ask, note }, way, `${name}, ${word}`);
}

/**
 * Adds the buttons of an entry.
 *
 * @param {HTMLElement} element
 * @param {{id: string, kind: string}} entry
 * @param {Pick<Tools, 'ask' | 'note'>} tools
 * @param {'copy' | 'reveal'} way
 * @param {string} label
 */
function withTools(element, { id, kind }, { ask, note }, way, label) {
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
    made.setAttribute('aria-label', `${text(hook)}: ${label}`);
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
