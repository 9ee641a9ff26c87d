/** How far the account is on its way to no password, and a recovery that waits. */

import { message, momentText } from './messages.js';

const element = (id) => document.getElementById(id);
/** The steps in their order: what each is, and what to do for it. */
const steps = {
  passkey: ['passwordless.passkey', 'passwordless.next_passkey'],
  way_back: ['passwordless.way_back', 'passwordless.next_way_back'],
  no_password: ['passwordless.no_password', 'passwordless.next_no_password'],
};

export class PasswordlessPanel {
  /** @param actions.stop Stops the recoveries that wait. */
  constructor({ stop }) {
    element('recovery-stop').addEventListener('click', stop);
  }

  /** Shows how things stand. */
  show({ passwordless: { done, next }, recoveries }) {
    element('meter').value = done.length;
    element('meter-next').textContent = message(next ? steps[next][1] : 'passwordless.end');
    element('meter-steps').replaceChildren(...Object.entries(steps).map(([step, [name]]) => {
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
      element('recovery-waiting-text').textContent = first.opensAt
        ? message('recover.waitingText', { time: momentText(first.opensAt) }) : message('recover.waitingNotice');
    }
  }
}
