/**
 * What the account page offers after a sign-in with a password: a passkey, and then to do without the password.
 *
 * Each offer lies above the page, so nothing moves under a finger when it comes.
 */

const element = (id) => document.getElementById(id);

export class Offer {
  #passkey = element('offer');
  #withoutPassword = element('without-password');

  /**
   * @param actions.add Adds a passkey.
   * @param actions.removePassword Removes the password.
   * @param actions.putAway Runs after the person declined a passkey.
   * @param actions.keep Runs after the person declined to remove the password.
   * @param actions.declined Runs after the person declined either.
   */
  constructor({ add, removePassword, putAway, keep, declined }) {
    element('offer-accept').addEventListener('click', add);
    element('without-password-accept').addEventListener('click', removePassword);
    for (const id of ['offer-later', 'without-password-later']) {
      element(id).addEventListener('click', () => {
        this.close();
        if (id === 'offer-later') {
          putAway();
        } else {
          keep();
        }
        declined();
      });
    }
  }

  /** Offers to make a passkey. */
  showPasskey() {
    this.#passkey.hidden = false;
  }

  /** Offers to remove the password, which a passkey has taken the place of. */
  showWithoutPassword() {
    this.close();
    this.#withoutPassword.hidden = false;
  }

  close() {
    this.#passkey.hidden = true;
    this.#withoutPassword.hidden = true;
  }
}
