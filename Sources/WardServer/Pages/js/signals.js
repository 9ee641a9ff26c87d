/**
 * What we tell password managers, so that they do not offer passkeys the service no longer knows.
 *
 * A courtesy only: browsers may lack it (WebAuthn Level 3, section 5.1.10), and nothing of ours waits for it to work.
 */

/** The service does not know this passkey. */
export function signalUnknown(rpId, credentialId) {
  return signal('signalUnknownCredential', { rpId, credentialId });
}

/** These passkeys of the account are all there are. */
export function signalAccepted(rpId, userId, allAcceptedCredentialIds) {
  return signal('signalAllAcceptedCredentials', { rpId, userId, allAcceptedCredentialIds });
}

/** The account is called so now. */
export function signalNames(rpId, userId, name, displayName) {
  return signal('signalCurrentUserDetails', { rpId, userId, name, displayName });
}

async function signal(method, details) {
  try {
    await window.PublicKeyCredential?.[method]?.(details);
  } catch {
    // Nobody is waiting for it.
  }
}
