/**
 * Whether the extension acts at all. Without a vault, a pairing, or with passkeys switched off, no script of the extension
 * is in any page, and Chromium's requests go to Chromium.
 */

import { HostError } from './host.js';

const MATCHES = ['https://*/*', 'http://localhost/*', 'http://*.localhost/*'];
const RETRY_ALARM = 'state';

/** @type {chrome.RegisteredContentScript[]} */
const SCRIPTS = [
  { id: 'bridge', js: ['content/bridge.js', 'content/fields.js', 'content/menu.js', 'content/autofill.js', 'content/saving.js'], world: 'ISOLATED' },
  { id: 'page', js: ['page/hook.js'], world: 'MAIN' },
].map((script) => /** @type {chrome.RegisteredContentScript} */ ({
  ...script,
  matches: MATCHES,
  runAt: 'document_start',
  allFrames: true,
  matchOriginAsFallback: true,
  persistAcrossSessions: true,
}));

/**
 * @typedef {{isPaired: boolean, hasVault: boolean, isLocked: boolean, passkeysAreOn: boolean, version?: string}} AgentState
 */

export class State {
  #host;
  #proxy;
  #menus;
  /** @type {Promise<boolean> | null} */
  #known = null;
  /** @type {Promise<any>} */
  #work = Promise.resolve();

  /**
   * @param {import('./host.js').Host} host
   * @param {import('./proxy.js').Proxy} proxy
   * @param {import('./menus.js').Menus} menus
   */
  constructor(host, proxy, menus) {
    this.#host = host;
    this.#proxy = proxy;
    this.#menus = menus;
  }

  /** Whether the extension acts; asks the agent the first time. */
  isOn() {
    this.#known ??= this.refresh().then(({ isOn }) => isOn);
    return this.#known;
  }

  /**
   * Asks the agent, and puts the scripts into pages or takes them out.
   *
   * @returns {Promise<{isOn: boolean, isSwitchedOn: boolean, agent: AgentState | null, problem: string}>}
   */
  async refresh() {
    const { isSwitchedOn = true, wasOn = false } = await chrome.storage.local.get(['isSwitchedOn', 'wasOn']);
    let problem = '';
    /** @type {AgentState | null} */
    let agent = null;
    for (let attempt = 0; attempt < 2 && !agent; attempt += 1) {
      try {
        agent = await this.#host.request('browser.state');
      } catch (error) {
        problem = error instanceof HostError ? error.code : 'failed';
      }
    }
    const isOn = Boolean(isSwitchedOn && agent?.hasVault && agent.isPaired && agent.passkeysAreOn);
    this.#known = Promise.resolve(isOn);
    await this.#apply(isOn);
    await chrome.storage.local.set({ wasOn: wasOn || isOn });
    // An agent that does not answer may be about to start again.
    if (!agent && wasOn && isSwitchedOn) {
      await chrome.alarms.create(RETRY_ALARM, { delayInMinutes: 1 });
    }
    return { isOn, isSwitchedOn, agent, problem };
  }

  /**
   * Switches passkeys of the extension on or off.
   *
   * @param {boolean} isSwitchedOn
   */
  async switch(isSwitchedOn) {
    await chrome.storage.local.set({ isSwitchedOn });
    return this.refresh();
  }

  /** @param {boolean} isOn */
  #apply(isOn) {
    this.#work = this.#work.then(async () => {
      const ids = SCRIPTS.map(({ id }) => id);
      const registered = await chrome.scripting.getRegisteredContentScripts({ ids });
      if (isOn && registered.length < SCRIPTS.length) {
        if (registered.length > 0) {
          await chrome.scripting.unregisterContentScripts({ ids: registered.map(({ id }) => id) });
        }
        await chrome.scripting.registerContentScripts(SCRIPTS);
      } else if (!isOn && registered.length > 0) {
        await chrome.scripting.unregisterContentScripts({ ids: registered.map(({ id }) => id) });
      }
      await this.#proxy.set(isOn);
      await this.#menus.set(isOn);
    }).catch((error) => console.error('scripts', error));
    return this.#work;
  }
}
