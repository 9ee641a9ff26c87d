/** What happened to the account, on the account page. */

import { hasMessage, message, momentText, sinceText } from './messages.js';
import { clone, part } from './rows.js';
import { userAgentText } from './user-agent.js';

export class ActivityList {
  #element;
  #more;

  /** @param more The button that shows earlier events. */
  constructor(element, more) {
    this.#element = element;
    this.#more = more;
  }

  /** Shows these, newest first; the passkeys and sessions of the account give the names. */
  show(events, isMore, passkeys, sessions) {
    this.#element.removeAttribute('aria-busy');
    this.#element.replaceChildren(...events.map((event) => row(event, passkeys, sessions)));
    this.#more.hidden = !isMore;
  }
}

function row(event, passkeys, sessions) {
  const element = clone('activity-row');
  const name = `activity.${event.event}`;
  element.dataset.event = event.event;
  // A later version of the service may know more events than this page.
  part(element, 'activity-event').textContent = hasMessage(name) ? message(name) : event.event;
  part(element, 'how').textContent = howText(event, passkeys);
  part(element, 'where').textContent = whereText(event, sessions);
  part(element, 'address').textContent = event.address ?? '';
  if (event.wrongPasswords > 0) {
    part(element, 'wrong').textContent = message('activity.wrongPasswords', { count: event.wrongPasswords });
    part(element, 'wrong').hidden = false;
  }
  const when = part(element, 'when');
  when.textContent = sinceText(event.time);
  when.title = momentText(event.time);
  return element;
}

/** Who did it, or with what. */
function howText(event, passkeys) {
  if (event.actor === 'operator') {
    return message('activity.byOperator');
  }
  if (event.method === 'recovery_link') {
    return message('activity.byRecoveryLink');
  }
  if (event.method === 'mail_link') {
    return message('activity.byMailLink');
  }
  if (event.method === 'password') {
    return message('sessions.byPassword');
  }
  if (event.method === 'federated') {
    return message('sessions.byFederated');
  }
  if (event.passkey === null) {
    return '';
  }
  const passkey = passkeys.find(({ id }) => id === event.passkey);
  if (event.event === 'passkey_added') {
    return passkey?.name ?? message('activity.deletedSince');
  }
  if (['passkey_deleted', 'passkey_replaced'].includes(event.event)) {
    return '';
  }
  return passkey ? message('sessions.byPasskey', { name: passkey.name }) : message('activity.byDeletedPasskey');
}

/** The browser, as long as its session lasts. */
function whereText(event, sessions) {
  const session = sessions.find(({ id }) => id === event.session);
  if (!session) {
    return '';
  }
  return session.current ? message('sessions.current') : userAgentText(session.userAgent ?? '');
}
