/**
 * What we tell password managers, so that they offer the passkeys that the service accepts, under the account's names.
 *
 * A courtesy only: browsers may lack it (WebAuthn Level 3, section 5.1.10), and nothing of ours waits long for it. A manager may
 * remove what we call unknown for good. So that is said only of a passkey that certainly opens nothing; one that is merely not
 * found may be newer than a backup that the service runs on.
 */

/** A manager that does not answer holds nobody up for longer, in milliseconds. */
const patience = 500;

/** Browsers take one signal at a time. */
let last = Promise.resolve();

/** This passkey opens nothing and never will. */
export function signalUnknown(rpId, credentialId) {
  return signal('signalUnknownCredential', { rpId, credentialId });
}

/** These passkeys of the account are all there are; a manager hides the others, and shows these again. */
export function signalAccepted(rpId, userId, allAcceptedCredentialIds) {
  return signal('signalAllAcceptedCredentials', { rpId, userId, allAcceptedCredentialIds });
}

/** The account is called so now. */
export function signalNames(rpId, userId, name, displayName) {
  return signal('signalCurrentUserDetails', { rpId, userId, name, displayName });
}

/** After a sign-in: what the service answered about the account and its passkeys. */
export async function signalAccount(rpId, { account, allAcceptedCredentialIds }) {
  if (account?.userHandle) {
    const { userHandle, username, displayName } = account;
    await Promise.all([
      allAcceptedCredentialIds && signalAccepted(rpId, userHandle, allAcceptedCredentialIds),
      signalNames(rpId, userHandle, username, displayName),
    ]);
  }
}

function signal(method, details) {
  last = last.then(async () => {
    try {
      const said = window.PublicKeyCredential?.[method]?.(details);
      await Promise.race([said, new Promise((resolve) => setTimeout(resolve, said ? patience : 0))]);
    } catch {
      // Nobody is waiting for it.
    }
  });
  return last;
}
