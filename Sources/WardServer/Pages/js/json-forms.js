/**
 * WebAuthn's JSON forms for browsers that do not translate them (Level 3 methods, in browsers since 2024).
 *
 * The browser's own methods come first. Ours know what this service sends: bytes of extensions are not among it.
 */

/** base64url without padding → bytes. */
export function fromBase64URL(text) {
  const binary = atob(text.replaceAll('-', '+').replaceAll('_', '/'));
  return Uint8Array.from(binary, (character) => character.charCodeAt(0));
}

/** Bytes → base64url without padding. */
export function toBase64URL(buffer) {
  const binary = Array.from(new Uint8Array(buffer), (byte) => String.fromCharCode(byte)).join('');
  return btoa(binary).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
}

/** `PublicKeyCredentialCreationOptionsJSON` → what `create` takes. */
export function creationOptions(json) {
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
export function requestOptions(json) {
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
export function responseJSON(credential) {
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
