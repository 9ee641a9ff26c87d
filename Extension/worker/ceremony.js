/** One request of a page for a passkey. */

import { REFUSED, faultOf, sentence } from './failures.js';
import { HostError } from './host.js';
import { hostOf, isCrossOrigin, originOf } from './senders.js';

/**
 * How long the window stays after the choice. Closing it keeps the browser busy for a moment, so a quick answer of the agent comes
 * first; a prompt of the agent does not stand beside it for long.
 */
const CLOSE_MILLISECONDS = 60;
/** Failures of the agent that leave the request to the browser. */
const ABSENT = new Set(['unavailable', 'not_paired', 'passkeys_off']);

/**
 * @typedef {{host: import('./host.js').Host, proxy: import('./proxy.js').Proxy, state: import('./state.js').State,
 *   windows: import('./windows.js').Windows, limits: import('./limits.js').Limits,
 *   saving: import('./saving.js').Saving}} Parts
 * @typedef {'create' | 'get'} Kind
 * @typedef {{sender: import('./senders.js').Sender | null, kind: Kind, mediation: string, options: string,
 *   isPermitted?: boolean, isActive?: boolean, post: ((command: object) => void) | null}} Announcement
 * @typedef {{picked?: string, agreed?: boolean, mediation?: string}} Decision
 */

export class Ceremony {
  /** @type {import('./proxy.js').Request | null} */
  request = null;
  /** @type {any} */
  parsed = null;
  /** @type {'new' | 'menu' | 'calling' | 'choosing' | 'answering' | 'native' | 'over'} */
  stage = 'new';
  usesProxy = false;
  /** Whether the browser checks the call and then gets a refusal. */
  #isRefused = false;
  #parts;
  #announcement;
  #sender;
  #onEnd;
  #gone = new AbortController();
  /** @type {Decision | null} */
  #decision = null;
  /** @type {ReturnType<import('./windows.js').Windows['open']> | null} */
  #window = null;
  /** The agent's answer, as long as it is not with the page. */
  #response = '';
  /** @type {any[]} */
  #accounts = [];
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #closing;
  #release = () => {};
  #giveBack = () => {};
  /** Whether the page's script has a call of the browser under way. */
  #isCalled = false;
  #isReadyForNative = false;
  #isNativeCalled = false;

  /**
   * @param {Parts} parts
   * @param {Announcement} announcement
   * @param {() => void} onEnd
   */
  constructor(parts, announcement, onEnd) {
    this.#parts = parts;
    this.#announcement = announcement;
    this.#sender = announcement.sender;
    this.#onEnd = onEnd;
    try {
      this.parsed = JSON.parse(announcement.options);
    } catch {
      this.parsed = null;
    }
  }

