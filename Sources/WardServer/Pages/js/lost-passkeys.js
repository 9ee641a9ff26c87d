/** The way back for a person who is signed in and lost every passkey: what the account has decides where it leads. */

import { call } from './api.js';
import { ask } from './dialog.js';
import { LinkToken } from './link-token.js';
import { message } from './messages.js';
import { PasskeyError } from './passkeys.js';
import { signInWithPassword } from './passwords.js';
import { completeSignIn } from './second-step.js';

/**
 * Begins the recovery and leaves the page for it.
 *
 * With a password and recovery codes it begins in this session. Otherwise the page `/recover` sends a link to the account's address.
 *
 * @param account.username The user name.
 * @param account.hasPassword Whether the account has a password.
 * @param account.recoveryCodes The number of recovery codes that are left.
 * @param account.getsMail Whether a link can be mailed to the account.
 * @throws {PasskeyError} `cancelled` if the person stops, `no_way_back` if the account has neither.
 */
export async function recoverLostPasskeys({ username, hasPassword, recoveryCodes, getsMail }) {
  const link = new LinkToken('recovery');
  if (hasPassword && recoveryCodes > 0) {
    const { token } = await beginRecovery(username);
    link.keep(token);
  } else if (getsMail) {
    // Without a link the page offers to send one.
    link.forget();
  } else {
    throw new PasskeyError('no_way_back');
  }
  location.assign('/recover');
}

/** Begins the recovery; the password comes first, unless this session began with it moments ago. */
async function beginRecovery(username) {
  try {
    return await call('POST', '/account/recovery', {});
  } catch (error) {
    if (error.code !== 'password_sign_in_required') {
      throw error;
    }
  }
  let answer;
  const isConfirmed = await ask({
    kind: 'lost-passkeys',
    title: message('confirm.titleLost'),
    text: message('confirm.textLost'),
    action: message('confirm.continue'),
    asksPassword: true,
    work: async (signal, password) => {
      if (password === '') {
        throw new PasskeyError('password_missing');
      }
      answer = await signInWithPassword(username, password);
    },
  });
  if (!isConfirmed) {
    throw new PasskeyError('cancelled');
  }
  await completeSignIn(answer, username);
  return call('POST', '/account/recovery', {});
}
