/**
 * Chromium's `webAuthenticationProxy`: Chromium checks a request as always, and then gives it to the extension instead of an
 * authenticator. Only one extension can hold it; Firefox does not have it.
 */

/**
 * @typedef {{id: number, kind: 'create' | 'get', options: any, origin: string, isSameOriginWithAncestors: boolean}} Request
 */

export class Proxy {
  #api = chrome.webAuthenticationProxy;
  #isWanted = false;
  #isAttached = false;
  #borrowers = 0;
  /** @type {Promise<void>} */
  #work = Promise.resolve();

  /** @param {{onRequest: (request: Request) => void, onCancel: (id: number) => void}} events */
  listen({ onRequest, onCancel }) {
    const parse = (/** @type {'create' | 'get'} */ kind) => (/** @type {chrome.ProxyRequest} */ { requestId, requestDetailsJson }) => onRequest(read(kind, requestId, requestDetailsJson));
    this.#api?.onCreateRequest.addListener(parse('create'));
    this.#api?.onGetRequest.addListener(parse('get'));
    this.#api?.onRequestCanceled.addListener(onCancel);
    this.#api?.onIsUvpaaRequest.addListener(({ requestId }) =>
      this.#api.completeIsUvpaaRequest({ requestId, isUvpaa: true }).catch(() => {}));
  }

  /** Whether requests come here now. */
  get isAttached() {
    return this.#isAttached && this.#borrowers === 0;
  }

  /**
   * Takes the requests, or leaves them to the browser.
   *
   * @param {boolean} isWanted
   */
  set(isWanted) {
    this.#isWanted = isWanted;
    return this.#settle();
  }

  /**
   * Leaves requests to the browser until the returned function is called.
   *
   * @returns {Promise<() => void>}
   */
  async lend() {
    this.#borrowers += 1;
    await this.#settle();
    let isLent = true;
    return () => {
      this.#borrowers -= isLent ? 1 : 0;
      isLent = false;
      this.#settle();
    };
  }

  /**
   * @param {Request} request
   * @param {{response: string} | {name: string, message: string}} outcome
   */
  async complete({ id, kind }, outcome) {
    const details = 'response' in outcome
      ? { requestId: id, responseJson: outcome.response }
      : { requestId: id, error: { name: outcome.name, message: outcome.message } };
    await (kind === 'create' ? this.#api.completeCreateRequest(details) : this.#api.completeGetRequest(details));
  }

  #settle() {
    this.#work = this.#work.then(async () => {
      const shouldBe = this.#isWanted && this.#borrowers === 0;
      if (!this.#api || shouldBe === this.#isAttached) {
        return;
      }
      const problem = await (shouldBe ? this.#api.attach() : this.#api.detach()).catch(String);
      this.#isAttached = shouldBe && !problem;
    });
    return this.#work;
  }
}

/**
 * @param {'create' | 'get'} kind
 * @param {number} id
 * @param {string} text
 * @returns {Request}
 */
function read(kind, id, text) {
  const options = JSON.parse(text);
  const override = options.extensions?.remoteDesktopClientOverride ?? {};
  delete options.extensions?.remoteDesktopClientOverride;
  return {
    id,
    kind,
    options,
    origin: String(override.origin ?? ''),
    isSameOriginWithAncestors: override.sameOriginWithAncestors === true,
  };
}
