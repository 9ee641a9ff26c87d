/** Invitations, on the admin page: those that are open, a new one, and an end to one. */

import { adminRow, fill, hideLink, showLink } from './admin-rows.js';
import { ask } from './dialog.js';
import { dateText, message, momentText } from './messages.js';
import { notices } from './notices.js';

const element = (id) => document.getElementById(id);

/** In seconds. */
const day = 24 * 60 * 60;

export class InvitationSection {
  #desk;

  constructor(desk) {
    this.#desk = desk;
    element('invitations-form').addEventListener('submit', (event) => {
      event.preventDefault();
      desk.perform(() => this.#make());
    });
  }

  async load() {
    hideLink(element('invitation-link'));
    await this.#list();
  }

  async #list() {
    const { invitations } = await this.#desk.read('invitations?limit=200');
    fill(element('invitation-rows'), invitations.map((invitation) => this.#row(invitation)), message('admin.noInvitations'));
  }

  #row(invitation) {
    const date = dateText(invitation.createdAt);
    const end = message(invitation.expired ? 'admin.expired' : 'admin.expires', { time: momentText(invitation.expiresAt) });
    return adminRow(message('admin.invitationOf', { date }), [end], [{
      hook: 'invitation-revoke',
      text: message('admin.revoke'),
      name: message('admin.revokeOf', { date }),
      isDangerous: true,
      run: () => this.#desk.perform(() => this.#revoke(invitation)),
    }]);
  }

  async #make() {
    const expiresIn = Number(element('invitation-days').value) * day;
    const { link, expiresAt } = await this.#desk.change('POST', 'invitations', { expiresIn });
    await this.#list();
    showLink(element('invitation-link'), message('admin.linkText', { time: momentText(expiresAt) }), link);
  }

  async #revoke(invitation) {
    const isConfirmed = await ask({
      kind: 'admin-revoke',
      title: message('admin.revokeTitle'),
      text: message('admin.revokeText'),
      action: message('admin.revoke'),
      isDangerous: true,
    });
    if (isConfirmed) {
      await this.#desk.change('DELETE', `invitations/${invitation.id}`);
      hideLink(element('invitation-link'));
      await this.#list();
      notices.say('invitationRevoked');
      element('invitations-heading').focus();
    }
  }
}
