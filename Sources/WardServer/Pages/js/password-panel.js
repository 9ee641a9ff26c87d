/** The password on the account page: setting, changing and removing it. */

import { message } from './messages.js';

const element = (id) => document.getElementById(id);

export class PasswordPanel {
  #form = element('password-form');
  #input = element('new-password');
  #actions = element('password-actions');
  #edit = element('password-edit');
  #remove = element('password-remove');
  #needed = element('password-needed');

  /**
   * @param actions.save Sets the password; resolves to whether it is set.
   * @param actions.remove Removes it.
   */
  constructor({ save, remove }) {
    this.#edit.addEventListener('click', () => this.#open());
    this.#remove.addEventListener('click', remove);
    element('password-cancel').addEventListener('click', () => this.#close());
    this.#form.addEventListener('keydown', (event) => {
      if (event.key === 'Escape' && !event.isComposing) {
        this.#close();
      }
    });
    this.#form.addEventListener('submit', async (event) => {
      event.preventDefault();
      if (await save(this.#input.value)) {
        this.#close();
      } else {
        this.#input.setAttribute('aria-invalid', 'true');
        this.#input.setAttribute('aria-describedby', 'error new-password-hint');
        this.#input.focus();
      }
    });
  }

  /** Shows how things stand. */
  show(hasPassword, hasPasskey) {
    element('password-state').textContent = message(hasPassword ? 'password.isSet' : 'password.isNotSet');
    this.#edit.textContent = message(hasPassword ? 'password.change' : 'password.add');
    this.#actions.hidden = !this.#form.hidden;
    this.#remove.hidden = !hasPassword;
    this.#remove.disabled = !hasPasskey;
    this.#needed.hidden = !hasPassword || hasPasskey;
    if (this.#needed.hidden) {
      this.#remove.removeAttribute('aria-describedby');
    } else {
      this.#remove.setAttribute('aria-describedby', this.#needed.id);
    }
  }

  #open() {
    this.#form.hidden = false;
    this.#actions.hidden = true;
    this.#input.focus();
  }

  #close() {
    this.#form.hidden = true;
    this.#form.reset();
    this.#input.removeAttribute('aria-invalid');
    this.#input.setAttribute('aria-describedby', 'new-password-hint');
    this.#actions.hidden = false;
    this.#edit.focus();
  }
}
