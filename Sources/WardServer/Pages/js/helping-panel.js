/** The people whose recovery this account can approve, on the account page: accepting, approving, and ending it. */

import { call } from './api.js';
import { ask } from './dialog.js';
import { dateText, message, momentText, sinceText } from './messages.js';
import { notices } from './notices.js';
import { PasskeyError } from './passkeys.js';
import { clone, part } from './rows.js';

const element = (id) => document.getElementById(id);

/** The sentence of each state, as the helper sees it. */
const states = { asked: 'helpers.wanted', accepted: 'helpers.accepted', active: 'helpers.helping' };

/** Failures that are about the code that was typed. */
const faults = ['code_missing', 'help_code_wrong'];

export class HelpingPanel {
  #perform;
  #withRecentSignIn;
  #reload;

  /**
   * @param how.perform Runs one action at a time and explains its failure.
   * @param how.withRecentSignIn Repeats an action after a sign-in, if it needs one.
   * @param how.reload Loads the account again.
   */
  constructor({ perform, withRecentSignIn, reload }) {
    this.#perform = perform;
    this.#withRecentSignIn = withRecentSignIn;
    this.#reload = reload;
  }

  /** Loads the people, and shows them; nothing if there are none. */
  async load() {
    const { helping } = await call('GET', '/account/helping');
    element('helping-group').hidden = helping.length === 0;
    element('helping').replaceChildren(...helping.map((person) => this.#row(person)));
  }

  #row(person) {
    const { id, username: name, displayName, state, countsAt, recovery } = person;
    const row = clone('helping-row');
    row.dataset.state = state;
    part(row, 'helping-username').textContent = name;
    part(row, 'display-name').textContent = displayName === name ? '' : displayName;
    part(row, 'helping-state').textContent = message(states[state], { time: countsAt ? dateText(countsAt) : '' });
    const isWish = state === 'asked';
    const accept = part(row, 'helping-accept');
    accept.hidden = !isWish;
    accept.setAttribute('aria-label', message('helpers.acceptOf', { name }));
    accept.addEventListener('click', () => this.#accept(id));
    const hint = part(row, 'hint');
    hint.hidden = !isWish;
    hint.textContent = message('helpers.wantedHint', { name });
    const stop = part(row, 'helping-stop');
    stop.textContent = message(isWish ? 'helpers.decline' : 'helpers.stop');
    stop.setAttribute('aria-label', message(isWish ? 'helpers.declineOf' : 'helpers.stopOf', { name }));
    stop.addEventListener('click', () => this.#stop(person));
    if (recovery) {
      this.#showRequest(row, person);
    }
    return row;
  }

  #showRequest(row, { id, username: name, recovery }) {
    const form = part(row, 'helping-form');
    const code = part(row, 'helping-code');
    const note = part(row, 'helping-request');
    note.textContent = message('helpers.request', { name, time: sinceText(recovery.askedAt) });
    note.title = momentText(recovery.askedAt);
    part(row, 'helping-approve').setAttribute('aria-label', message('helpers.approveOf', { name }));
    form.hidden = false;
    form.addEventListener('submit', (event) => {
      event.preventDefault();
      this.#approve(id, name, code);
    });
  }

  #accept(id) {
    return this.#perform(async () => {
      await this.#withRecentSignIn(() => call('PUT', `/account/helping/${id}`));
      await this.#reload();
      notices.say('helpingAccepted');
      element('helping-heading').focus();
    });
  }

  #approve(id, name, field) {
    return this.#perform(async () => {
      const code = field.value.trim();
      if (code === '') {
        throw new PasskeyError('code_missing');
      }
      const isConfirmed = await ask({
        kind: 'approve-recovery',
        title: message('helpers.approveTitle', { name }),
        text: message('helpers.approveText', { name }),
        action: message('helpers.approve'),
      });
      if (isConfirmed) {
        await this.#withRecentSignIn(() => call('POST', `/account/helping/${id}/approval`, { code }));
        await this.#reload();
        notices.say('helpApproved');
        element('helping-heading').focus();
      }
    }, (code) => (faults.includes(code) ? field : undefined));
  }

  #stop({ id, username: name, state }) {
    return this.#perform(async () => {
      const isConfirmed = state === 'asked' || await ask({
        kind: 'stop-helping',
        title: message('helpers.stopTitle', { name }),
        text: message('helpers.stopText', { name }),
        action: message('helpers.stop'),
        isDangerous: true,
      });
      if (isConfirmed) {
        await this.#withRecentSignIn(() => call('DELETE', `/account/helping/${id}`));
        await this.#reload();
        notices.say('helpingEnded');
        element('helpers-heading').focus();
      }
    });
  }
}
