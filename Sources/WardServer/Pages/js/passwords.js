/** Passwords: signing in with one, an account that begins with one, and what the next page learns of it. */

import { call, ServiceError } from './api.js';
import { signalAccount } from './signals.js';

const noteKey = 'ward.password';

/** Signs in, or continues the sign-in of a flow; a name that nobody has and a wrong password fail alike. */
export async function signInWithPassword(username, password, flow) {
  try {
    const answer = await call('POST', '/sign-in/password', flow ? { flow, password } : { username, password });
    await signalAccount(document.documentElement.dataset.address, answer);
    return answer;
  } catch (error) {
    throw error.code === 'sign_in_failed' ? new ServiceError('wrong_password', error.status) : error;
  }
}

/** Makes an account. */
export function createWithPassword(account) {
  return call('POST', '/account', account);
}

/** Tells the account page that a password was just used: `signedIn`, or `created` for an account that begins with one. */
export function leavePasswordNote(how) {
  try {
    sessionStorage.setItem(noteKey, how);
  } catch {
    // Without storage nobody is offered a passkey.
  }
}

/** What the page before left, once. */
export function takePasswordNote() {
  try {
    const how = sessionStorage.getItem(noteKey);
    sessionStorage.removeItem(noteKey);
    return how;
  } catch {
    return null;
  }
}
