/** The page where a person agrees that an app signs them in, or not. */

import { call, isSignedOut } from './api.js';
import { leaveNotice, notices } from './notices.js';

const form = document.getElementById('form');

async function decide(isAllowed) {
  form.setAttribute('aria-busy', 'true');
  setEnabled(false);
  notices.say('working');
  try {
    const { location: next } = await call('POST', '/authorization', {
      request: location.search.slice(1),
      allow: isAllowed,
    });
    location.replace(next);
  } catch (error) {
    if (isSignedOut(error)) {
      leaveNotice('sessionEnded');
      location.reload();
      return;
    }
    notices.explain(error);
    form.removeAttribute('aria-busy');
    setEnabled(true);
  }
}

function setEnabled(isEnabled) {
  for (const button of form.querySelectorAll('button')) {
    button.disabled = !isEnabled;
  }
}

form.addEventListener('submit', (event) => {
  event.preventDefault();
  decide(event.submitter?.value === 'allow');
});
// A page that the browser kept in memory may have been answered already.
window.addEventListener('pageshow', (event) => event.persisted && location.reload());
setEnabled(true);
document.documentElement.dataset.ready = '';
