/** A User-Agent header in plain words; good enough to recognise one's own browsers, and for nothing else. */

import { message } from './messages.js';

/** The first that matches wins: most browsers also claim to be the ones below them. */
const browsers = [
  [/\bEdgA?(iOS)?\//, 'Edge'],
  [/\bOPR\/|\bOpera\b/, 'Opera'],
  [/\bSamsungBrowser\//, 'Samsung Internet'],
  [/\bVivaldi\//, 'Vivaldi'],
  [/\bFirefox\/|\bFxiOS\//, 'Firefox'],
  [/\bHeadlessChrome\/|\bChromium\//, 'Chromium'],
  [/\bChrome\/|\bCriOS\//, 'Chrome'],
  [/\bEpiphany\//, 'GNOME Web'],
  [/\bVersion\/.*\bSafari\//, 'Safari'],
  [/^curl\//, 'curl'],
];

const systems = [
  [/\biPhone\b/, 'iPhone'],
  [/\biPad\b/, 'iPad'],
  [/\bAndroid\b/, 'Android'],
  [/\bCrOS\b/, 'ChromeOS'],
  [/\bWindows\b/, 'Windows'],
  [/\bMacintosh\b/, 'macOS'],
  [/\bLinux\b|\bX11\b/, 'Linux'],
];

/** Such as "Chromium on Linux". */
export function userAgentText(userAgent) {
  const browser = firstMatch(browsers, userAgent) ?? message('sessions.unknownBrowser');
  const system = firstMatch(systems, userAgent);
  return system ? message('sessions.browserOnSystem', { browser, system }) : browser;
}

function firstMatch(list, userAgent) {
  return list.find(([pattern]) => pattern.test(userAgent))?.[1];
}
