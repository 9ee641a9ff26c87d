/** The helpers on the page `/recover`: the code that the person tells one of them, and the wait for the answer. */

import { message, momentText } from './messages.js';

const element = (id) => document.getElementById(id);

/** How often the page asks whether a helper has approved, in milliseconds. */
const pause = 3_000;

export class RecoverHelpers {
  #look;
  #timer = 0;
  #code = null;

  /**
   * @param how.ask Asks the helpers.
   * @param how.look Asks the service how far the recovery is.
   */
  constructor({ ask, look }) {
    this.#look = look;
    element('ask-helpers')?.addEventListener('click', ask);
  }

  /**
   * Shows how things stand; whether there is something to show.
   *
   * @param helpers What the service says about them; `null` if there are none.
   * @param code The code that was just made.
   */
  show(helpers, code) {
    clearTimeout(this.#timer);
    if (!helpers || !element('ask-helpers')) {
      return false;
    }
    const isAsked = helpers.state === 'asked';
    this.#code = isAsked ? code ?? this.#code : null;
    const time = isAsked ? momentText(helpers.expiresAt) : '';
    const lead = this.#code ? 'recover.helpersCode' : 'recover.helpersAsked';
    element('helpers-lead').textContent = isAsked ? message(lead, { time }) : message('recover.helpersLead');
    element('helper-code').textContent = this.#code ? `${this.#code.slice(0, 3)} ${this.#code.slice(3)}` : '';
    element('helper-code').hidden = !this.#code;
    element('ask-helpers').textContent = message(isAsked ? 'recover.helpersAgain' : 'recover.helpersAsk');
    if (isAsked) {
      this.lookLater();
    }
    return helpers.state !== 'approved';
  }

  /** Asks the service in a moment how far the recovery is. */
  lookLater() {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#look(), pause);
  }
}
