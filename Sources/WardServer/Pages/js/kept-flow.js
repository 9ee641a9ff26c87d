/**
 * A sign-in that has begun and is not complete: it lasts in its tab when the page is loaded again.
 *
 * The token opens nothing by itself, and the service forgets it after ten minutes or five wrong codes.
 */

const key = 'ward.flow';

/** Where the sign-in began: a sign-in for one app does not go on for another. */
const place = location.pathname + location.search;

/** Keeps a sign-in with how far it is: `{ flow, expiresAt, next, method, isTried, sentBy }`. */
export function keepFlow(progress) {
  try {
    sessionStorage.setItem(key, JSON.stringify({ ...progress, place }));
  } catch {
    // Without storage it lasts as long as this page.
  }
}

/** The sign-in that was kept for this page, or `null`. One that is over is forgotten. */
export function keptFlow(now = Date.now()) {
  try {
    const kept = JSON.parse(sessionStorage.getItem(key));
    if (kept?.place === place && Date.parse(kept.expiresAt) > now && typeof kept.flow === 'string' && Array.isArray(kept.next)) {
      return kept;
    }
  } catch {
    // Then nothing was kept that this page can read.
  }
  forgetFlow();
  return null;
}

/** Forgets it: the sign-in is complete, was left, or is over. */
export function forgetFlow() {
  try {
    sessionStorage.removeItem(key);
  } catch {
    // Then nothing was kept.
  }
}
