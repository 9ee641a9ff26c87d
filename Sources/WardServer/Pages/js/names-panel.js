/** The names on the account page: showing and changing them. */

import { notices } from './notices.js';

const element = (id) => document.getElementById(id);

export class NamesPanel {
  #form = element('names-form');
  #username = element('new-username');
  #displayName = element('new-display-name');
  #edit = element('names-edit');
  #account = null;

  /** @param save Saves the changed names, `{ username, displayName }`; resolves to whether they are saved. */
  constructor(save) {
    this.#edit.addEventListener('click', () => this.#open());
    element('names-cancel').addEventListener('click', () => this.#leave());
    this.#form.addEventListener('keydown', (event) => {
      if (event.key === 'Escape' && !event.isComposing) {
        this.#leave();
      }
    });
    this.#form.addEventListener('submit', async (event) => {
      event.preventDefault();
      const changes = this.#changes();
      if (Object.keys(changes).length === 0 || await save(changes)) {
        this.#close();
      }
    });
  }

  /** Shows the account's names everywhere on the page. */
  show(account) {
    this.#account = account;
    element('display-name').textContent = account.displayName;
    element('account-username').textContent = account.username;
    for (const besidePassword of document.querySelectorAll('.account-username')) {
      besidePassword.value = account.username;
    }
    this.#edit.disabled = false;
  }

  /** Only what differs; an empty display name means the user name. */
  #changes() {
    const username = this.#username.value.trim();
    const displayName = this.#displayName.value.trim() || username;
    return {
      ...(username !== this.#account.username && { username }),
      ...(displayName !== this.#account.displayName && { displayName }),
    };
  }

  #open() {
    this.#username.value = this.#account.username;
    this.#displayName.value = this.#account.displayName;
    this.#form.hidden = false;
    this.#edit.hidden = true;
    this.#username.focus();
  }

  /** Closes the form, and an error in it. */
  #leave() {
    notices.clear();
    this.#close();
  }

  #close() {
    this.#form.hidden = true;
    this.#edit.hidden = false;
    this.#edit.focus();
  }

  /** The field that a failure is about. */
  faultyField(code) {
    if (code === 'display_name_not_allowed') {
      return this.#displayName;
    }
    return code === 'name_missing' || code?.startsWith('username_') ? this.#username : undefined;
  }
}
