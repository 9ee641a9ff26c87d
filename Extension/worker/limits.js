/**
 * How often a tab may ask. A page that opens windows again and again is silenced for a while.
 */

const PERIOD = 60_000;
const REQUESTS = 120;
const REFUSALS = 5;

export class Limits {
  /** @type {Map<number, {requests: number[], refusals: number[]}>} */
  #tabs = new Map();

  /**
   * Counts a request, and says whether it may go on.
   *
   * @param {number} tab
   */
  admits(tab, now = Date.now()) {
    const { requests, refusals } = this.#recent(tab, now);
    if (requests.length >= REQUESTS || refusals.length >= REFUSALS) {
      return false;
    }
    requests.push(now);
    return true;
  }

  /**
   * Counts a window that was shown and closed without a choice.
   *
   * @param {number} tab
   */
  refused(tab, now = Date.now()) {
    this.#recent(tab, now).refusals.push(now);
  }

  /** @param {number} tab */
  forget(tab) {
    this.#tabs.delete(tab);
  }

  /**
   * @param {number} tab
   * @param {number} now
   */
  #recent(tab, now) {
    const known = this.#tabs.get(tab) ?? { requests: [], refusals: [] };
    known.requests = known.requests.filter((time) => now - time < PERIOD);
    known.refusals = known.refusals.filter((time) => now - time < PERIOD);
    this.#tabs.set(tab, known);
    return known;
  }
}
