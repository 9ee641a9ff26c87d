/** How far the account is on its way to no password, and a recovery that waits. */

import { message, momentText } from './messages.js';

const element = (id) => document.getElementById(id);

/** What a recovery can do, and when. */
function recoveryText({ opensAt, asksHelpers }) {
  if (asksHelpers) {
    return message('recover.waitingHelpers');
  }
  return opensAt ? message('recover.waitingText', { time: momentText(opensAt) }) : message('recover.waitingNotice');
}

/** The steps in their order: what each is, what to do for it, and what the button says that does it. */
const steps = {
  passkey: { name: 'passwordless.passkey', next: 'passwordless.next_passkey', act: 'passkeys.add' },
  way_back: { name: 'passwordless.way_back', next: 'passwordless.next_way_back', act: 'codes.make' },
  no_password: { name: 'passwordless.no_password', next: 'passwordless.next_no_password', act: 'password.remove' },
};

export class PasswordlessPanel {
  #next = null;

  /**
   * @param actions.stop Stops the recoveries that wait.
   * @param actions.steps What does each step, by its word.
   */
  constructor({ stop, steps: acts }) {
    element('recovery-stop').addEventListener('click', stop);
    element('meter-act').addEventListener('click', () => acts[this.#next]?.());
  }

  /** Shows how things stand. */
  show({ passwordless: { done, next }, recoveries }) {
    this.#next = next;
    element('meter').value = done.length;
    element('meter-next').textContent = message(next ? steps[next].next : 'passwordless.end');
    element('meter-act').hidden = !next;
    element('meter-act').textContent = next ? message(steps[next].act) : '';
    element('meter-steps').replaceChildren(...Object.entries(steps).map(([step, { name }]) => {
      const item = document.createElement('li');
      item.dataset.done = String(done.includes(step));
      item.textContent = message(name);
      if (done.includes(step)) {
        const mark = document.createElement('span');
        mark.className = 'tag';
        mark.textContent = message('passwordless.done');
        item.append(' ', mark);
      }
      return item;
    }));
    const [first] = recoveries;
    element('recovery-waiting').hidden = !first;
    if (first) {
      element('recovery-waiting-text').textContent = recoveries.map(recoveryText).join(' ');
    }
  }
}
