/** The conversations with service and browser: signing in, making an account, adding a passkey. */

import { call, ServiceError } from './api.js';
import { passkeyName } from './passkey-name.js';
import { makePasskey, usePasskey } from './passkeys.js';
import { signalUnknown } from './signals.js';

/** Begins a sign-in: with a passkey of any account, or of the one by this name; `required` asks for more than the service does. */
export function beginSignIn(username, userVerification) {
  return call('POST', '/sign-in/options', { ...(username && { username }), ...(userVerification && { userVerification }) });
}

/** Has the browser ask for a passkey; what `answerSignIn` takes. Nobody is signed in yet. */
export async function askForPasskey({ ceremony, publicKey }, how) {
  const credential = await usePasskey(publicKey, how);
  return { ceremony, publicKey, credential };
}

/** Signs in with the answer to `askForPasskey`. */
export async function answerSignIn({ ceremony, credential, publicKey }) {
  try {
    return await call('POST', '/sign-in/verify', { ceremony, credential });
  } catch (error) {
    // The service does not say why, but a passkey picked freely fails only when it is not known any more.
    const pickedFreely = !publicKey.allowCredentials?.length;
    if (error.code === 'sign_in_failed' && pickedFreely) {
      await signalUnknown(publicKey.rpId ?? location.hostname, credential.id);
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
  try {
    return await call('POST', '/registration/verify', { ceremony, credential, passkeyName: passkeyName(credential) });
  } catch (error) {
    // Refused for good: the passkey just made opens nothing, so it should not be offered.
    const refused = error instanceof ServiceError && error.status >= 400 && error.status < 500;
    if (refused && error.code !== 'credential_exists') {
      await signalUnknown(publicKey.rp.id ?? location.hostname, credential.id);
    }
    throw error;
  }
}