  get sender() { return this.#sender; }
  get kind() { return this.#announcement.kind; }
  get mediation() { return this.#announcement.mediation; }
  get options() { return this.#announcement.options; }
  get isPermitted() { return this.#announcement.isPermitted === true; }

  /** Whether it has a window, or will have one. */
  get isModal() {
    return !this.#isRefused && ['calling', 'choosing', 'answering', 'native'].includes(this.stage);
  }

  get #isUpgrade() {
    return this.kind === 'create' && this.mediation === 'conditional';
  }

  /** @param {string} plan See `Ceremonies`. */
  begin(plan) {
    switch (plan) {
      case 'refuse':
        return this.#fail('NotAllowedError');
      case 'check':
        this.usesProxy = this.#isRefused = true;
        return this.#call();
      case 'nothing':
        this.#post({ command: 'nothing' });
        return this.#end();
      case 'menu':
        this.stage = 'menu';
        return this.#post({ command: 'menu' });
      case 'call':
      case 'page':
        this.usesProxy = plan === 'call';
        this.#release = this.#parts.host.hold();
        this.#decision = this.#isUpgrade ? { mediation: 'conditional' } : null;
        if (this.usesProxy) {
          return this.#call();
        }
        this.#post({ command: 'wait', message: REFUSED });
        return this.#proceed();
      default:
        this.#post({ command: 'native' });
        return this.#end();
    }
  }

  /**
   * Whether this request of the browser is the one that was announced.
   *
   * @param {import('./proxy.js').Request} request
   */
  awaits(request) {
    return this.stage === 'calling' && !this.request && request.kind === this.kind
      && request.origin === this.sender?.origin && request.options.challenge === this.parsed?.challenge;
  }

  /** @param {import('./proxy.js').Request} request */
  receive(request) {
    this.request = request;
    this.#sender = { ...this.#sender, isSameOriginWithAncestors: request.isSameOriginWithAncestors };
    if (this.#isRefused) {
      return this.#fail('NotAllowedError');
    }
    this.#proceed();
  }

  /** The browser has taken its request back: the page ended it, its time is over, or another request was given to the browser. */
  cancelled() {
    this.request = null;
    if (this.#parts.proxy.isAttached && this.stage !== 'native') {
      this.#end();
    }
  }

  /** The page's script is gone. */
  leave() {
    if (this.request && this.stage !== 'native') {
      this.#complete({ name: 'AbortError', message: 'The request was ended.' });
    }
    this.#end();
  }

  /**
   * The page's script or the menu at a field says something.
   *
   * @param {any} message
   */
  async hear(message) {
    switch (message?.type) {
      case 'settled':
        return this.#end();
      case 'failed':
        return this.#failed();
      case 'list':
        return this.stage === 'menu' && this.#list();
      case 'unlock':
        return this.stage === 'menu' && this.#unlock();
      case 'pick':
        return this.stage === 'menu' && this.#pick(String(message.id), 'conditional');
      case 'other':
        return this.stage === 'menu' && this.#other();
    }
  }

  // From here on: what happens next.

  #call() {
    this.stage = 'calling';
    this.#isCalled = true;
    this.#post({ command: 'call' });
  }

  #proceed() {
    const fault = this.kind === 'get' ? faultOf(this.parsed) : null;
    if (fault) {
      this.#fail(fault.name, fault.message);
    } else if (this.#response) {
      this.#deliver(this.#response);
    } else if (this.#decision) {
      this.#answer();
    } else {
      this.stage = 'choosing';
      this.#choose();
    }
  }

  async #choose() {
    const open = () => {
      this.#window ??= this.#parts.windows.open(this.sender?.tab ?? -1, (choice) => this.#chosen(choice));
      return this.#window;
    };
    if (this.request) {
      // The browser has checked the call, so there is something to show: the window opens while the agent looks it up.
      open();
    }
    const content = await this.#load();
    if (content && this.stage === 'choosing') {
      open().render(content);
    }
  }

  /** What the window shows; `null` if the agent has ended the request. */
  async #load() {
    const rp = this.kind === 'create' ? this.parsed.rp : null;
    const user = this.parsed?.user ?? {};
    try {
      const { isLocked, accounts = [] } = await this.#ask();
      this.#accounts = accounts;
      return {
        kind: this.kind,
        isLocked: Boolean(isLocked),
        accounts,
        site: String(rp?.id ?? this.parsed?.rpId ?? hostOf(this.sender?.origin ?? '')),
        host: hostOf(this.sender?.origin ?? ''),
        top: this.sender && isCrossOrigin(this.sender) ? hostOf(originOf(this.sender.topURL)) : '',
        user: String(user.name ?? ''),
        displayName: String(user.displayName ?? ''),
      };
    } catch (error) {
      this.#agentFailed(error);
      return null;
    }
  }

  /**
   * Whether a request for passkeys that are here at once can be met: the person has just done something, and the vault is
   * unlocked and has one. Otherwise the page gets its refusal at once.
   */
  async isImmediate() {
    if (!this.#announcement.isActive || this.sender?.isPrivate || this.parsed?.allowCredentials?.length > 0) {
      return false;
    }
    try {
      const { isLocked, accounts = [] } = await this.#ask();
      return !isLocked && accounts.length > 0;
    } catch {
      return false;
    }
  }

  #ask() {
    const { host } = this.#parts;
    return this.kind === 'get'
      ? host.request('browser.passkeys.list', { sender: this.sender, options: this.#currentOptions }, this.#gone.signal)
      : host.request('browser.state', {}, this.#gone.signal);
  }

  get #currentOptions() {
    return this.request ? JSON.stringify(this.request.options) : this.options;
  }

  async #list() {
    try {
      const { isLocked, accounts = [] } = await this.#ask();
      this.#accounts = accounts;
      this.#post({ command: 'accounts', isLocked: Boolean(isLocked), accounts });
    } catch (error) {
      this.#agentFailed(error);
    }
  }

  async #unlock() {
    try {
      await this.#parts.host.request('browser.unlock', {}, this.#gone.signal);
    } catch (error) {
      if (error instanceof HostError && ABSENT.has(error.code)) {
        this.#agentFailed(error);
        return;
      }
    }
    await (this.stage === 'menu' ? this.#list() : this.#choose());
  }

