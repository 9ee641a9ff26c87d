/**
 * The browser's passkeys: what it can do, making one, using one.
 *
 * Options and answers are the JSON forms of WebAuthn Level 3; browsers that cannot translate them get help from
 * `json-forms.js`. Whatever fails comes out as a `PasskeyError` with one of our codes.
 */

import { creationOptions, requestOptions, responseJSON } from './json-forms.js';

/** Why the browser gave no passkey; `code` names a sentence, except for `cancelled` and `aborted`. */
export class PasskeyError extends Error {
  constructor(code, cause) {
    super(code, { cause });
    this.code = code;
  }
}

/** Why passkeys cannot work on this page at all, or `null` when they can. */
export function obstacle() {
  if (!window.isSecureContext) {
    return new PasskeyError('insecure_context');
  }
  if (!window.PublicKeyCredential || !navigator.credentials?.create) {
    return new PasskeyError('not_supported');
  }
  return null;
}

/** Whether passkeys can be offered in the user name field's autofill. */
export async function canAutofill() {
  try {
    const capabilities = await PublicKeyCredential.getClientCapabilities?.();
    return capabilities?.conditionalGet ?? await PublicKeyCredential.isConditionalMediationAvailable?.() ?? false;
  } catch {
    return false;
  }
}

/** Whether the browser may make a passkey without a prompt. */
export async function canUpgrade() {
  try {
    const capabilities = await PublicKeyCredential.getClientCapabilities?.();
    return capabilities?.conditionalCreate ?? false;
  } catch {
    return false;
  }
}

/** Has the browser make a passkey; its registration response as JSON. */
export function makePasskey(options, signal, mediation) {
  return ask(options, signal, async () => {
    const publicKey = creationOptions(options);
    return navigator.credentials.create({ publicKey, signal, ...(mediation && { mediation }) });
  });
}

/** Has the browser use a passkey; its authentication response as JSON. */
export function usePasskey(options, signal, mediation) {
  return ask(options, signal, async () => {
    const publicKey = requestOptions(options);
    return navigator.credentials.get({ publicKey, signal, ...(mediation && { mediation }) });
  });
}

async function ask(options, signal, request) {
  const startedAt = performance.now();
  try {
    const credential = await request();
    if (!credential) {
      throw new PasskeyError('cancelled');
    }
    return responseJSON(credential);
  } catch (error) {
    if (error instanceof PasskeyError) {
      throw error;
    }
    const waited = performance.now() - startedAt;
    const timedOut = options.timeout !== undefined && waited >= options.timeout - 250;
    throw new PasskeyError(signal?.aborted ? 'aborted' : reason(error, timedOut), error);
  }
}

/** Browsers tell a cancelled prompt and one that timed out alike, on purpose; only the clock knows the difference. */
function reason(error, timedOut) {
  switch (error?.name) {
    case 'NotAllowedError': return timedOut ? 'timeout' : 'cancelled';
    case 'AbortError': return 'cancelled';
    case 'TimeoutError': return 'timeout';
    case 'SecurityError': return 'wrong_address';
    case 'InvalidStateError': return 'already_on_this_device';
    case 'NotSupportedError': return 'no_usable_authenticator';
    case 'ConstraintError': return 'authenticator_lacks';
    case 'OperationError': return 'busy';
    default: return 'unexpected';
  }
}
