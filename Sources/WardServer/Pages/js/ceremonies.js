/** The conversations with service and browser: signing in, making an account, adding a passkey. */

import { call, ServiceError } from './api.js';
import { passkeyName } from './passkey-name.js';
import { makePasskey, usePasskey } from './passkeys.js';
import { signalAccount, signalUnknown } from './signals.js';

/** The RP ID of the service's passkeys. */
const { address } = document.documentElement.dataset;

/** Begins a sign-in: with a passkey of any account, or of the one by this name; `required` asks for more than the service does. */
export function beginSignIn(username, userVerification) {
  return call('POST', '/sign-in/options', { ...(username && { username }), ...(userVerification && { userVerification }) });
}

/** Has the browser ask for a passkey; what `answerSignIn` takes. Nobody is signed in yet. */
export async function askForPasskey({ ceremony, publicKey }, how) {
  const credential = await usePasskey(publicKey, how);
  return { ceremony, credential };
}

/** Signs in with the answer to `askForPasskey`. */
export async function answerSignIn({ ceremony, credential }) {
  try {
    const answer = await call('POST', '/sign-in/verify', { ceremony, credential });
    await signalAccount(address, answer);
    // A passkey of a phone or a security key says nothing about what this browser keeps: there it gets no successor.
    return { ...answer, canUpgrade: answer.canUpgrade === true && credential.authenticatorAttachment !== 'cross-platform' };
  } catch (error) {
    // Any other failure may be the service's own.
    if (error.code === 'passkey_deleted') {
      await signalUnknown(address, credential.id);
    }
    throw error;
  }
}

/** Signs in with a passkey; `uiMode` is for `usePasskey`. */
export async function signIn({ username, userVerification, signal, uiMode }) {
  const begun = await beginSignIn(username, userVerification);
  signal.throwIfAborted();
  return answerSignIn(await askForPasskey(begun, { signal, ...(uiMode && { uiMode }) }));
}

/**
 * Makes a passkey: for a new account, or for one's own where no name is given.
 *
 * @param {{username?: string, displayName?: string, mediation?: 'conditional'}} account
 * @returns {Promise<{account: object, passkey: object}>}
 */
export async function register(account, signal) {
  const { ceremony, publicKey } = await call('POST', '/registration/options', account);
  signal?.throwIfAborted();
  const { mediation } = account;
  const credential = await makePasskey(publicKey, { signal, ...(mediation && { mediation }) });
  const answer = { ceremony, credential, passkeyName: passkeyName(credential) };
  try {
    return await verify(answer, mediation ? tries : 1);
  } catch (error) {
    if (isRefusedForGood(error)) {
      await signalUnknown(address, credential.id);
    }
    throw error;
  }
}

/** How often a passkey that nobody was asked for is sent, while no answer comes: its maker may have dropped an older one for it. */
const tries = 5;

/** Sends a new passkey; where the service does not answer, again after some seconds. */
async function verify(answer, left) {
  try {
    return await call('POST', '/registration/verify', answer);
  } catch (error) {
    if (left <= 1 || !isSilent(error)) {
      throw error;
    }
    await new Promise((resolve) => setTimeout(resolve, 2_000));
    return verify(answer, left - 1);
  }
}

/** Whether the service, or what stands before it, was just not there. */
function isSilent(error) {
  return error.code === 'network' || [502, 503, 504].includes(error.status);
}

/**
 * Whether the service itself said that it does not keep the passkey that was just made.
 *
 * A browser or proxy may have sent the answer twice: the first time the passkey was stored, and only the second one was refused,
 * because a ceremony is answered once.
 */
function isRefusedForGood(error) {
  return error instanceof ServiceError && error.status >= 400 && error.status < 500 && !error.code.startsWith('status_')
    && !['credential_exists', 'challenge_not_found'].includes(error.code);
}
