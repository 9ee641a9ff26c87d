/** People, on the admin page: a search by user name, and one account with what opens it. */

import { adminRow, fill, hideLink, plain, showFacts, showLink } from './admin-rows.js';
import { ask } from './dialog.js';
import { kindText } from './kinds.js';
import { dateText, message, momentText, sinceText } from './messages.js';
import { notices } from './notices.js';
import { userAgentText } from './user-agent.js';

const element = (id) => document.getElementById(id);

/** How many people are shown at first, and how many more each time. */
const some = 20;

export class PeopleSection {
  #desk;
  #prefix = '';
  #rows = [];
  #next = null;
  #person = null;

  constructor(desk) {
    this.#desk = desk;
    element('people-form').addEventListener('submit', (event) => {
      event.preventDefault();
      desk.perform(() => this.#search());
    });
    element('people-more').addEventListener('click', () => desk.perform(() => this.#more()));
    element('person-recovery').addEventListener('click', () => desk.perform(() => this.#makeLink()));
    element('person-disable').addEventListener('click', () => desk.perform(() => this.#disable()));
    element('person-enable').addEventListener('click', () => desk.perform(() => this.#enable()));
    element('person-end-all').addEventListener('click', () => desk.perform(() => this.#endAll()));
  }

  /** Shows the people, or one of them. */
  async load(id) {
    hideLink(element('person-link'));
    if (id) {
      await this.#open(id);
    } else {
      await this.#search();
    }
  }

  // The list

  async #search() {
    this.#prefix = element('people-prefix').value.trim();
    this.#rows = [];
    this.#next = null;
    await this.#add();
  }

  async #more() {
    const before = this.#rows.length;
    await this.#add();
    this.#rows[before]?.querySelector('button').focus();
  }

  async #add() {
    const query = new URLSearchParams({ limit: String(some) });
    if (this.#prefix !== '') {
      query.set('prefix', this.#prefix);
    }
    if (this.#next !== null) {
      query.set('after', this.#next);
    }
    const { accounts, next } = await this.#desk.read(`accounts?${query}`);
    this.#next = next;
    this.#rows.push(...accounts.map((account) => this.#summary(account)));
    fill(element('people-rows'), this.#rows, message('admin.nobody'));
    element('people-more').hidden = next === null;
  }

  #summary(account) {
    const row = adminRow(account.username, facts(account), [{
      hook: 'person-open',
      text: message('admin.open'),
      name: message('admin.openOf', { name: account.username }),
      run: () => {
        location.hash = `person/${account.id}`;
      },
    }]);
    row.dataset.accountId = account.id;
    return row;
  }

  // One person

  async #open(id) {
    const person = await this.#desk.read(`accounts/${encodeURIComponent(id)}`);
    this.#person = person;
    const { account, passkeys, factors } = person;
    // A session that has expired is kept for a while, and opens nothing.
    const sessions = person.sessions.filter(({ expiresAt }) => Date.parse(expiresAt) > Date.now());
    document.querySelector('[data-testid="person-name"]').textContent = account.username;
    showFacts(element('person-facts'), [
      account.displayName === account.username ? '' : plain(account.displayName),
      ...facts({ ...account, disabledAt: person.disabledAt, hasPassword: person.password !== null }),
      person.email?.confirmed ? plain(person.email.confirmed) : '',
    ]);
    element('person-disable').hidden = person.disabledAt !== null;
    element('person-enable').hidden = person.disabledAt === null;
    element('person-recovery').hidden = person.disabledAt !== null;
    fill(element('person-passkeys'), passkeys.map((passkey) => this.#passkey(passkey)), message('passkeys.none'));
    fill(element('person-factors'), factorRows(factors), message('admin.noFactors'));
    fill(element('person-links'), factors.federated.map(linkRow), message('federated.none'));
    fill(element('person-sessions'), sessions.map((session) => this.#session(session)), message('admin.noSessions'));
    element('person-end-all').hidden = sessions.length === 0;
  }

  get #path() {
    return `accounts/${this.#person.account.id}`;
  }

  get #name() {
    return this.#person.account.username;
  }

  #reload() {
    return this.#open(this.#person.account.id);
  }

  #passkey(passkey) {
    const { name } = passkey;
    return adminRow(name, [
      kindText(passkey),
      passkey.provider ? plain(passkey.provider) : '',
      message('passkeys.created', { date: dateText(passkey.createdAt) }),
      usedText(passkey.lastUsedAt),
    ], [{
      hook: 'person-passkey-delete',
      text: message('passkeys.delete'),
      name: message('passkeys.deleteOf', { name }),
      isDangerous: true,
      run: () => this.#desk.perform(() => this.#deletePasskey(passkey)),
    }]);
  }

  #session(session) {
    const name = session.device ?? userAgentText(session.userAgent ?? '');
    return adminRow(name, [
      session.method === 'password' ? message('sessions.byPassword') : '',
      session.address ? plain(session.address) : '',
      session.deviceBound ? message('sessions.deviceBound') : '',
      message('sessions.started', { date: dateText(session.createdAt) }),
      message('sessions.lastActive', { when: sinceText(session.lastSeenAt) }),
    ], [{
      hook: 'person-session-end',
      text: message('sessions.end'),
      name: message('sessions.endOf', { name }),
      run: () => this.#desk.perform(() => this.#end(session)),
    }]);
  }

  async #deletePasskey(passkey) {
    const isConfirmed = await ask({
      kind: 'admin-delete-passkey',
      title: message('passkeys.deleteTitle', { name: passkey.name }),
      text: message('admin.deletePasskeyText'),
      action: message('passkeys.deleteConfirm'),
      isDangerous: true,
    });
    if (isConfirmed) {
      await this.#desk.change('DELETE', `${this.#path}/passkeys/${passkey.id}`);
      await this.#reload();
      notices.say('passkeyDeleted');
      element('person-heading').focus();
    }
  }

  async #end(session) {
    await this.#desk.change('DELETE', `${this.#path}/sessions/${session.id}`);
    await this.#reload();
    notices.say('sessionEndedOne');
    element('person-sessions-heading').focus();
  }

  async #endAll() {
    const isConfirmed = await ask({
      kind: 'admin-end-all',
      title: message('admin.endAllTitle', { name: this.#name }),
      text: message('admin.endAllText'),
      action: message('sessions.endOthersConfirm'),
      isDangerous: true,
    });
    if (isConfirmed) {
      await this.#desk.change('DELETE', `${this.#path}/sessions`);
      await this.#reload();
      notices.say('sessionsEnded');
      element('person-sessions-heading').focus();
    }
  }

  async #disable() {
    const isConfirmed = await ask({
      kind: 'admin-disable',
      title: message('admin.disableTitle', { name: this.#name }),
      text: message('admin.disableText'),
      action: message('admin.disable'),
      isDangerous: true,
    });
    if (isConfirmed) {
      await this.#desk.change('POST', `${this.#path}/disable`, {});
      hideLink(element('person-link'));
      await this.#reload();
      notices.say('personDisabled');
      element('person-enable').focus();
    }
  }

  async #enable() {
    await this.#desk.change('POST', `${this.#path}/enable`, {});
    await this.#reload();
    notices.say('personEnabled');
    element('person-disable').focus();
  }

  async #makeLink() {
    const isConfirmed = await ask({
      kind: 'admin-recovery',
      title: message('admin.recoveryTitle', { name: this.#name }),
      text: message('admin.recoveryText'),
      action: message('admin.recovery'),
      isDangerous: true,
    });
    if (isConfirmed) {
      const { link, expiresAt } = await this.#desk.change('POST', `${this.#path}/recovery-link`, {});
      showLink(element('person-link'), message('admin.linkText', { time: momentText(expiresAt) }), link);
    }
  }
}

/** What a list says of an account. */
function facts({ createdAt, passkeys, hasPassword, disabledAt, groups }) {
  return [
    disabledAt ? message('admin.disabledSince', { date: dateText(disabledAt) }) : '',
    passkeys === undefined ? '' : message('admin.passkeyCount', { count: passkeys }),
    message(hasPassword ? 'admin.hasPassword' : 'admin.noPassword'),
    message('admin.since', { date: dateText(createdAt) }),
    groups.length > 0 ? plain(groups.join(', ')) : '',
  ];
}

/** A linked account at an identity provider; its host where the service has the provider no longer. */
function linkRow({ provider, issuer, addedAt, lastUsedAt }) {
  return adminRow(provider ?? new URL(issuer).host, [
    message('federated.added', { date: dateText(addedAt) }),
    usedText(lastUsedAt),
  ]);
}

function usedText(lastUsedAt) {
  return lastUsedAt ? message('passkeys.lastUsed', { when: sinceText(lastUsedAt) }) : message('passkeys.neverUsed');
}

function factorRows({ authenticatorApp, mailCodes, textCodes, recoveryCodes }) {
  const rows = [];
  if (authenticatorApp) {
    rows.push(adminRow(message('factors.app'), [message('admin.since', { date: dateText(authenticatorApp.addedAt) })]));
  }
  if (mailCodes) {
    rows.push(adminRow(message('factors.mail'), []));
  }
  if (textCodes) {
    rows.push(adminRow(message('factors.text'), [textCodes.to]));
  }
  if (recoveryCodes.left > 0) {
    rows.push(adminRow(message('codes.heading'), [message('admin.codesLeft', { count: recoveryCodes.left })]));
  }
  return rows;
}