  /** @param {import('./windows.js').Choice} choice */
  #chosen(choice) {
    if (this.stage !== 'choosing') {
      return;
    }
    switch (choice.type) {
      case 'pick':
        return this.#pick(String(choice.id));
      case 'agree':
        if (this.kind === 'create') {
          this.#decide({ agreed: true });
        }
        return;
      case 'unlock':
        this.#unlock();
        return;
      case 'other':
        return this.#other();
      default:
        this.#parts.limits.refused(this.sender?.tab ?? -1);
        this.#fail('NotAllowedError');
    }
  }

  /**
   * @param {string} id
   * @param {string} [mediation]
   */
  #pick(id, mediation) {
    if (this.kind === 'get' && this.#accounts.some((account) => account.id === id)) {
      this.#decide({ picked: id, ...(mediation ? { mediation } : {}) });
    }
  }

  /** @param {Decision} decision */
  #decide(decision) {
    this.#decision = decision;
    this.#closing = setTimeout(() => this.#closeWindow(), CLOSE_MILLISECONDS);
    if (this.stage === 'menu') {
      this.#release = this.#parts.host.hold();
      this.usesProxy = this.#parts.proxy.isAttached && !this.sender?.isPrivate;
    }
    if (this.#hasToCall) {
      this.#call();
    } else {
      this.#answer();
    }
  }

  /** Whether the page's script has to make the browser's call before there can be an answer. */
  get #hasToCall() {
    this.usesProxy &&= this.request !== null || this.#parts.proxy.isAttached;
    return this.usesProxy && !this.request;
  }

  async #answer() {
    this.stage = 'answering';
    const params = { sender: this.sender, options: this.#currentOptions, ...this.#decision };
    try {
      const { response } = await this.#parts.host.request(`browser.passkeys.${this.kind}`, params, this.#gone.signal);
      if (this.#isUpgrade) {
        this.#parts.saving.mark(this.sender?.tab ?? -1);
      }
      await this.#parts.windows.bringToFront(this.sender?.tab ?? -1);
      await this.#deliver(String(response));
    } catch (error) {
      this.#agentFailed(error);
    }
  }

  /** @param {string} response */
  async #deliver(response) {
    this.#response = response;
    if (this.#gone.signal.aborted) {
      return;
    }
    if (this.#hasToCall) {
      return this.#call();
    }
    if (this.usesProxy) {
      await this.#complete({ response });
    } else {
      this.#post({ command: 'result', response });
    }
    this.#end();
  }

  /** @param {unknown} error */
  #agentFailed(error) {
    if (this.stage === 'over' || this.#gone.signal.aborted) {
      return;
    }
    const { code, domName, message } = error instanceof HostError ? error : new HostError('failed', REFUSED);
    if (ABSENT.has(code) && !this.#isUpgrade) {
      this.#other();
    } else {
      const name = code === 'ceremony_failed' && domName ? domName : 'NotAllowedError';
      this.#fail(name, sentence(name, message));
    }
    if (ABSENT.has(code)) {
      this.#parts.state.refresh();
    }
  }

  /** Leaves the request to the browser's own dialog: a security key, a phone. */
  async #other() {
    this.#closeWindow();
    if (!this.#announcement.post) {
      return this.#fail('NotAllowedError');
    }
    if (!this.#parts.proxy.isAttached && !this.usesProxy) {
      this.#post({ command: 'native' });
      return this.#end();
    }
    this.stage = 'native';
    if (this.request) {
      await this.#complete({ name: 'NotAllowedError', message: REFUSED });
    }
    this.#giveBack = await this.#parts.proxy.lend();
    this.#isReadyForNative = true;
    if (this.#gone.signal.aborted) {
      this.#giveBack();
    } else if (!this.#isCalled) {
      this.#callNative();
    }
  }

  #callNative() {
    this.#isCalled = true;
    this.#isNativeCalled = true;
    this.#post({ command: 'call' });
  }

  /** The call of the page's script has failed. */
  #failed() {
    this.#isCalled = false;
    switch (this.stage) {
      case 'choosing':
      case 'answering':
        // Chromium ended all requests because another one was given to the browser. The page's promise waits on.
        this.request = null;
        return;
      case 'native':
        if (!this.#isReadyForNative) {
          return;
        }
        if (!this.#isNativeCalled) {
          return this.#callNative();
        }
    }
    this.#post({ command: 'throw' });
    this.#end();
  }

  /**
   * @param {string} name
   * @param {string} [message]
   */
  #fail(name, message = REFUSED) {
    if (this.request) {
      this.#complete({ name, message });
    } else {
      this.#post({ command: 'reject', name, message });
    }
    this.#end();
  }

  /** @param {{response: string} | {name: string, message: string}} outcome */
  async #complete(outcome) {
    const { request } = this;
    this.request = null;
    if (request) {
      const { proxy } = this.#parts;
      const failure = { name: 'NotAllowedError', message: REFUSED };
      // Chromium refuses an answer that it cannot read, and waits on; a request that it took back needs no answer.
      await proxy.complete(request, outcome).catch(() => proxy.complete(request, failure)).catch(() => {});
    }
  }

  #closeWindow() {
    clearTimeout(this.#closing);
    this.#window?.close();
    this.#window = null;
  }

  /** @param {object} command */
  #post(command) {
    try {
      this.#announcement.post?.(command);
    } catch {
      // The page is gone.
    }
  }

  #end() {
    this.stage = 'over';
    this.#gone.abort();
    this.#closeWindow();
    this.#release();
    this.#giveBack();
    this.#onEnd();
  }
}
