/**
 * Requests of pages for passkeys, from the announcement to the answer.
 *
 * In Chromium (`mode` is `proxy`) the page's script announces a request and then makes the browser's own call. Chromium
 * checks it and hands it over with the origin. Elsewhere (`page`) the script sends the options and takes the answer.
 */

import { Ceremony } from './ceremony.js';
import { REFUSED } from './failures.js';
import { covers, describe, hostOf, within, withoutTab } from './senders.js';

const LONGEST_OPTIONS = 256 * 1024;
const KINDS = ['create', 'get'];

export class Ceremonies {
  /** @type {Set<Ceremony>} */
  #running = new Set();

  /**
   * @param {{host: import('./host.js').Host, proxy: import('./proxy.js').Proxy, state: import('./state.js').State,
   *   windows: import('./windows.js').Windows, limits: import('./limits.js').Limits,
   *   saving: import('./saving.js').Saving}} parts
   */
  constructor(parts) {
    this.parts = parts;
  }

  /**
   * A page's script begins a request.
   *
   * @param {chrome.Port} port
   */
  connect(port) {
    const sender = describe(port.sender);
    /** @type {Ceremony | null} */
    let ceremony = null;
    let isGone = false;
    port.onDisconnect.addListener(() => {
      isGone = true;
      ceremony?.leave();
    });
    port.onMessage.addListener(async (message) => {
      if (ceremony) {
        ceremony.hear(message);
      } else if (message?.type === 'begin') {
        ceremony = this.#make(port, within(sender, message.ancestors), message);
        const plan = await this.#plan(ceremony);
        if (isGone) {
          ceremony.leave();
        } else {
          ceremony.begin(plan);
        }
      }
    });
  }

  /**
   * The browser hands a request over.
   *
   * @param {import('./proxy.js').Request} request
   */
  receive(request) {
    const announced = [...this.#running].find((ceremony) => ceremony.awaits(request));
    if (announced) {
      announced.receive(request);
    } else if (!request.isSameOriginWithAncestors || !this.parts.limits.admits(-1)) {
      // No script announced it, so nothing says which page is on top.
      this.parts.proxy.complete(request, { name: 'NotAllowedError', message: REFUSED });
    } else {
      const options = JSON.stringify(request.options);
      const ceremony = new Ceremony(this.parts, {
        sender: withoutTab(request.origin), kind: request.kind, mediation: 'optional', options, post: null,
      }, () => this.#running.delete(ceremony));
      this.#running.add(ceremony);
      ceremony.begin('call');
      ceremony.receive(request);
    }
  }

  /**
   * The browser takes a request back.
   *
   * @param {number} id
   */
  cancel(id) {
    [...this.#running].find((ceremony) => ceremony.request?.id === id)?.cancelled();
  }

  /**
   * @param {chrome.Port} port
   * @param {import('./senders.js').Sender | null} sender
   * @param {any} message
   */
  #make(port, sender, message) {
    const ceremony = new Ceremony(this.parts, {
      sender,
      kind: KINDS.includes(message.kind) ? message.kind : 'get',
      mediation: String(message.mediation ?? 'optional'),
      options: String(message.options ?? ''),
      isPermitted: message.isPermitted === true,
      isActive: message.isActive === true,
      post: (command) => port.postMessage(command),
    }, () => this.#running.delete(ceremony));
    this.#running.add(ceremony);
    return ceremony;
  }

  /**
   * What happens with a request: `native` leaves it to the browser, `call` has the browser hand it over, `page` takes the
   * options of the script, `menu` waits for a choice at a field, `refuse` ends it, `check` ends it after the browser has
   * found no fault in it, and `nothing` ends it without a passkey and without an error.
   *
   * @param {Ceremony} ceremony
   * @returns {Promise<string>}
   */
  async #plan(ceremony) {
    const { sender, kind, mediation, options, parsed } = ceremony;
    if (!sender || !parsed || options.length > LONGEST_OPTIONS || !await this.parts.state.isOn()) {
      return 'native';
    }
    // The browser refuses by itself, with errors of its own, RP IDs that the page's host does not cover, and frames whose
    // permissions only the browser knows.
    const rpID = String((kind === 'get' ? parsed.rpId : parsed.rp?.id) ?? hostOf(sender.origin));
    if (mediation === 'silent') {
      return 'nothing';
    }
    const usesProxy = this.parts.proxy.isAttached && !sender.isPrivate;
    if (!usesProxy && !covers(hostOf(sender.origin), rpID)) {
      return 'native';
    }
    if (!usesProxy && sender.frame !== 0 && !ceremony.isPermitted) {
      return 'native';
    }
    if (mediation === 'conditional' && kind === 'get') {
      return 'menu';
    }
    const isBusy = [...this.#running].some((other) => other !== ceremony && other.isModal && other.sender?.tab === sender.tab);
    if (!this.parts.limits.admits(sender.tab)) {
      return 'refuse';
    }
    if (isBusy) {
      return usesProxy ? 'check' : 'refuse';
    }
    if (mediation === 'immediate' && !await ceremony.isImmediate()) {
      return 'refuse';
    }
    return usesProxy ? 'call' : 'page';
  }
}
