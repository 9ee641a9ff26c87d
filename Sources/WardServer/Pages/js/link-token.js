/** The token of a link that the page was opened with: an invitation, or a recovery link. */
export class LinkToken {
  #pattern;
  #key;
  /** Also here, for browsers without storage. */
  #value;

  /** @param name Stands before the token in the address, as in `#invitation=…`. */
  constructor(name) {
    this.#pattern = new RegExp(`^#${name}=([A-Za-z0-9_-]+)$`);
    this.#key = `ward.${name}`;
    this.#value = stored(this.#key);
  }

  /** The token, or `null`. */
  get value() {
    return this.#value;
  }

  /**
   * Takes a token out of the address; whether there was one.
   *
   * It stands behind the `#`, which browsers send to nobody. Out of the address, it stays in no history.
   */
  take(hashAfterwards) {
    const found = this.#pattern.exec(location.hash);
    if (!found) {
      return false;
    }
    this.keep(found[1]);
    history.replaceState(null, '', hashAfterwards || location.pathname);
    return true;
  }

  /** Keeps a token for this tab. */
  keep(token) {
    this.#value = token;
    try {
      sessionStorage.setItem(this.#key, token);
    } catch {
      // Without storage it lasts as long as this page.
    }
  }

  /** Forgets the token: it is used up. */
  forget() {
    this.#value = null;
    try {
      sessionStorage.removeItem(this.#key);
    } catch {
      // Then there was none.
    }
  }
}

function stored(key) {
  try {
    return sessionStorage.getItem(key);
  } catch {
    return null;
  }
}
