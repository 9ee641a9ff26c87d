/** The way from passwords to passkeys in numbers, on the admin page: a plot, and a table with the same numbers. */

import { tableRow } from './admin-rows.js';
import { message, shortDateText } from './messages.js';

const element = (id) => document.getElementById(id);
const kinds = ['asked', 'upgraded', 'upsold', 'dismissed'];

/** Where the plot is in its drawing. */
const area = { left: 40, right: 632, top: 16, bottom: 212 };

export class UpgradesSection {
  #desk;

  constructor(desk) {
    this.#desk = desk;
    element('upgrades-form').addEventListener('submit', (event) => {
      event.preventDefault();
      desk.perform(() => this.load());
    });
  }

  async load() {
    const length = element('upgrades-days').value;
    const { days, total, unusedPasswords, unusedDays } = await this.#desk.read(`upgrades?days=${length}`);
    draw(days);
    element('plot-caption').textContent = message('admin.plot', { days: days.length });
    element('upgrades-unused').textContent = message('admin.unused', { days: unusedDays, count: unusedPasswords });
    const rows = days.toReversed().map((day) => tableRow(dayText(day.day), kinds.map((kind) => String(day[kind]))));
    element('upgrades-rows').replaceChildren(...rows);
    element('upgrades-total').replaceChildren(tableRow(message('admin.total'), kinds.map((kind) => String(total[kind]))));
  }
}

/** The days are those of UTC. At noon they have the same date almost everywhere. */
function dayText(day) {
  return shortDateText(`${day}T12:00:00Z`);
}

/** A line for each kind; the largest count is at the top. */
function draw(days) {
  const most = Math.max(1, ...days.flatMap((day) => kinds.map((kind) => day[kind])));
  const top = roundUp(most);
  const step = (area.right - area.left) / Math.max(1, days.length - 1);
  const height = area.bottom - area.top;
  for (const kind of kinds) {
    const points = days.map((day, index) => {
      const [x, y] = [area.left + index * step, area.bottom - day[kind] / top * height];
      return `${x.toFixed(1)} ${y.toFixed(1)}`;
    });
    // One day alone is a short line.
    const end = points.length === 1 ? 'h8' : '';
    document.querySelector(`#plot [data-series="${kind}"]`).setAttribute('d', `M${points.join('L')}${end}`);
  }
  element('plot-top').textContent = String(top);
  element('plot-first').textContent = dayText(days[0].day);
  element('plot-last').textContent = dayText(days.at(-1).day);
}

/** The next number with one digit that counts: 3, 40, 700. */
function roundUp(count) {
  const size = 10 ** Math.floor(Math.log10(count));
  return Math.ceil(count / size) * size;
}
