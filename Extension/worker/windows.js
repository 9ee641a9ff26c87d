/**
 * The extension's own window, in which a person chooses a passkey or agrees to a new one.
 */

const WIDTH = 440;
const HEIGHT = 420;
const FOCUS_ATTEMPTS = 200;
const FOCUS_MILLISECONDS = 10;

/**
 * @typedef {{type: 'pick', id: string} | {type: 'agree'} | {type: 'other'} | {type: 'unlock'} | {type: 'close'}} Choice
 */

export class Windows {
  /** @type {Map<string, Window>} */
  #open = new Map();

  constructor() {
    chrome.windows.onRemoved.addListener((id) => {
      [...this.#open.values()].find((window) => window.id === id)?.choose({ type: 'close' });
    });
  }

  /**
   * Opens a window over the tab's.
   *
   * @param {number} tab
   * @param {(choice: Choice) => void} onChoice
   */
  open(tab, onChoice) {
    const window = new Window(onChoice, () => this.#open.delete(window.token));
    this.#open.set(window.token, window);
    window.show(tab);
    return window;
  }

  /**
   * Shows the tab again after windows and prompts: Chromium gives a passkey only to a page that has the focus.
   *
   * @param {number} tab
   */
  async bringToFront(tab) {
    try {
      const { active, windowId } = await chrome.tabs.get(tab);
      if (active && (await chrome.windows.get(windowId)).focused) {
        return;
      }
      await chrome.tabs.update(tab, { active: true });
      await chrome.windows.update(windowId, { focused: true });
      for (let attempt = 0; attempt < FOCUS_ATTEMPTS && !(await chrome.windows.get(windowId)).focused; attempt += 1) {
        await new Promise((resolve) => { setTimeout(resolve, FOCUS_MILLISECONDS); });
      }
    } catch {
      // No tab is known, or it was closed.
    }
  }

  /**
   * Accepts the connection of a window's page.
   *
   * @param {chrome.Port} port
   */
  connect(port) {
    const token = new URL(port.sender?.url ?? 'about:blank').hash.slice(1);
    const window = this.#open.get(token);
    if (window) {
      window.connect(port);
    } else {
      port.disconnect();
    }
  }
}

class Window {
  token = crypto.randomUUID();
  /** @type {number | undefined} */
  id;
  #onChoice;
  #onClose;
  /** @type {chrome.Port | null} */
  #port = null;
  /** @type {object | null} */
  #content = null;
  #isOpen = true;

  /**
   * @param {(choice: Choice) => void} onChoice
   * @param {() => void} onClose
   */
  constructor(onChoice, onClose) {
    this.#onChoice = onChoice;
    this.#onClose = onClose;
  }

  /** @param {number} tab */
  async show(tab) {
    try {
      const over = await place(tab);
      const url = `chooser/chooser.html#${this.token}`;
      const created = await chrome.windows.create({ url, type: 'popup', focused: true, width: WIDTH, height: HEIGHT, ...over });
      this.id = created?.id;
    } catch (error) {
      console.error('window', error);
      this.choose({ type: 'close' });
    }
    if (!this.#isOpen) {
      this.#remove();
    }
  }

  /**
   * What the window shows.
   *
   * @param {object} content
   */
  render(content) {
    this.#content = content;
    this.#port?.postMessage(content);
  }

  /** @param {chrome.Port} port */
  connect(port) {
    this.#port = port;
    port.onMessage.addListener((message) => message?.type !== 'ping' && this.choose(message));
    port.onDisconnect.addListener(() => this.choose({ type: 'close' }));
    if (this.#content) {
      port.postMessage(this.#content);
    }
  }

  /** @param {Choice} choice */
  choose(choice) {
    if (this.#isOpen) {
      this.#onChoice(choice);
    }
  }

  close() {
    if (this.#isOpen) {
      this.#isOpen = false;
      this.#onClose();
      this.#remove();
    }
  }

  #remove() {
    if (this.id !== undefined) {
      chrome.windows.remove(this.id).catch(() => {});
    }
  }
}

/**
 * The middle of the window that has the tab, or nothing if the browser does not tell.
 *
 * @param {number} tab
 */
async function place(tab) {
  try {
    const { windowId } = await chrome.tabs.get(tab);
    const { left = 0, top = 0, width = WIDTH } = await chrome.windows.get(windowId);
    return { left: Math.round(left + Math.max(0, (width - WIDTH) / 2)), top: top + 80 };
  } catch {
    return {};
  }
}
