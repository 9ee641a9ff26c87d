/** What the person decides for the page's site, and for all sites. The agent keeps it. */

import { at, text } from '../text.js';

/**
 * @param {import('./news.js').Tools} tools
 * @param {boolean} isReady
 */
export async function showSettings({ ask }, isReady) {
  const settings = isReady ? await chrome.runtime.sendMessage({ type: 'settings', ...place() }) : null;
  at('settings').hidden = !settings || Boolean(settings.error);
  if (at('settings').hidden) {
    return;
  }
  at('settings-title').textContent = text('settingsTitle');
  const { site, upgrades } = settings;
  const rows = [
    ['saves', 'settingSaves', site?.saves, { saves: true }],
    ['menu', 'settingMenu', site?.menu, { menu: true }],
    ['upgrade', 'settingUpgrades', site?.upgrades, { upgrades: true }],
    ['all', 'settingAllUpgrades', upgrades, { upgrades: true }],
  ];
  for (const [id, name, value, change] of rows) {
    const isOfSite = id !== 'all';
    at(id).closest('label').hidden = isOfSite && !site;
    at(`${id}-text`).textContent = text(String(name), site?.site ?? '');
    at(id).checked = value;
    at(id).onchange = async () => {
      const [key] = Object.keys(/** @type {object} */ (change));
      const wanted = { [key]: at(id).checked, ...(isOfSite ? { site: site.site } : {}) };
      if (!await ask({ type: 'change', settings: wanted })) {
        at(id).checked = !at(id).checked;
      }
    };
  }
}

/** The tab that the address of the popup names. */
function place() {
  const number = new URLSearchParams(location.search).get('tab');
  return number ? { tab: Number(number) } : {};
}
