/** The password on the account page: setting, changing and removing it. */

import { FieldPanel } from './field-panel.js';
import { message } from './messages.js';

export class PasswordPanel extends FieldPanel {
  #needed = document.getElementById('password-needed');

  constructor(actions) {
    super('password', actions);
  }

  /** Shows how things stand. */
  show(hasPassword, hasPasskey) {
    this.showState(
      message(stateName(hasPassword, hasPasskey)),
      message(hasPassword ? 'password.change' : 'password.add'),
    );
    this.remove.hidden = !hasPassword;
    this.remove.disabled = !hasPasskey;
    this.#needed.hidden = !hasPassword || hasPasskey;
    if (this.#needed.hidden) {
      this.remove.removeAttribute('aria-describedby');
    } else {
      this.remove.setAttribute('aria-describedby', this.#needed.id);
    }
  }
}

/** The sentence for how things stand. */
function stateName(hasPassword, hasPasskey) {
  if (!hasPassword) {
    return 'password.isNotSet';
  }
  return hasPasskey ? 'password.isSet' : 'password.isOnly';
}
