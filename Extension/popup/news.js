/** What happened in pages and waits for the person: a password to save, and passkeys that were made without a question. */

import { at, row, text } from '../text.js';

/** @typedef {{ask: (message: object) => Promise<any>, note: (sentence: string) => void, again: () => Promise<void>}} Tools */

/**
 * @param {Tools} tools
 * @param {boolean} isOn
 */
export async function showOffer({ ask, note, again }, isOn) {
  const offer = isOn ? (await chrome.runtime.sendMessage({ type: 'offer', ...place() }))?.offer : null;
  at('offer').hidden = !offer;
  if (!offer) {
    return;
  }
  const isUpdate = offer.outcome === 'update' && offer.replaces;
  at('offer-title').textContent = text(isUpdate ? 'offerUpdate' : 'offerNew', offer.site);
  at('offer-label').textContent = text('userName');
  at('offer-user').value = offer.user;
  const more = offer.outcome === 'locked' ? text('offerLocked') : offer.title ? text('offerIn', offer.title) : '';
  at('offer-text').textContent = more;
  at('offer-text').hidden = !more;
  at('offer-save').textContent = text(isUpdate ? 'update' : 'save');
  at('offer-later').textContent = text('notNow');
  at('offer-never').textContent = text('neverHere');
  const decide = async (/** @type {object} */ words) => {
    const answer = await ask({ type: 'decide', ...words });
    if (answer) {
      at('offer').hidden = true;
      await again();
      if (answer.saved) {
        note(text('saved'));
      }
    }
  };
  at('offer').onsubmit = (/** @type {Event} */ event) => {
    event.preventDefault();
    const user = at('offer-user').value;
    decide({ choice: 'save', ...(user === offer.user ? {} : { user }) });
  };
  at('offer-later').onclick = () => decide({ choice: 'later' });
  at('offer-never').onclick = () => decide({ choice: 'never' });
  at('offer-save').focus();
}

/**
 * @param {Tools} tools
 * @param {boolean} isReady
 */
export async function showUpgrades({ ask, note, again }, isReady) {
  const { upgrades = [] } = isReady ? await chrome.runtime.sendMessage({ type: 'upgrades' }) ?? {} : {};
  at('upgrades').hidden = upgrades.length === 0;
  at('upgrades').replaceChildren(...upgrades.slice(0, 3).map(({ id, site, user }) => {
    const item = document.createElement('li');
    item.className = 'beside';
    const undo = document.createElement('button');
    undo.type = 'button';
    undo.dataset.testid = 'undo';
    undo.textContent = text('undo');
    undo.addEventListener('click', async () => {
      if (await ask({ type: 'undo', upgrade: id })) {
        await again();
        note(text('undone'));
      }
    });
    item.append(row('div', text('upgradeMade', user, site), ''), undo);
    return item;
  }));
}

/** The tab that the address of the popup names. */
function place() {
  const number = new URLSearchParams(location.search).get('tab');
  return number ? { tab: Number(number) } : {};
}
