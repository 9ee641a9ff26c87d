/**
 * Passkeys in the user name field's autofill.
 *
 * The request for it waits in the background for as long as the page is open. It is renewed before its ceremony ends,
 * begun again after whatever ended it, and gives way to any other request: a browser allows only one at a time.
 */

import { canAutofill } from './passkeys.js';

const renewAfter = 4 * 60 * 1000;
const shortestPause = 1000;
const longestPause = 60 * 1000;

/** Failures that asking again will not change. */
const lasting = new Set(['wrong_address', 'origin_not_allowed', 'no_usable_authenticator']);

export class Autofill {
  #begin;
  #ask;
  #answer;
  #failed;
  #stopping = null;
  #settled = Promise.resolve();

  /**
   * @param begin Begins a sign-in.
   * @param ask Asks for a passkey; takes what `begin` gave, and a signal.
   * @param answer Signs in with what `ask` gave.
   * @param failed Told of failures that a person ought to see; a request nobody asked for fails quietly.
   */
  constructor({ begin, ask, answer, failed }) {
    this.#begin = begin;
    this.#ask = ask;
    this.#answer = answer;
    this.#failed = failed;
  }

  /** Begins, unless it runs already; resolves once the browser waits for a passkey, or does not. */
  start() {
    if (this.#stopping !== null) {
      return Promise.resolve();
    }
    this.#stopping = new AbortController();
    const { signal } = this.#stopping;
    return new Promise((begun) => {
      this.#settled = this.#settled.then(() => this.#run(signal, begun)).finally(begun);
    });
  }

  /** Ends, and waits until the browser is free for another request. */
  async stop() {
    this.#stopping?.abort();
    this.#stopping = null;
    await this.#settled;
  }

  async #run(stop, begun) {
    if (stop.aborted || !await canAutofill()) {
      return;
    }
    let pause = shortestPause;
    while (!stop.aborted) {
      const round = new Round(stop);
      const asked = await attempt(() => this.#askIn(round, begun));
      round.end();
      mark('off');
      begun();
      if (stop.aborted) {
        return;
      }
      if (asked.value) {
        const answered = await attempt(() => this.#answer(asked.value));
        if (!answered.error) {
          return;
        }
        this.#failed(answered.error);
      } else if (round.signal.aborted) {
        continue;
      } else if (lasting.has(asked.error.code)) {
        this.#failed(asked.error);
        return;
      }
      pause = round.age > longestPause ? shortestPause : pause;
      await sleep(pause, stop);
      pause = Math.min(pause * 2, longestPause);
    }
  }

  async #askIn(round, begun) {
    const signIn = await this.#begin();
    round.signal.throwIfAborted();
    const asking = this.#ask(signIn, round.signal);
    mark('pending');
    begun();
    return asking;
  }
}

/** One request: ends itself in time, also when the computer slept meanwhile and timers stood still. */
class Round {
  #controller = new AbortController();
  #listeners = new AbortController();
  #startedAt = Date.now();
  #timer = setTimeout(() => this.#controller.abort(), renewAfter);

  constructor(stop) {
    const { signal } = this.#listeners;
    stop.addEventListener('abort', () => this.#controller.abort(), { signal });
    document.addEventListener('visibilitychange', () => {
      if (!document.hidden && this.age > renewAfter) {
        this.#controller.abort();
      }
    }, { signal });
  }

  get signal() {
    return this.#controller.signal;
  }

  get age() {
    return Date.now() - this.#startedAt;
  }

  end() {
    clearTimeout(this.#timer);
    this.#listeners.abort();
  }
}

async function attempt(work) {
  try {
    return { value: await work() };
  } catch (error) {
    return { error };
  }
}

/** Says in the document, for those who watch it, whether the browser waits for a passkey now. */
function mark(state) {
  document.documentElement.dataset.conditional = state;
}

function sleep(milliseconds, signal) {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, milliseconds);
    signal.addEventListener('abort', () => {
      clearTimeout(timer);
      resolve();
    }, { once: true });
  });
}
