/** The vaults that the account keeps at the sync server, on the account page. */

import { call } from './api.js';
import { ask } from './dialog.js';
import { dateText, message, momentText, sinceText, sizeText } from './messages.js';
import { notices } from './notices.js';
import { clone, part, stamp } from './rows.js';

const panel = document.getElementById('vaults-panel');
const list = document.getElementById('vaults');
const room = document.getElementById('vaults-room');
/** Where a person goes on when the panel is gone with the last vault. */
const next = document.getElementById('activity-heading');

export class VaultsPanel {
  #perform;
  #withRecentSignIn;
  #reload;
  #isEmpty = false;

  /**
   * @param how.perform Runs one action at a time and explains its failure.
   * @param how.withRecentSignIn Repeats an action after a sign-in, if it needs one.
   * @param how.reload Loads what happened to the account again.
   */
  constructor({ perform, withRecentSignIn, reload }) {
    this.#perform = perform;
    this.#withRecentSignIn = withRecentSignIn;
    this.#reload = reload;
  }

  /** Whether the account has no vault, as far as the page knows. */
  get isEmpty() {
    return this.#isEmpty;
  }

  /** Loads the vaults, and shows them; nothing if there are none. */
  async load() {
    const { vaults, most } = await call('GET', '/account/vaults');
    this.#isEmpty = vaults.length === 0;
    panel.hidden = this.#isEmpty;
    const used = vaults.reduce((sum, { bytes }) => sum + bytes, 0);
    room.textContent = message('vaults.room', { used: sizeText(used), most: sizeText(most.bytes) });
    list.replaceChildren(...vaults.map((vault) => this.#row(vault)));
  }

  #row(vault) {
    const { broughtAt, lastUsedAt } = vault;
    const row = clone('vault-row');
    const id = shortened(vault);
    row.dataset.vaultId = vault.id;
    stamp(part(row, 'vault-name'), 'vaults.name', { id }, vault.id);
    part(row, 'size').textContent = sizeText(vault.bytes);
    part(row, 'devices').textContent = message('vaults.devices', { count: vault.devices });
    stamp(part(row, 'brought'), 'vaults.brought', { date: dateText(broughtAt) }, momentText(broughtAt));
    if (lastUsedAt) {
      stamp(part(row, 'used'), 'passkeys.lastUsed', { when: sinceText(lastUsedAt) }, momentText(lastUsedAt));
    } else {
      part(row, 'used').textContent = message('passkeys.neverUsed');
    }
    const remove = part(row, 'vault-delete');
    remove.setAttribute('aria-label', message('vaults.deleteOf', { id }));
    remove.addEventListener('click', () => this.#remove(vault));
    return row;
  }

  #remove(vault) {
    return this.#perform(async () => {
      const isConfirmed = await ask({
        kind: 'delete-vault',
        title: message('vaults.deleteTitle', { id: shortened(vault) }),
        text: message('vaults.deleteText'),
        hint: message('vaults.deleteHint'),
        action: message('vaults.deleteConfirm'),
        isDangerous: true,
      });
      if (isConfirmed) {
        await this.#withRecentSignIn(() => call('DELETE', `/account/vaults/${vault.id}`));
        await Promise.all([this.load(), this.#reload()]);
        notices.say('vaultDeleted');
        (this.#isEmpty ? next : document.getElementById('vaults-heading')).focus();
      }
    });
  }
}

/** The first digits of the ID: nobody here knows a name of the vault. */
function shortened({ id }) {
  return id.slice(0, 8);
}
