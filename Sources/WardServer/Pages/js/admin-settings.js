/** The settings in force, on the admin page. */

import { plain, switchText, tableRow } from './admin-rows.js';
import { message } from './messages.js';

export class SettingsSection {
  #desk;

  constructor(desk) {
    this.#desk = desk;
  }

  async load() {
    const { settings } = await this.#desk.read('settings');
    const rows = settings.map(({ name, value }) => tableRow(plain(name), [valueText(value)]));
    document.getElementById('settings-rows').replaceChildren(...rows);
  }
}

function valueText(value) {
  if (value === null) {
    return message('admin.notSet');
  }
  return typeof value === 'boolean' ? switchText(value) : plain(String(value));
}
