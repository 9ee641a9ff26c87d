/**
 * From a password to a passkey.
 *
 * After a sign-in with a password the browser is asked for a passkey without a prompt (WebAuthn Level 3, conditional
 * creation): a password manager that filled the password in may make one. Where nothing comes of it, the page may offer
 * to make one, as often as the service lets it.
 */

import { call } from './api.js';
import { register } from './ceremonies.js';
import { canUpgrade } from './passkeys.js';

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

/**
 * Tells the service that a passkey is offered; whether it may be.
 *
 * The service keeps when an account was last offered one, so the offer comes as rarely on many devices as on one.
 */
export async function mayOffer() {
  return await tell('shown');
}

/** Tells the service that the offer was put away. It is a number for the people who run the service: nothing depends on it. */
export async function putAway() {
  await tell('dismissed');
}

/** For how long a browser does not offer again to remove a password that nobody uses, in milliseconds: 30 days. */
const pause = 30 * 24 * 60 * 60 * 1000;
const keptKey = 'ward.keepsPassword';

/** Whether this browser may offer to remove a password that nobody uses. */
export function mayOfferRemoval(now = Date.now()) {
  try {
    const kept = Number(localStorage.getItem(keptKey) ?? 0);
    return !(kept <= now && now - kept < pause);
  } catch {
    return true;
  }
}

/** The person keeps the password for now. */
export function keepPassword(now = Date.now()) {
  try {
    localStorage.setItem(keptKey, String(now));
  } catch {
    // Without storage the offer comes again with the next page.
  }
}

async function tell(event) {
  try {
    return (await call('POST', '/account/offer', { event })).counted;
  } catch {
    return false;
  }
}
