/**
 * From a passkey to one with a better algorithm.
 *
 * After a sign-in with a passkey for which the service has a better algorithm, the account page asks the browser for another one
 * without a prompt: see `upgrade.js`. The service deletes the old passkey after the new one has signed in.
 */

const noteKey = 'ward.succession';

/** Tells the account page that such a passkey just signed in. */
export function leaveSuccessionNote() {
  try {
    sessionStorage.setItem(noteKey, 'better');
  } catch {
    // Without storage the old passkey stays.
  }
}

/** Whether the page before left the note; it is taken once. */
export function takeSuccessionNote() {
  try {
    const note = sessionStorage.getItem(noteKey);
    sessionStorage.removeItem(noteKey);
    return note !== null;
  } catch {
    return false;
  }
}
