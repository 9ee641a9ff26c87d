/** The sentences with which the browser itself tells pages that a call has failed; a page sees no difference. */

const CHROMIUM = {
  NotAllowedError: 'The operation either timed out or was not allowed. '
    + 'See: https://www.w3.org/TR/webauthn-2/#sctn-privacy-considerations-client.',
  InvalidStateError: 'The user attempted to register an authenticator that contains one of the credentials already '
    + 'registered with the relying party.',
  SecurityError: 'The relying party ID is not a registrable domain suffix of, nor equal to the current domain.',
};

const FIREFOX = {
  NotAllowedError: 'The request is not allowed by the user agent or the platform in the current context, possibly '
    + 'because the user denied permission.',
  InvalidStateError: 'An attempt was made to use an object that is not, or is no longer, usable',
  NotSupportedError: 'Operation is not supported',
  SecurityError: 'The operation is insecure.',
};

/** @type {Record<string, string>} */
const SENTENCES = 'webAuthenticationProxy' in chrome ? CHROMIUM : FIREFOX;

/** What a page is told of every refusal. */
export const REFUSED = SENTENCES.NotAllowedError;

/**
 * @param {string} name The name of the exception.
 * @param {string} own What to say where browsers have no sentence.
 */
export function sentence(name, own) {
  return SENTENCES[name] ?? own;
}

/**
 * The fault in the options of a sign-in that browsers find only after they have handed the request on.
 *
 * @param {any} options
 * @returns {{name: string, message: string} | null}
 */
export function faultOf(options) {
  const { read, write } = options?.extensions?.largeBlob ?? {};
  if (read !== undefined && write !== undefined) {
    return { name: 'NotSupportedError', message: "Only one of the 'largeBlob' extension's 'read' and 'write' parameters is allowed at a time" };
  }
  if (write !== undefined && options.allowCredentials?.length !== 1) {
    return {
      name: 'NotSupportedError',
      message: "The 'largeBlob' extension's 'write' parameter can only be used with a single credential present on 'allowCredentials'",
    };
  }
  return null;
}
