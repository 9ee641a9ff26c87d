/**
 * Passwords that were typed into pages, from the form until the person says what to do with them.
 *
 * The agent has the password itself. Here are only its ID, and what the popup says about it. The offer is a badge at the
 * extension's button and a part of its popup: no page can see, fake or click that, and it takes the focus from nobody.
 */

import { HostError } from './host.js';
import { pageOf } from './senders.js';

const PERIOD = 300_000;
const LOOK_DELAY = 1_000;
const MOST_TABS = 64;
const text = (name) => chrome.i18n.getMessage(name);

/**
 * @typedef {{id: string, isNew: boolean, isOffered: boolean, release: () => void, timer: ReturnType<typeof setTimeout>}} Pending
 */

export class Saving {
  #host;
  /** @type {Map<number, Pending>} */
  #pending = new Map();
  /** Names that were typed in an earlier step. @type {Map<number, {origin: string, user: string, at: number}>} */
  #names = new Map();
  #onUpdated = (tab, { status }) => status === 'complete' && this.#arrived(tab);

  /** @param {import('./host.js').Host} host */
  constructor(host) {
    this.#host = host;
  }

  /**
   * A name without a password: the first step of a sign-in.
   *
   * @param {import('./senders.js').Sender} sender
   * @param {any} message
   */
  name({ tab, origin, isPrivate }, { user }) {
    if (!isPrivate) {
      this.#names.delete(tab);
      this.#names.set(tab, { origin, user: String(user).slice(0, 256), at: Date.now() });
      const [first] = this.#names.keys();
      if (this.#names.size > MOST_TABS) {
        this.#names.delete(first);
      }
    }
  }

  /**
   * A form with a password was sent.
   *
   * @param {import('./senders.js').Sender} sender
   * @param {any} message
   */
  async capture(sender, { user, password, current, isNew }) {
    if (sender.isPrivate) {
      return;
    }
    const known = this.#names.get(sender.tab);
    const isKnown = known && known.origin === sender.origin && Date.now() - known.at < PERIOD;
    const form = { user: String(user) || (isKnown ? known.user : ''), password: String(password), current: String(current) };
    this.drop(sender.tab, false);
    const { id } = await this.#host.request('browser.capture', { sender, ...form });
    if (id) {
      this.#keep(sender.tab, id, isNew === true);
      if (sender.frame === 0) {
        // The next page may have come before the agent's answer.
        this.#arrived(sender.tab);
      }
    }
  }

  /**
   * What a page shows after its form was sent.
   *
   * @param {number} tab
   * @param {{passwords: number, fresh: number}} seen
   */
  async look(tab, { passwords, fresh }) {
    const pending = this.#pending.get(tab);
    if (!pending) {
      return;
    }
    // A form for a new password may lead to the form for signing in.
    if (pending.isNew ? fresh > 0 : passwords > 0) {
      this.drop(tab);
    } else if (await this.#check(tab, pending)) {
      pending.isOffered = true;
      badge(tab, true);
    }
  }

  /**
   * What the popup shows for a tab. A person who opens it by themselves also sees what is not known to have gone through.
   *
   * @param {number} tab
   */
  async offer(tab) {
    const pending = this.#pending.get(tab);
    if (!pending) {
      // The person has seen what else there was.
      await badge(tab, false);
      return null;
    }
    return this.#check(tab, pending);
  }

  /**
   * What the person decided in the popup.
   *
   * @param {number} tab
   * @param {{choice: string, user?: string}} decision
   */
  async decide(tab, { choice, user }) {
    const pending = this.#pending.get(tab);
    if (!pending) {
      throw new HostError('item_missing', 'the password is forgotten');
    }
    if (choice === 'save') {
      const saved = await this.#host.request('browser.save', { capture: pending.id, ...(user === undefined ? {} : { user: String(user) }) });
      this.drop(tab, false);
      return { saved };
    }
    if (choice === 'never') {
      const offer = await this.#check(tab, pending);
      if (offer) {
        await this.#host.request('browser.settings.change', { site: offer.site, saves: false });
      }
    }
    this.drop(tab);
    return {};
  }

  /**
   * Shows that the popup has news of a tab: a passkey that was made without a question.
   *
   * @param {number} tab
   */
  mark(tab) {
    badge(tab, true, 'upgradeTitle');
  }

  /**
   * Forgets what a tab has.
   *
   * @param {number} tab
   * @param {boolean} tells Whether the agent forgets it too.
   */
  drop(tab, tells = true) {
    const pending = this.#pending.get(tab);
    if (pending) {
      this.#pending.delete(tab);
      clearTimeout(pending.timer);
      badge(tab, false);
      if (tells) {
        this.#host.request('browser.discard', { capture: pending.id }).catch(() => {});
      }
      pending.release();
      if (this.#pending.size === 0) {
        chrome.tabs.onUpdated.removeListener(this.#onUpdated);
      }
    }
  }

  /** @param {number} tab */
  forget(tab) {
    this.#names.delete(tab);
    this.drop(tab);
  }

  #keep(tab, id, isNew) {
    if (this.#pending.size === 0) {
      chrome.tabs.onUpdated.addListener(this.#onUpdated);
    }
    const timer = setTimeout(() => this.drop(tab), PERIOD);
    this.#pending.set(tab, { id, isNew, isOffered: false, timer, release: this.#host.hold() });
    const [first] = this.#pending.keys();
    if (this.#pending.size > MOST_TABS) {
      this.drop(first);
    }
  }

  /** The offer, or nothing if the tab shows another site, or if there is nothing to save. */
  async #check(tab, { id }) {
    try {
      const sender = pageOf(await chrome.tabs.get(tab));
      const offer = sender && await this.#host.request('browser.captured', { sender, capture: id });
      if (offer && !['new', 'update', 'locked'].includes(offer.outcome)) {
        this.drop(tab);
        return null;
      }
      return offer;
    } catch {
      return null;
    }
  }

  /** A new page: is the form there again? */
  #arrived(tab) {
    const pending = this.#pending.get(tab);
    if (pending?.isOffered) {
      badge(tab, true);
    }
    setTimeout(async () => {
      try {
        const { url, status } = await chrome.tabs.get(tab);
        if (pending && this.#pending.get(tab) === pending && status === 'complete' && url) {
          const seen = await chrome.tabs.sendMessage(tab, { type: 'look' }, { frameId: 0 });
          if (!seen.isSender) {
            await this.look(tab, seen);
          }
        }
      } catch {
        // The page has no script of the extension.
      }
    }, LOOK_DELAY);
  }
}

/**
 * @param {number} tab
 * @param {boolean} isOn
 * @param {string} title
 */
async function badge(tab, isOn, title = 'offerTitle') {
  try {
    await chrome.action.setBadgeBackgroundColor({ tabId: tab, color: '#17614a' });
    await chrome.action.setBadgeText({ tabId: tab, text: isOn ? '1' : '' });
    await chrome.action.setTitle({ tabId: tab, title: text(isOn ? title : 'extensionName') });
  } catch {
    // The tab was closed.
  }
}
