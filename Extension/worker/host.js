/**
 * The native messaging host `ward-browser`, and the agent behind it.
 *
 * The browser starts the host with the first request. The host may end at any time: requests under way then fail with
 * `unavailable`, and the next request starts it again.
 */

const HOST_NAME = 'org.ward.browser';
const IDLE_MILLISECONDS = 60_000;
const MAXIMUM_CHUNKS = 256;

/** Why the agent did not do what it was asked. */
export class HostError extends Error {
  /**
   * @param {string} code A code of the protocol, such as `locked`.
   * @param {string} message
   * @param {string} [domName] The name of the DOMException for the page, if `code` is `ceremony_failed`.
   */
  constructor(code, message, domName) {
    super(message);
    this.code = code;
    this.domName = domName;
  }

  /**
   * @param {any} error The member `error` of an answer.
   */
  static of(error) {
    const data = error?.data ?? {};
    return new HostError(String(data.code ?? 'failed'), String(error?.message ?? ''), data.name && String(data.name));
  }
}

/**
 * @typedef {{resolve: (result: any) => void, reject: (error: HostError) => void, parts: string[]}} Waiting
 */

export class Host {
  /** @type {chrome.Port | null} */
  #port = null;
  #lastID = 0;
  /** @type {Map<number, Waiting>} */
  #waiting = new Map();
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #idle;
  #holds = 0;

  /**
   * Sends a request.
   *
   * @param {string} method
   * @param {object} [params]
   * @param {AbortSignal} [signal] Withdraws the request, and its prompt with it.
   * @returns {Promise<any>} the result.
   * @throws {HostError}
   */
  request(method, params = {}, signal) {
    if (signal?.aborted) {
      return Promise.reject(new HostError('cancelled', 'cancelled'));
    }
    const id = ++this.#lastID;
    return new Promise((resolve, reject) => {
      const withdraw = () => {
        if (this.#waiting.delete(id)) {
          this.#send({ jsonrpc: '2.0', id: ++this.#lastID, method: 'browser.cancel', params: { request: id } });
          reject(new HostError('cancelled', 'cancelled'));
        }
        this.#rest();
      };
      signal?.addEventListener('abort', withdraw, { once: true });
      const done = () => signal?.removeEventListener('abort', withdraw);
      this.#waiting.set(id, {
        parts: [],
        resolve: (result) => { done(); resolve(result); },
        reject: (error) => { done(); reject(error); },
      });
      this.#send({ jsonrpc: '2.0', id, method, params });
    });
  }

  /**
   * Keeps the host, and with it this worker, until the returned function is called.
   *
   * @returns {() => void}
   */
  hold() {
    this.#holds += 1;
    let isHeld = true;
    return () => {
      this.#holds -= isHeld ? 1 : 0;
      isHeld = false;
      this.#rest();
    };
  }

  /** @param {object} message */
  #send(message) {
    clearTimeout(this.#idle);
    try {
      this.#port ??= this.#connect();
      this.#port.postMessage(message);
    } catch (error) {
      this.#lost(String(error));
    }
  }

  #connect() {
    const port = chrome.runtime.connectNative(HOST_NAME);
    port.onMessage.addListener((message) => this.#receive(message));
    port.onDisconnect.addListener(() => {
      // Reading the error tells the browser that somebody has seen it.
      const reason = port.error?.message ?? chrome.runtime.lastError?.message ?? 'the host ended';
      if (this.#port === port) {
        this.#lost(reason);
      }
    });
    return port;
  }

  /** @param {string} reason */
  #lost(reason) {
    this.#port = null;
    clearTimeout(this.#idle);
    const waiting = [...this.#waiting.values()];
    this.#waiting.clear();
    waiting.forEach(({ reject }) => reject(new HostError('unavailable', reason)));
  }

  /** @param {any} message */
  #receive(message) {
    if (message?.chunk) {
      const whole = this.#join(message.chunk);
      if (whole) {
        this.#receive(whole);
      }
      return;
    }
    const waiting = this.#waiting.get(message?.id);
    if (!waiting) {
      return;
    }
    this.#waiting.delete(message.id);
    if (message.error) {
      waiting.reject(HostError.of(message.error));
    } else {
      waiting.resolve(message.result ?? {});
    }
    this.#rest();
  }

  /**
   * Collects an answer that comes in pieces.
   *
   * @param {{id: number, index: number, count: number, text: string}} chunk
   * @returns {any} the whole answer after the last piece.
   */
  #join({ id, index, count, text }) {
    const waiting = this.#waiting.get(id);
    if (!waiting || count > MAXIMUM_CHUNKS || index !== waiting.parts.length) {
      return null;
    }
    waiting.parts.push(text);
    try {
      return waiting.parts.length === count ? JSON.parse(waiting.parts.join('')) : null;
    } catch {
      return { id, error: { message: 'the answer is not JSON', data: { code: 'unavailable' } } };
    }
  }

  /** Lets the host go after a while without requests, so that the worker can end too. */
  #rest() {
    clearTimeout(this.#idle);
    if (this.#port && this.#waiting.size === 0 && this.#holds === 0) {
      this.#idle = setTimeout(() => {
        this.#port?.disconnect();
        this.#port = null;
      }, IDLE_MILLISECONDS);
    }
  }
}
