/**
 * The extension's script beside the page, in a world of its own: connects the script in the page's world with the worker.
 *
 * What comes from the page is passed on as a request and nothing else. The worker takes the sender from the browser.
 */

/**
 * What the scripts of this world share; no page sees it.
 *
 * @type {{autofill: null | {arm: (call: number, request: object) => void, disarm: (call: number) => void}, fields?: any, Menu?: any,
 *   text?: any, generated?: (input: HTMLInputElement, password: string) => void, isSender?: () => boolean,
 *   ancestors?: string[]}}
 */
const wardContent = { autofill: null, ancestors: ancestors() };

/** The origins of the pages around this frame, as the browser tells this script. */
function ancestors() {
  const { ancestorOrigins } = globalThis.location;
  return ancestorOrigins && [...ancestorOrigins];
}

(() => {
  'use strict';
  const { port1: link, port2: pagePort } = new MessageChannel();
  /** The calls under way, by the page's number. @type {Map<number, chrome.Port>} */
  const calls = new Map();
  const MOST_CALLS = 32;

  function handOver() {
    const event = new MessageEvent('ward-link', { ports: [pagePort], cancelable: true });
    if (!globalThis.dispatchEvent(event)) {
      globalThis.removeEventListener('ward-hello', handOver, true);
    }
  }
  globalThis.addEventListener('ward-hello', handOver, true);
  handOver();

  link.onmessage = ({ data }) => {
    const call = Number(data?.call);
    switch (data?.type) {
      case 'begin':
        return begin(call, { kind: data.kind, mediation: data.mediation, options: data.options });
      case 'abort':
        return end(call);
      case 'failed':
        return forward(call, { type: 'failed' });
      case 'settled':
        forward(call, { type: 'settled' });
        return end(call);
      case 'state':
        return answer(call, { type: 'state' });
      case 'signal':
        return answer(call, { type: 'signal', kind: data.kind, options: data.options });
    }
  };

  /** Asks the worker; after the extension was removed or updated the page gets an empty answer. */
  async function answer(call, message) {
    let said = {};
    try {
      said = await chrome.runtime.sendMessage(message);
    } catch {
      // The page is the browser's again.
    }
    link.postMessage({ ...said, call, command: 'answer' });
  }

  function forward(call, message) {
    try {
      calls.get(call)?.postMessage(message);
    } catch {
      // The worker is gone; its port says so.
    }
  }

  function end(call) {
    wardContent.autofill?.disarm(call);
    calls.get(call)?.disconnect();
    calls.delete(call);
  }

  function tell(call, message) {
    link.postMessage({ ...message, call });
  }

  async function begin(call, details) {
    if (calls.size >= MOST_CALLS) {
      return tell(call, { command: 'reject', name: 'NotAllowedError', message: 'Too many requests.' });
    }
    const port = connect(call, (message) => {
      switch (message.command) {
        case 'menu':
          // The request may wait for hours: the worker is asked again when the person comes to the field.
          port.disconnect();
          calls.delete(call);
          return wardContent.autofill?.arm(call, { open: (onMessage) => open(call, details, onMessage) });
        case 'native':
        case 'nothing':
        case 'reject':
        case 'result':
        case 'throw':
          tell(call, message);
          return end(call);
        default:
          tell(call, message);
      }
    }, () => tell(call, { command: 'lost' }));
    if (port) {
      post(port, { type: 'begin', isActive: isActive(), ...await placed(details) });
    } else {
      tell(call, { command: 'native' });
    }
  }

  /**
   * Opens the waiting request of a field once more.
   *
   * @param {number} call
   * @param {object} details
   * @param {(message: any) => void} onMessage What concerns the menu; `{command: 'lost'}` if the worker is gone.
   */
  function open(call, details, onMessage) {
    let isChosen = false;
    const port = connect(call, (message) => {
      switch (message.command) {
        case 'menu':
          return post(port, { type: 'list' });
        case 'accounts':
          return onMessage(message);
        case 'call':
          isChosen = true;
          return tell(call, message);
        case 'native':
          tell(call, { command: 'modal' });
          return end(call);
        default:
          tell(call, message);
          return end(call);
      }
    }, () => isChosen ? tell(call, { command: 'lost' }) : onMessage({ command: 'lost' }));
    const begun = port && placed(details).then((all) => post(port, { type: 'begin', ...all }));
    if (!port) {
      onMessage({ command: 'lost' });
    }
    return {
      say: (message) => begun?.then(() => post(port, message)),
      close: () => {
        if (!isChosen) {
          port?.disconnect();
          calls.delete(call);
        }
      },
    };
  }

  /**
   * @param {number} call
   * @param {(message: any) => void} onMessage
   * @param {() => void} onLost
   */
  function connect(call, onMessage, onLost) {
    try {
      const port = chrome.runtime.connect({ name: 'ceremony' });
      calls.set(call, port);
      port.onMessage.addListener(onMessage);
      port.onDisconnect.addListener(() => {
        if (calls.get(call) === port) {
          calls.delete(call);
          onLost();
        }
      });
      return port;
    } catch {
      // The extension was removed or updated: the page is the browser's again.
      return null;
    }
  }

  function post(port, message) {
    try {
      port?.postMessage(message);
    } catch {
      // Its port says so.
    }
  }

  /** Whether the person has just done something in this page. */
  function isActive() {
    return navigator.userActivation?.isActive === true;
  }

  /** A request with its place among the pages around it. */
  async function placed(details) {
    const isPermitted = await mayUsePasskeys(details.kind === 'create' ? 'create' : 'get');
    return { ...details, isPermitted, ancestors: wardContent.ancestors };
  }

  /**
   * Whether the pages that hold this frame let it use passkeys.
   *
   * @param {'create' | 'get'} kind
   */
  async function mayUsePasskeys(kind) {
    if (window === window.top) {
      return true;
    }
    if (document.featurePolicy) {
      return document.featurePolicy.allowsFeature(`publickey-credentials-${kind}`) === true;
    }
    // Firefox tells scripts of no policy. It judges a call by its policy first, and then refuses an RP ID that no page can have.
    const name = ' ';
    const publicKey = {
      challenge: new Uint8Array(1), rpId: name, rp: { id: name, name }, user: { id: new Uint8Array(1), name, displayName: name },
      pubKeyCredParams: [],
    };
    try {
      await navigator.credentials[kind]({ publicKey });
    } catch (error) {
      return error?.name === 'SecurityError';
    }
    return false;
  }
})();
