/** The names on the account page: showing and changing them. */

const element = (id) => document.getElementById(id);

export class NamesPanel {
  #form = element('names-form');
  #username = element('new-username');
  #displayName = element('new-display-name');
  #edit = element('names-edit');
  #account = null;

  /** @param save Saves the changed names, `{ username, displayName }`; resolves to `null`, or to what failed. */
  constructor(save) {
    this.#edit.addEventListener('click', () => this.#open());
    element('names-cancel').addEventListener('click', () => this.#close());
    this.#form.addEventListener('keydown', (event) => {
      if (event.key === 'Escape' && !event.isComposing) {
        this.#close();
      }
    });
    this.#form.addEventListener('submit', async (event) => {
      event.preventDefault();
      this.#clearFaults();
      const changes = this.#changes();
      const code = Object.keys(changes).length > 0 ? await save(changes) : null;
      if (code === null) {
        this.#close();
      } else {
        this.#blame(code);
      }
    });
  }

  /** Shows the account's names everywhere on the page. */
  show(account) {
    this.#account = account;
    element('display-name').textContent = account.displayName;
    element('account-username').textContent = account.username;
    const besidePassword = element('password-username');
    if (besidePassword) {
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

  #close() {
    this.#form.hidden = true;
    this.#clearFaults();
    this.#edit.hidden = false;
    this.#edit.focus();
  }

  /** Marks the field that a failure is about. */
  #blame(code) {
    const isUsername = code === 'name_missing' || code?.startsWith('username_');
    if (!isUsername && code !== 'display_name_not_allowed') {
      return;
    }
    const field = isUsername ? this.#username : this.#displayName;
    field.setAttribute('aria-invalid', 'true');
    field.setAttribute('aria-describedby', 'error');
    field.focus();
  }

  #clearFaults() {
    for (const field of [this.#username, this.#displayName]) {
      field.removeAttribute('aria-invalid');
      field.removeAttribute('aria-describedby');
    }
  }
}
