/**
 * The sentences of the page's language, and times and dates written in it.
 *
 * The same file that the server renders from is loaded here, so a sentence exists once.
 */

const root = document.documentElement;

/** The page's language, a BCP 47 tag. */
export const language = root.lang;

const response = await fetch(new URL(`../locales/${language}.json`, import.meta.url));
const sentences = await response.json();

/** Values every sentence may name: the service, the address its passkeys belong to, and the length of its passwords. */
const { service, address, passwordLength } = root.dataset;
const always = { service, address, passwordLength };

/** Whether there is a sentence by this name, such as `error.network`. */
export function hasMessage(name) {
  const [section, key] = name.split('.');
  return sentences[section]?.[key] !== undefined;
}

/** The sentence by this name, its `{…}` filled in; the name itself if there is none. */
export function message(name, values = {}) {
  const [section, key] = name.split('.');
  const sentence = sentences[section]?.[key];
  if (sentence === undefined) {
    return name;
  }
  const all = { ...always, ...values };
  return sentence.replace(/\{(\w+)\}/g, (placeholder, value) => isolated(all[value]) ?? placeholder);
}

const rightToLeft = /[\p{Script=Adlam}\p{Script=Arabic}\p{Script=Hebrew}\p{Script=Nko}\p{Script=Syriac}\p{Script=Thaana}]/u;

/** A name from right to left changes the order of what stands beside it, unless it is isolated. */
function isolated(value) {
  return rightToLeft.test(value ?? '') ? `\u2068${value}\u2069` : value;
}

/** The page's language as it is written where the person lives: London has the day before the month, and New York after it. */
function regional() {
  try {
    const [locale] = Intl.DateTimeFormat.supportedLocalesOf(navigator.languages.filter((tag) => tag.split('-')[0] === language));
    return locale ?? language;
  } catch {
    return language;
  }
}

const dates = new Intl.DateTimeFormat(regional(), { dateStyle: 'long' });
const days = new Intl.DateTimeFormat(regional(), { dateStyle: 'short' });
const moments = new Intl.DateTimeFormat(regional(), { dateStyle: 'full', timeStyle: 'short' });
const distances = new Intl.RelativeTimeFormat(language, { numeric: 'auto' });
const units = [['minute', 60], ['hour', 60 * 60], ['day', 24 * 60 * 60]];

/** A day, such as "August 3, 2026". */
export function dateText(time) {
  return dates.format(new Date(time));
}

/** A day where there is little room, such as "8/3/26". */
export function shortDateText(time) {
  return days.format(new Date(time));
}

/** A day and an hour, for those who want to know exactly. */
export function momentText(time) {
  return moments.format(new Date(time));
}

const sizes = ['kilobyte', 'megabyte', 'gigabyte', 'terabyte'];

/** A length in bytes, such as "3.2 MB"; a kilobyte has 1,024. */
export function sizeText(bytes) {
  const power = Math.min(Math.max(Math.floor(Math.log2(bytes) / 10), 1), sizes.length);
  const format = new Intl.NumberFormat(language, { style: 'unit', unit: sizes[power - 1], maximumFractionDigits: 1 });
  return format.format(bytes / 1024 ** power);
}

/** How long ago, such as "2 hours ago"; the day itself after four weeks. */
export function sinceText(time, now = Date.now()) {
  const seconds = Math.max(0, (now - new Date(time).getTime()) / 1000);
  if (seconds > 28 * 24 * 60 * 60) {
    return dateText(time);
  }
  const [unit, length] = units.findLast(([, size]) => seconds >= size) ?? [];
  return unit ? distances.format(-Math.floor(seconds / length), unit) : message('common.justNow');
}
