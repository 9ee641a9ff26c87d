/** The list of one's passkeys on the account page. */

import { kindText } from './kinds.js';
import { dateText, message, momentText, sinceText } from './messages.js';
import { notices } from './notices.js';
import { clone, part, stamp } from './rows.js';

export class PasskeyList {
  #element;
  #rename;
  #remove;
  /** Ends the renaming that is open now. */
  #closeEdit = () => {};

  /**
   * @param actions.rename Gives a passkey another name; takes the passkey, the name and its field.
   * @param actions.remove Deletes a passkey.
   */
  constructor(element, { rename, remove }) {
    this.#element = element;
    this.#rename = rename;
    this.#remove = remove;
  }

  /** Shows these, oldest first; the last one can go only where something else signs in. */
  show(passkeys, hasPassword) {
    document.getElementById('passkeys-lead').textContent = message(leadName(passkeys.length));
    const isOnly = passkeys.length === 1 && !hasPassword;
    const rows = passkeys.map((passkey) => this.#row(passkey, isOnly));
    this.#element.removeAttribute('aria-busy');
    this.#element.replaceChildren(...(rows.length > 0 ? rows : [clone('passkey-none')]));
  }

  /** Puts the focus on a passkey's button for renaming, and the passkey in view. */
  focus(id) {
    const row = this.#element.querySelector(`[data-passkey-id="${CSS.escape(id)}"]`);
    if (row) {
      part(row, 'passkey-rename').focus();
      row.scrollIntoView({ block: 'nearest' });
    }
  }

  /** The picture of the passkey's authenticator, if the service has one. */
  #picture(passkey) {
    if (!this.#element.dataset.pictured.split(' ').includes(passkey.aaguid)) {
      return null;
    }
    const image = document.createElement('img');
    image.alt = '';
    image.src = new URL(`../icons/${passkey.aaguid}.png`, import.meta.url);
    return image;
  }

  #row(passkey, isOnly) {
    const row = clone('passkey-row');
    row.dataset.passkeyId = passkey.id;
    part(row, 'badge').append(this.#picture(passkey) ?? firstLetter(passkey.provider ?? passkey.name));
    part(row, 'passkey-name').textContent = passkey.name;
    part(row, 'kind').textContent = kindText(passkey);
    part(row, 'provider').textContent = passkey.provider ?? '';
    stamp(part(row, 'created'), 'passkeys.created', { date: dateText(passkey.createdAt) }, momentText(passkey.createdAt));
    if (passkey.lastUsedAt) {
      const when = sinceText(passkey.lastUsedAt);
      stamp(part(row, 'used'), 'passkeys.lastUsed', { when }, momentText(passkey.lastUsedAt));
    } else {
      stamp(part(row, 'used'), 'passkeys.neverUsed');
    }

    const rename = part(row, 'passkey-rename');
    rename.setAttribute('aria-label', message('passkeys.renameOf', { name: passkey.name }));
    rename.addEventListener('click', () => this.#edit(row, passkey));

    const remove = part(row, 'passkey-delete');
    remove.setAttribute('aria-label', message('passkeys.deleteOf', { name: passkey.name }));
    remove.addEventListener('click', () => this.#remove(passkey));
    remove.disabled = isOnly;
    const reason = part(row, 'only');
    reason.hidden = !isOnly;
    if (isOnly) {
      reason.id = 'only-passkey';
      remove.setAttribute('aria-describedby', reason.id);
    }
    return row;
  }

  /** Puts a field in place of the name. */
  #edit(row, passkey) {
    const form = clone('passkey-rename');
    const input = part(form, 'passkey-rename-input');
    const title = row.querySelector('.row-title');
    const actions = row.querySelector('.row-actions');
    input.value = passkey.name;
    input.id = 'new-passkey-name';
    form.querySelector('label').htmlFor = input.id;

    this.#closeEdit();
    this.#closeEdit = () => {
      form.remove();
      title.hidden = false;
      actions.hidden = false;
    };
    const leave = () => {
      notices.clear();
      this.#closeEdit();
      part(row, 'passkey-rename').focus();
    };
    form.addEventListener('submit', async (event) => {
      event.preventDefault();
      const name = input.value.trim();
      if (name === passkey.name) {
        leave();
      } else {
        await this.#rename(passkey, name, input);
      }
    });
    form.addEventListener('keydown', (event) => {
      if (event.key === 'Escape' && !event.isComposing) {
        leave();
      }
    });
    part(form, 'passkey-rename-cancel').addEventListener('click', leave);

    title.hidden = true;
    actions.hidden = true;
    title.before(form);
    input.focus();
    input.select();
  }
}

/** The sentence for this many passkeys. */
function leadName(count) {
  if (count === 0) {
    return 'passkeys.leadNone';
  }
  return count === 1 ? 'passkeys.leadOne' : 'passkeys.lead';
}

/** The first letter or digit of a name, as a capital; a dot if there is none. */
function firstLetter(name) {
  const [letter] = /[\p{L}\p{N}]\p{M}*/u.exec(name) ?? ['•'];
  return letter.toLocaleUpperCase();
}
