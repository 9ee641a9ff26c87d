/** The linked accounts at other providers, on the account page. */

import { call } from './api.js';
import { ask } from './dialog.js';
import { leaveFor } from './federated.js';
import { dateText, message, sinceText } from './messages.js';
import { notices } from './notices.js';
import { clone, part } from './rows.js';

const list = document.getElementById('federated');
const heading = document.getElementById('federated-heading');

/** The providers of the service: the button that links an account there knows its name and issuer. */
const buttons = [...document.querySelectorAll('[data-provider]')];

export class FederatedPanel {
  #perform;
  #withRecentSignIn;
  #reload;
  #links = [];

  /**
   * @param how.perform Runs one action at a time and explains its failure.
   * @param how.withRecentSignIn Repeats an action after a sign-in, if it needs one.
   * @param how.reload Loads the account again.
   */
  constructor({ perform, withRecentSignIn, reload }) {
    this.#perform = perform;
    this.#withRecentSignIn = withRecentSignIn;
    this.#reload = reload;
    for (const button of buttons) {
      button.textContent = message('federated.link', { name: button.dataset.name });
      button.addEventListener('click', () => this.#link(button.dataset.provider));
    }
  }

  /** The linked accounts that can sign in. */
  get usable() {
    return this.#links.filter((link) => buttonOf(link));
  }

  /** Shows how things stand. */
  show({ factors }) {
    this.#links = factors.federated;
    if (!list) {
      return;
    }
    const rows = this.#links.map((link) => this.#row(link));
    list.replaceChildren(...(rows.length > 0 ? rows : [clone('federated-none')]));
  }

  /** Signs in once more with a linked account, where nothing else can. The page is left. */
  confirm() {
    const { provider, name } = buttonOf(this.usable[0]).dataset;
    return ask({
      kind: 'provider',
      title: message('confirm.title'),
      text: message('federated.confirmText', { name }),
      action: message('federated.continueWith', { name }),
      work: () => leaveFor(provider, '/sign-in/federated', '/account'),
    });
  }

  #row(link) {
    const row = clone('federated-row');
    const name = nameOf(link);
    part(row, 'federated-name').textContent = name;
    part(row, 'label').textContent = link.label ?? '';
    part(row, 'added').textContent = message('federated.added', { date: dateText(link.addedAt) });
    part(row, 'used').textContent = link.lastUsedAt
      ? message('passkeys.lastUsed', { when: sinceText(link.lastUsedAt) }) : message('passkeys.neverUsed');
    const remove = part(row, 'federated-remove');
    remove.setAttribute('aria-label', message('federated.removeOf', { name }));
    remove.addEventListener('click', () => this.#remove(link));
    return row;
  }

  #link(provider) {
    return this.#perform(async () => {
      notices.say('working');
      await this.#withRecentSignIn(() => leaveFor(provider, '/account/federated', '/account'));
    });
  }

  #remove(link) {
    return this.#perform(async () => {
      const name = nameOf(link);
      const isConfirmed = await ask({
        kind: 'remove-link',
        title: message('federated.removeTitle', { name }),
        text: message('federated.removeText', { name }),
        action: message('password.removeConfirm'),
        isDangerous: true,
      });
      if (isConfirmed) {
        await this.#withRecentSignIn(() => call('DELETE', `/account/federated/${link.id}`));
        await this.#reload();
        notices.say('identityUnlinked');
        heading.focus();
      }
    });
  }
}

function buttonOf(link) {
  return buttons.find(({ dataset }) => dataset.issuer === link?.issuer);
}

/** The provider's name; its host where the service has it no longer. */
function nameOf(link) {
  return buttonOf(link)?.dataset.name ?? new URL(link.issuer).host;
}
