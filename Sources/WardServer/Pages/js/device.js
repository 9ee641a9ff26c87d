/** The page where a person types the code of a device, and answers it. */

import { call } from './api.js';
import { leaveNotice, notices } from './notices.js';

/** Absent until a code was typed that a device waits with. */
const answer = document.getElementById('answer');
const field = document.getElementById('user-code');

async function decide(isAllowed) {
  answer.setAttribute('aria-busy', 'true');
  setEnabled(false);
  notices.say('working');
  try {
    await call('POST', '/device', { userCode: answer.dataset.code, allow: isAllowed });
    for (const part of [document.getElementById('warning'), ...answer.querySelectorAll('.button')]) {
      part.hidden = true;
    }
    if (isAllowed) {
      notices.say('deviceAllowed');
    } else {
      notices.say('deviceRefused');
    }
  } catch (error) {
    if (error.code === 'not_signed_in') {
      leaveNotice('sessionEnded');
      location.reload();
      return;
    }
    notices.explain(error);
    setEnabled(true);
  } finally {
    answer.removeAttribute('aria-busy');
  }
}

function setEnabled(isEnabled) {
  for (const button of answer.querySelectorAll('.button')) {
    button.disabled = !isEnabled;
  }
}

if (answer) {
  answer.addEventListener('submit', (event) => {
    event.preventDefault();
    decide(event.submitter?.value === 'allow');
  });
  setEnabled(true);
} else {
  field.focus();
}
// A page that the browser kept in memory may have been answered already.
window.addEventListener('pageshow', (event) => event.persisted && location.reload());
document.documentElement.dataset.ready = '';
