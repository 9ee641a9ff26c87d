/** The window in which a person chooses a passkey, or agrees to a new one. */

import { at, row, text } from '../text.js';

/** A click that was meant for something else, and hit the window just as it came up, does not count. */
const SETTLE_MILLISECONDS = 500;
const PING_MILLISECONDS = 15_000;

const port = chrome.runtime.connect({ name: 'window' });
port.onMessage.addListener(render);
port.onDisconnect.addListener(() => window.close());
// A worker that hears nothing is ended.
setInterval(() => port.postMessage({ type: 'ping' }), PING_MILLISECONDS);

/** @type {ReturnType<typeof setTimeout> | undefined} */
let settling;

at('other').textContent = text('otherDevice');
at('cancel').textContent = text('cancel');
at('other').addEventListener('click', say({ type: 'other' }));
at('cancel').addEventListener('click', say({ type: 'close' }));
document.addEventListener('keydown', (event) => {
  if (event.key === 'Escape') {
    port.postMessage({ type: 'close' });
  }
});
window.addEventListener('focus', settle);
document.addEventListener('visibilitychange', settle);

/** @param {object} choice */
function say(choice) {
  return (/** @type {Event} */ event) => {
    if (event.isTrusted) {
      port.postMessage(choice);
    }
  };
}

/**
 * @param {{kind: 'create' | 'get', isLocked: boolean, accounts: any[], site: string, host: string, user: string,
 *   displayName: string, top: string}} content
 */
function render({ kind, isLocked, accounts, site, host, user, displayName, top }) {
  const main = at('main');
  document.title = text('extensionName');
  at('title').textContent = kind === 'create' ? text('createTitle', site) : text('getTitle', site);
  at('host').textContent = host === site ? '' : text('requestOf', host);
  at('host').hidden = host === site;
  at('top').textContent = text('shownIn', top);
  at('top').hidden = !top;
  at('accounts').replaceChildren();
  main.hidden = true;
  if (isLocked) {
    at('text').textContent = text('locked');
    main.textContent = text('unlock');
    main.onclick = say({ type: 'unlock' });
    main.hidden = false;
  } else if (kind === 'create') {
    at('text').textContent = text('createText');
    const item = document.createElement('li');
    item.append(row('div', user || displayName, displayName === user || !user ? '' : displayName));
    item.firstElementChild?.classList.add('account');
    at('accounts').append(item);
    main.textContent = text('createPasskey');
    main.onclick = say({ type: 'agree' });
    main.hidden = false;
  } else {
    at('text').textContent = accounts.length > 0 ? text('getText') : text('noPasskey', site);
  }
  // While the vault is locked, other credential managers may have some.
  if (kind === 'get') {
    at('accounts').append(...accounts.map((account) => {
      const name = account.user || account.displayName || text('noName');
      const more = [account.displayName === name ? '' : account.displayName, account.provider].filter(Boolean).join(' · ');
      const button = /** @type {HTMLButtonElement} */ (row('button', name, more));
      button.type = 'button';
      button.dataset.testid = 'account';
      button.addEventListener('click', say({ type: 'pick', id: account.id }));
      const item = document.createElement('li');
      item.append(button);
      return item;
    }));
  }
  document.querySelector('main')?.removeAttribute('hidden');
  settle();
  fit();
}

/** Buttons work once the window has been in view for a moment. */
function settle() {
  const buttons = [...document.querySelectorAll('button')].filter(({ id }) => id !== 'cancel');
  buttons.forEach((button) => { button.disabled = true; });
  clearTimeout(settling);
  settling = setTimeout(() => {
    buttons.forEach((button) => { button.disabled = false; });
    const first = buttons.find((button) => !button.hidden);
    first?.focus();
  }, SETTLE_MILLISECONDS);
}

/** As high as what it shows. */
async function fit() {
  const { id } = await chrome.windows.getCurrent();
  const height = Math.min(720, document.body.scrollHeight + window.outerHeight - window.innerHeight);
  if (id !== undefined && height > 120) {
    chrome.windows.update(id, { height }).catch(() => {});
  }
}
