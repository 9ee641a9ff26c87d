/** The invitation that the page was opened with, where a new account needs one. */

const key = 'ward.invitation';

/** Also here, for browsers without storage. */
let invitation = stored();

/**
 * Takes an invitation out of the address; whether there was one.
 *
 * It stands behind the `#`, which browsers send to nobody. Out of the address, it stays in no history.
 */
export function takeInvitation() {
  const found = /^#invitation=([A-Za-z0-9_-]+)$/.exec(location.hash);
  if (!found) {
    return false;
  }
  [, invitation] = found;
  try {
    sessionStorage.setItem(key, invitation);
  } catch {
    // Without storage it lasts as long as this page.
  }
  history.replaceState(null, '', '#create');
  return true;
}

/** The invitation, or `null`. */
export function currentInvitation() {
  return invitation;
}

/** Forgets the invitation: it is used up. */
export function forgetInvitation() {
  invitation = null;
  try {
    sessionStorage.removeItem(key);
  } catch {
    // Then there was none.
  }
}

function stored() {
  try {
    return sessionStorage.getItem(key);
  } catch {
    return null;
  }
}
