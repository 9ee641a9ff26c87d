/** The list of one's sessions on the account page. */

import { dateText, message, momentText, sinceText } from './messages.js';
import { clone, part, stamp } from './rows.js';
import { userAgentText } from './user-agent.js';

export class SessionList {
  #element;
  #end;

  /** @param actions.end Ends a session. */
  constructor(element, { end }) {
    this.#element = element;
    this.#end = end;
  }

  /** Shows these, this browser's own first and then the latest used; the passkeys give the names. */
  show(sessions, passkeys) {
    if (sessions.length === 0) {
      return;
    }
    const sorted = sessions.toSorted((one, other) =>
      Number(other.current) - Number(one.current) || Date.parse(other.lastSeenAt) - Date.parse(one.lastSeenAt));
    this.#element.removeAttribute('aria-busy');
    this.#element.replaceChildren(...sorted.map((session) => this.#row(session, passkeys)));
  }

  #row(session, passkeys) {
    const row = clone('session-row');
    const name = session.device ?? userAgentText(session.userAgent ?? '');
    row.dataset.sessionId = session.id;
    row.dataset.current = String(session.current);
    part(row, 'session-agent').textContent = name;
    part(row, 'session-agent').title = session.userAgent ?? '';
    part(row, 'current').hidden = !session.current;
    part(row, 'opened').textContent = openedText(session, passkeys);
    part(row, 'second').textContent = secondText(session.secondFactor);
    part(row, 'address').textContent = session.address ?? '';
    part(row, 'bound').textContent = session.deviceBound ? message('sessions.deviceBound') : '';
    stamp(part(row, 'started'), 'sessions.started', { date: dateText(session.createdAt) }, momentText(session.createdAt));
    stamp(part(row, 'active'), 'sessions.lastActive', { when: sinceText(session.lastSeenAt) }, momentText(session.lastSeenAt));

    const end = part(row, 'session-end');
    if (session.current) {
      end.remove();
    } else {
      end.setAttribute('aria-label', message('sessions.endOf', { name }));
      end.addEventListener('click', () => this.#end(session));
    }
    return row;
  }
}

const seconds = {
  authenticator_app: 'factors.thenApp', mail_code: 'factors.thenMail', text_code: 'factors.thenText', recovery_code: 'factors.thenRecovery',
};

/** What came after the password, if something did. */
function secondText(factor) {
  return factor in seconds ? message(seconds[factor]) : '';
}

/** What opened a session; nothing if its passkey is not known. */
function openedText(session, passkeys) {
  if (session.method === 'password') {
    return message('sessions.byPassword');
  }
  if (session.method === 'federated') {
    return message('sessions.byFederated');
  }
  const passkey = passkeys.find(({ id }) => id === session.passkey);
  return passkey ? message('sessions.byPasskey', { name: passkey.name }) : '';
}
