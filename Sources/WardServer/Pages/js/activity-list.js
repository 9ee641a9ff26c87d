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
  element.dataset.event = event.event;
  part(element, 'activity-event').textContent = eventText(event);
  part(element, 'how').textContent = howText(event, passkeys);
  part(element, 'factor').textContent = factorText(event);
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

function eventText({ event, factor }) {
  if (event === 'factor_removed' && factor === 'recovery_code') {
    return message('activity.recovery_codes_removed');
  }
  const name = `activity.${event}`;
  // A later version of the service may know more events than this page.
  return hasMessage(name) ? message(name) : event;
}

/** What came after the password of a sign-in. */
const seconds = {
  authenticator_app: 'factors.thenApp', mail_code: 'factors.thenMail', text_code: 'factors.thenText', recovery_code: 'factors.thenRecovery',
};

/** What was added or removed. */
const things = { authenticator_app: 'factors.app', mail_codes: 'factors.mail', text_codes: 'factors.text' };

/** What was used beside the password, added or removed; nothing for what this page does not know. */
function factorText({ event, factor }) {
  const name = ['factor_added', 'factor_removed'].includes(event) ? things[factor] : seconds[factor];
  return name ? message(name) : '';
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
