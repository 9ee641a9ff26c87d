/**
 * The card that suggests a second passkey to an account with one.
 *
 * A person who declines sees it no more for this account, in this browser.
 */

const key = 'ward.second';

export class SecondPasskey {
  #card = document.getElementById('second');
  #account = null;

  /**
   * @param actions.add Adds a passkey.
   * @param actions.declined Runs after the person declined.
   */
  constructor({ add, declined }) {
    document.getElementById('second-add').addEventListener('click', add);
    document.getElementById('second-later').addEventListener('click', () => {
      remember(this.#account.id);
      this.#card.hidden = true;
      declined();
    });
  }

  /** Shows or hides the card, for an account with these passkeys. */
  show(account, passkeys) {
    this.#account = account;
    this.#card.hidden = passkeys.length !== 1 || isRemembered(account.id);
  }
}

function isRemembered(id) {
  try {
    return localStorage.getItem(key) === id;
  } catch {
    return false;
  }
}

function remember(id) {
  try {
    localStorage.setItem(key, id);
  } catch {
    // Without storage the card comes back with the next page.
  }
}
