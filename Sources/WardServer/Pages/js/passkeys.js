/**
 * Passkeys in the browser: options of the service into a call, and the browser's answer back into JSON.
 *
 * This file needs no other one, so it can be copied into an app. Options and answers are the JSON forms of WebAuthn Level 3;
 * browsers that cannot translate them get help here. Every failure is a `PasskeyError` with a stable code.
 */

/**
 * Why the browser gave no passkey.
 *
 * Codes: `cancelled` (the person closed the prompt, or no passkey was there: browsers do not tell which), `aborted` (by the
 * signal), `timeout`, `busy` (another prompt is open), `wrong_address`, `already_on_this_device`, `no_usable_authenticator`,
 * `authenticator_lacks`, `insecure_context`, `not_supported` and `unexpected`.
 */
export class PasskeyError extends Error {
  constructor(code, cause) {
    super(code, { cause });
    this.code = code;
  }
}

/**
 * Why passkeys cannot work on this page at all, or `null` if they can.
 *
 * @returns {PasskeyError | null}
 */
export function obstacle() {
  if (!window.isSecureContext) {
    return new PasskeyError('insecure_context');
  }
  if (!window.PublicKeyCredential || !navigator.credentials?.create) {
    return new PasskeyError('not_supported');
  }
  return null;
}

/** Whether the browser offers passkeys in the autofill of a field with `autocomplete="username webauthn"`. */
export async function canAutofill() {
  return await capability('conditionalGet')
    ?? await window.PublicKeyCredential?.isConditionalMediationAvailable?.()
    ?? false;
}

/** Whether the browser may make a passkey without a prompt, after a sign-in with a password. */
export async function canUpgrade() {
  return await capability('conditionalCreate') ?? false;
}

/** Whether the browser can ask for a passkey of this device only, and fail at once without one. */
export async function canAskImmediately() {
  return await capability('immediateGet') ?? false;
}

/**
 * Has the browser make a passkey.
 *
 * @param {object} options A `PublicKeyCredentialCreationOptionsJSON`.
 * @param {object} [how]
 * @param {AbortSignal} [how.signal] Ends the request.
 * @param {'conditional'} [how.mediation] Asks without a prompt; see `canUpgrade`.
 * @returns {Promise<object>} a `RegistrationResponseJSON`.
 * @throws {PasskeyError}
 */
export function makePasskey(options, { signal, ...how } = {}) {
  return ask(options, signal, () =>
    navigator.credentials.create({ publicKey: creationOptions(options), signal, ...how }));
}

/**
 * Has the browser use a passkey.
 *
 * @param {object} options A `PublicKeyCredentialRequestOptionsJSON`.
 * @param {object} [how]
 * @param {AbortSignal} [how.signal] Ends the request.
 * @param {'conditional'} [how.mediation] Waits for a choice in a field's autofill; see `canAutofill`.
 * @param {'immediate'} [how.uiMode] Only passkeys of this device, in options without `allowCredentials`, after a click; see
 *   `canAskImmediately`. Without one it is `cancelled` at once.
 * @returns {Promise<object>} an `AuthenticationResponseJSON`.
 * @throws {PasskeyError}
 */
export function usePasskey(options, { signal, ...how } = {}) {
  return ask(options, signal, () =>
    navigator.credentials.get({ publicKey: requestOptions(options), signal, ...how }));
}

/** What the browser says about one of its capabilities; `undefined` if it says nothing. */
async function capability(name) {
  try {
    const capabilities = await window.PublicKeyCredential?.getClientCapabilities?.();
    return capabilities?.[name];
  } catch {
    return undefined;
  }
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

// JSON forms for browsers without methods of their own. Extensions whose inputs are bytes, such as `prf`, need those methods.

/** base64url without padding → bytes. */
function fromBase64URL(text) {
  const binary = atob(text.replaceAll('-', '+').replaceAll('_', '/'));
  return Uint8Array.from(binary, (character) => character.charCodeAt(0));
}

/** Bytes → base64url without padding. */
function toBase64URL(buffer) {
  const binary = Array.from(new Uint8Array(buffer), (byte) => String.fromCharCode(byte)).join('');
  return btoa(binary).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
}

/** `PublicKeyCredentialCreationOptionsJSON` → what `create` takes. */
function creationOptions(json) {
  if (PublicKeyCredential.parseCreationOptionsFromJSON) {
    return PublicKeyCredential.parseCreationOptionsFromJSON(json);
  }
  return {
    ...json,
    challenge: fromBase64URL(json.challenge),
    user: { ...json.user, id: fromBase64URL(json.user.id) },
    excludeCredentials: descriptors(json.excludeCredentials),
  };
}

/** `PublicKeyCredentialRequestOptionsJSON` → what `get` takes. */
function requestOptions(json) {
  if (PublicKeyCredential.parseRequestOptionsFromJSON) {
    return PublicKeyCredential.parseRequestOptionsFromJSON(json);
  }
  return {
    ...json,
    challenge: fromBase64URL(json.challenge),
    allowCredentials: descriptors(json.allowCredentials),
  };
}

/**
 * A credential → `RegistrationResponseJSON` or `AuthenticationResponseJSON`.
 *
 * Some password managers answer with an object that only looks like a credential: its inherited `toJSON` throws.
 */
function responseJSON(credential) {
  try {
    return credential.toJSON();
  } catch {
    return {
      id: credential.id,
      rawId: toBase64URL(credential.rawId),
      type: credential.type,
      authenticatorAttachment: credential.authenticatorAttachment ?? undefined,
      clientExtensionResults: withoutBuffers(credential.getClientExtensionResults?.() ?? {}),
      response: credential.response.attestationObject
        ? registration(credential.response)
        : authentication(credential.response),
    };
  }
}

function registration(response) {
  return {
    clientDataJSON: toBase64URL(response.clientDataJSON),
    attestationObject: toBase64URL(response.attestationObject),
    transports: response.getTransports?.() ?? [],
    ...optionalBytes('authenticatorData', response.getAuthenticatorData?.()),
    ...optionalBytes('publicKey', response.getPublicKey?.()),
    publicKeyAlgorithm: response.getPublicKeyAlgorithm?.(),
  };
}

function authentication(response) {
  return {
    clientDataJSON: toBase64URL(response.clientDataJSON),
    authenticatorData: toBase64URL(response.authenticatorData),
    signature: toBase64URL(response.signature),
    ...optionalBytes('userHandle', response.userHandle),
  };
}

function optionalBytes(name, bytes) {
  return bytes ? { [name]: toBase64URL(bytes) } : {};
}

function descriptors(list = []) {
  return list.map((descriptor) => ({ ...descriptor, id: fromBase64URL(descriptor.id) }));
}

/** Extension outputs as JSON: bytes become text, wherever they are. */
function withoutBuffers(value) {
  if (value instanceof ArrayBuffer) {
    return toBase64URL(value);
  }
  if (value === null || typeof value !== 'object') {
    return value;
  }
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, withoutBuffers(inner)]));
}
