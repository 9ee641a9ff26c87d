/** The people who can approve a recovery of the account, on the account page: naming and removing them. */

import { call } from './api.js';
import { ask } from './dialog.js';
import { dateText, message, momentText } from './messages.js';
import { notices } from './notices.js';
import { PasskeyError } from './passkeys.js';
import { clone, part, stamp } from './rows.js';

const element = (id) => document.getElementById(id);

/** The sentence of each state. */
const states = { asked: 'helpers.asked', accepted: 'helpers.accepted', active: 'helpers.active', ended: 'helpers.ended' };

export class HelpersPanel {
  #perform;
  #withRecentSignIn;
  #reload;
  #list = element('helpers');
  #form = element('helper-form');
  #name = element('helper-name');

  /**
   * @param how.perform Runs one action at a time and explains its failure.
   * @param how.withRecentSignIn Repeats an action after a sign-in, if it needs one.
   * @param how.reload Loads the account again.
   */
  constructor({ perform, withRecentSignIn, reload }) {
    this.#perform = perform;
    this.#withRecentSignIn = withRecentSignIn;
    this.#reload = reload;
    this.#form.addEventListener('submit', (event) => {
      event.preventDefault();
      this.#add();
    });
  }

  /** Loads the helpers, and shows them. */
  async load() {
    const { helpers, most } = await call('GET', '/account/helpers');
    const rows = helpers.map((helper) => this.#row(helper));
    this.#list.replaceChildren(...(rows.length > 0 ? rows : [clone('helper-none')]));
    this.#form.hidden = helpers.length >= most;
  }

  #row(helper) {
    const row = clone('helper-row');
    const { username: name, countsAt } = helper;
    row.dataset.state = helper.state;
    part(row, 'helper-username').textContent = name;
    stamp(
      part(row, 'helper-state'), states[helper.state], { time: countsAt ? dateText(countsAt) : '' }, countsAt ? momentText(countsAt) : '',
    );
    const remove = part(row, 'helper-remove');
    remove.setAttribute('aria-label', message('helpers.removeOf', { name }));
    remove.addEventListener('click', () => this.#remove(helper));
    return row;
  }

  #add() {
    return this.#perform(async () => {
      const username = this.#name.value.trim();
      if (username === '') {
        throw new PasskeyError('name_missing');
      }
      try {
        await this.#withRecentSignIn(() => call('POST', '/account/helpers', { username }));
      } catch (error) {
        throw error.code === 'own_account' ? new PasskeyError('own_helper') : error;
      }
      this.#form.reset();
      await this.#reload();
      notices.say('helperNamed');
    }, (code) => (['name_missing', 'username_not_allowed', 'own_helper'].includes(code) ? this.#name : undefined));
  }

  #remove({ id, username: name }) {
    return this.#perform(async () => {
      const isConfirmed = await ask({
        kind: 'remove-helper',
        title: message('helpers.removeTitle', { name }),
        text: message('helpers.removeText', { name }),
        action: message('helpers.remove'),
        isDangerous: true,
      });
      if (isConfirmed) {
        await this.#withRecentSignIn(() => call('DELETE', `/account/helpers/${id}`));
        await this.#reload();
        notices.say('helperRemoved');
        element('helpers-heading').focus();
      }
    });
  }
}
