/** Signing in at another provider: leaving for it, and coming back with its answer. */

import { call } from './api.js';

/** Where every provider sends people back. */
const callback = '/federated/callback';
const visitKey = 'ward.visit';
const failureKey = 'ward.visit-failure';

/** The members of an answer. */
const members = ['state', 'code', 'iss', 'error'];

/**
 * Leaves for a provider. It does not end: the browser loads the provider's page.
 *
 * @param path The call that begins: a sign-in, or the link to the account that is signed in.
 * @param place Where the person goes after the return.
 */
export async function leaveFor(provider, path, place) {
  const { location: address } = await call('POST', path, { provider });
  try {
    sessionStorage.setItem(visitKey, JSON.stringify({ place, provider, isLink: path.startsWith('/account/') }));
  } catch {
    // Without storage the person comes back to the account page.
  }
  location.assign(address);
  await new Promise(() => {});
}

/**
 * What the person brought back, once; `null` on other pages.
 *
 * The address then names the page that the person left, so that a code is in no address that is kept or sent on.
 */
export function takeReturn() {
  if (location.pathname !== callback) {
    return null;
  }
  const given = new URLSearchParams(location.search);
  const answer = Object.fromEntries(members.filter((name) => given.has(name)).map((name) => [name, given.get(name)]));
  const visit = takeVisit();
  history.replaceState(null, '', visit.place === '/account' ? '/' : visit.place);
  return answer.state ? { ...visit, answer } : null;
}

function takeVisit() {
  try {
    const { place, provider, isLink } = JSON.parse(sessionStorage.getItem(visitKey)) ?? {};
    sessionStorage.removeItem(visitKey);
    // A path of this service.
    if (/^\/(?![/\\])/.test(place ?? '')) {
      return { place, provider, isLink: isLink === true };
    }
  } catch {
    // As without a visit.
  }
  return { place: '/account', provider: null, isLink: false };
}

/** Takes the answer to the service: signed in, one more step, linked, or unknown here. */
export function answerProvider(answer) {
  return call('POST', '/sign-in/federated/answer', answer);
}

/** Makes an account whose first way in is the provider. */
export function createFederated(account) {
  return call('POST', '/sign-in/federated/account', account);
}

/** Leaves the failure of a link for the account page to explain. */
export function leaveFailure(code) {
  try {
    sessionStorage.setItem(failureKey, code);
  } catch {
    // Without storage the account page shows that nothing was linked.
  }
}

/** The code of the failure that the page before left, once. */
export function takeFailure() {
  try {
    const code = sessionStorage.getItem(failureKey);
    sessionStorage.removeItem(failureKey);
    return code;
  } catch {
    return null;
  }
}
