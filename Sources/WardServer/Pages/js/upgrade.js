/**
 * From a password to a passkey.
 *
 * After a sign-in with a password the browser is asked for a passkey without a prompt (WebAuthn Level 3, conditional
 * creation): a password manager that filled the password in may make one. Where nothing comes of it, the page may offer
 * to make one, on each device at most once a day.
 */

import { register } from './ceremonies.js';
import { canUpgrade } from './passkeys.js';

const offeredKey = 'ward.offered';
const day = 24 * 60 * 60 * 1000;

/** A browser that means to answer does so at once, and some never do. In milliseconds. */
const patience = 2 * 1000;

export class Upgrade {
  #stopping = null;
  #settled = Promise.resolve();

  /** Asks without a prompt; the new passkey, or `null`, whatever stood in the way. */
  async run() {
    if (!await canUpgrade()) {
      return null;
    }
    const stopping = new AbortController();
    this.#stopping = stopping;
    const timer = setTimeout(() => stopping.abort(), patience);
    const asking = register({ mediation: 'conditional' }, stopping.signal).then(({ passkey }) => passkey, () => null);
    this.#settled = asking;
    const passkey = await asking;
    clearTimeout(timer);
    return passkey;
  }

  /** Gives way to what a person wants: a browser allows only one request at a time. */
  async stop() {
    this.#stopping?.abort();
    await this.#settled;
  }
}

/** Whether a passkey may be offered now; if so, that was today's offer. */
export function mayOffer(now = Date.now()) {
  try {
    const offered = Number(localStorage.getItem(offeredKey) ?? 0);
    // A time to come was written under another clock.
    if (offered <= now && now - offered < day) {
      return false;
    }
    localStorage.setItem(offeredKey, String(now));
    return true;
  } catch {
    // A device that remembers nothing would be asked each time.
    return false;
  }
}
