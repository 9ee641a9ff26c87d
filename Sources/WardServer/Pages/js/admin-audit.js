/** The audit log, on the admin page: newest first, by event and account, and whether it is as it was written. */

import { adminRow, fill, plain } from './admin-rows.js';
import { message, momentText } from './messages.js';
import { PasskeyError } from './passkeys.js';

const element = (id) => document.getElementById(id);
const some = 50;

/** Each event in words, in the order of the choice. */
const events = {
  account_created: 'activity.account_created',
  account_deleted: 'admin.accountDeleted',
  account_disabled: 'activity.account_disabled',
  account_enabled: 'activity.account_enabled',
  account_renamed: 'activity.account_renamed',
  signed_in: 'activity.signed_in',
  signed_out: 'activity.signed_out',
  sessions_ended: 'activity.sessions_ended',
  session_bound: 'activity.session_bound',
  passkey_added: 'activity.passkey_added',
  passkey_deleted: 'activity.passkey_deleted',
  passkey_replaced: 'activity.passkey_replaced',
  password_set: 'activity.password_set',
  password_removed: 'activity.password_removed',
  email_requested: 'activity.email_requested',
  email_confirmed: 'activity.email_confirmed',
  email_removed: 'activity.email_removed',
  factor_added: 'activity.factor_added',
  factor_removed: 'activity.factor_removed',
  recovery_codes_made: 'activity.recovery_codes_made',
  recovery_code_used: 'activity.recovery_code_used',
  recovery_link_made: 'activity.recovery_link_made',
  recovery_waiting: 'activity.recovery_waiting',
  recovery_stopped: 'activity.recovery_stopped',
  helper_named: 'activity.helper_named',
  helper_accepted: 'activity.helper_accepted',
  helper_removed: 'activity.helper_removed',
  helpers_asked: 'activity.helpers_asked',
  helper_approved: 'activity.helper_approved',
  vault_deleted: 'activity.vault_deleted',
  groups_changed: 'activity.groups_changed',
  invitation_made: 'admin.invitationMade',
  invitation_revoked: 'admin.invitationRevoked',
  client_signed_in: 'activity.client_signed_in',
  client_changed: 'admin.clientChanged',
  device_allowed: 'activity.device_allowed',
  device_refused: 'activity.device_refused',
  grant_reused: 'activity.grant_reused',
  admin_token_made: 'admin.tokenMade',
  admin_token_revoked: 'admin.tokenRevoked',
  key_rotated: 'admin.keyRotated',
};

const actors = { owner: 'admin.byOwner', operator: 'admin.byOperator', service: 'admin.byService' };

export class AuditSection {
  #desk;
  #query = {};
  #rows = [];
  #next = null;

  constructor(desk) {
    this.#desk = desk;
    const choice = element('audit-event');
    choice.append(new Option(message('admin.allEvents'), ''));
    for (const [event, text] of Object.entries(events)) {
      choice.append(new Option(message(text), event));
    }
    element('audit-form').addEventListener('submit', (event) => {
      event.preventDefault();
      desk.perform(() => this.load());
    });
    element('audit-more').addEventListener('click', () => desk.perform(() => this.#more()));
    element('audit-verify').addEventListener('click', () => desk.perform(() => this.#verify()));
  }

  async load() {
    this.#query = { limit: String(some) };
    const event = element('audit-event').value;
    if (event !== '') {
      this.#query.event = event;
    }
    const username = element('audit-username').value.trim();
    if (username !== '') {
      const { accounts } = await this.#desk.read(`accounts?${new URLSearchParams({ username })}`);
      if (accounts.length === 0) {
        throw new PasskeyError('no_such_person');
      }
      this.#query.account = accounts[0].id;
    }
    this.#rows = [];
    this.#next = null;
    await this.#add();
  }

  async #add() {
    const query = new URLSearchParams(this.#query);
    if (this.#next !== null) {
      query.set('before', String(this.#next));
    }
    const { events: found, next } = await this.#desk.read(`audit?${query}`);
    this.#next = next;
    this.#rows.push(...found.map(row));
    fill(element('audit-rows'), this.#rows, message('admin.noEvents'));
    element('audit-more').hidden = next === null;
  }

  async #more() {
    await this.#add();
    if (element('audit-more').hidden) {
      element('audit-heading').focus();
    }
  }

  async #verify() {
    const result = await this.#desk.read('audit/verification');
    const shown = element('audit-verified');
    shown.textContent = verdict(result);
    shown.dataset.valid = String(result?.valid ?? null);
    shown.className = result?.valid ? 'notice notice-status' : 'notice notice-error';
    shown.hidden = false;
    shown.focus();
  }
}

function verdict(result) {
  if (result === null) {
    return message('admin.unsigned');
  }
  if (!result.valid) {
    return message('admin.invalid', { row: result.row });
  }
  if (result.last < result.first) {
    return message('admin.empty');
  }
  const { first, last, heads } = result;
  return message(heads > 0 ? 'admin.valid' : 'admin.validWithoutHeads', { first, last, heads });
}

function row(event) {
  const text = events[event.event];
  const made = adminRow(text ? message(text) : event.event, [
    message('admin.rowNumber', { number: event.number }),
    event.username ? plain(event.username) : event.account ? plain(event.account) : '',
    event.admin ? message('admin.byAdmin', { name: event.admin }) : message(actors[event.actor] ?? 'admin.byService'),
    event.details.address ? plain(event.details.address) : '',
    momentText(event.time),
  ]);
  made.dataset.event = event.event;
  made.dataset.number = String(event.number);
  return made;
}
