/**
 * The card that suggests a second passkey to an account with one.
 *
 * A person who declines sees it no more for this account, in this browser.
 */

const key = 'ward.second';

export class SecondPasskey {
  #card = document.getElementById('second');
  #account = null;
  #add;

  /**
   * @param actions.add Adds a passkey.
   * @param actions.addButton The button of the page that does the same.
   * @param actions.declined Runs after the person declined.
   */
  constructor({ add, addButton, declined }) {
    this.#add = addButton;
    document.getElementById('second-add').addEventListener('click', add);
    document.getElementById('second-later').addEventListener('click', () => {
      remember(this.#account.id);
      this.#hide(true);
      declined();
    });
  }

  /** Shows or hides the card, for an account with these passkeys. */
  show(account, passkeys) {
    this.#account = account;
    this.#hide(passkeys.length !== 1 || isRemembered(account.id));
  }

  /** While the card is there, its button is the one that stands out. */
  #hide(isHidden) {
    this.#card.hidden = isHidden;
    this.#add.classList.toggle('primary', isHidden);
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
