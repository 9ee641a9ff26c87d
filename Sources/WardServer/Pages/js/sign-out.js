/** The page where an app asks a person to sign out. */

import { call, isSignedOut } from './api.js';
import { notices } from './notices.js';

const form = document.getElementById('form');
const button = form.querySelector('button');

async function signOut() {
  form.setAttribute('aria-busy', 'true');
  button.disabled = true;
  notices.say('working');
  try {
    await endSession();
    location.replace(document.body.dataset.place);
  } catch (error) {
    notices.explain(error);
    form.removeAttribute('aria-busy');
    button.disabled = false;
  }
}

/** Signs out; a session that has ended already is as good. */
async function endSession() {
  try {
    await call('POST', '/sign-out', {});
  } catch (error) {
    if (!isSignedOut(error)) {
      throw error;
    }
  }
}

form.addEventListener('submit', (event) => {
  event.preventDefault();
  signOut();
});
button.disabled = false;
document.documentElement.dataset.ready = '';
