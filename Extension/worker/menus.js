/** The entries of the browser's own menu at fields. No page can see or click them. */

const ENTRIES = { user: 'menuUser', password: 'menuPassword', code: 'menuCode', suggest: 'menuSuggest' };
const MATCHES = ['https://*/*', 'http://localhost/*', 'http://*.localhost/*'];

export class Menus {
  /** @type {boolean | null} */
  #isOn = null;

  constructor() {
    chrome.contextMenus?.onClicked.addListener(({ menuItemId, frameId = 0 }, tab) => {
      if (tab && String(menuItemId) in ENTRIES) {
        chrome.tabs.sendMessage(tab.id, { type: 'context', kind: String(menuItemId) }, { frameId }).catch(() => {});
      }
    });
  }

  /**
   * Adds the entries, or takes them out.
   *
   * @param {boolean} isOn
   */
  async set(isOn) {
    if (this.#isOn === isOn || !chrome.contextMenus) {
      return;
    }
    this.#isOn = isOn;
    await chrome.contextMenus.removeAll();
    for (const [id, name] of Object.entries(isOn ? ENTRIES : {})) {
      chrome.contextMenus.create({ id, title: chrome.i18n.getMessage(name), contexts: ['editable'], documentUrlPatterns: MATCHES });
    }
  }
}
