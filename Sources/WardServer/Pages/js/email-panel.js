/** The e-mail address on the account page: giving, changing and removing it. */

import { FieldPanel } from './field-panel.js';
import { message } from './messages.js';

export class EmailPanel extends FieldPanel {
  constructor(actions) {
    super('email', actions);
  }

  /** Shows the addresses, or that there is none. */
  show(email) {
    const states = [];
    if (email?.confirmed) {
      states.push(message('email.isSet', { email: email.confirmed }));
    }
    if (email?.pending) {
      states.push(message('email.isPending', { email: email.pending }));
    }
    this.showState(
      email ? states.join(' ') : message('email.isNotSet'),
      message(email ? 'email.change' : 'email.add'),
    );
    this.remove.hidden = !email;
  }
}
