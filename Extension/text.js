/** Texts in the browser's language. */

/**
 * @param {string} name
 * @param {string[]} values
 */
export const text = (name, ...values) => chrome.i18n.getMessage(name, values);

document.documentElement.lang = chrome.i18n.getUILanguage();
document.documentElement.dir = chrome.i18n.getMessage('@@bidi_dir') || 'ltr';

/**
 * An element of the page.
 *
 * @param {string} id
 * @returns {any}
 */
export const at = (id) => document.getElementById(id);

/**
 * A row with a title and something smaller under it.
 *
 * @param {string} tag
 * @param {string} title
 * @param {string} detail
 */
export function row(tag, title, detail) {
  const element = document.createElement(tag);
  element.className = 'row';
  for (const [name, value] of [['title', title], ['detail', detail]]) {
    if (value) {
      const line = document.createElement('bdi');
      line.className = name;
      line.textContent = value;
      element.append(line);
    }
  }
  return element;
}
