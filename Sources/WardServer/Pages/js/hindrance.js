/** What keeps a person from signing in on this page, before anything is made. */

import { obstacle, PasskeyError } from './passkeys.js';

/** Why the page cannot help, or `null`: a session needs cookies, and a passkey needs a browser that knows passkeys. */
export function hindrance() {
  return keepsCookies() ? obstacle() : new PasskeyError('cookies_blocked');
}

/** Tried out: Chromium says `navigator.cookieEnabled` also where its settings block all cookies. */
function keepsCookies() {
  const probe = 'ward-probe=1';
  document.cookie = `${probe}; SameSite=Strict`;
  const isKept = document.cookie.split('; ').includes(probe);
  document.cookie = `${probe}; SameSite=Strict; Max-Age=0`;
  return isKept;
}
