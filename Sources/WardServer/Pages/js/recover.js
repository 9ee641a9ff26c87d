/** The page `/recover`: a recovery link adds a passkey to the account of a person who lost every other way in. */

import { register } from './ceremonies.js';
import { hindrance } from './hindrance.js';
import { LinkToken } from './link-token.js';
import { leaveNotice, notices } from './notices.js';
import { PasskeyError } from './passkeys.js';

const form = document.getElementById('form');
const button = document.getElementById('recover');
const link = new LinkToken('recovery');

let isBusy = false;

async function recover() {
  if (isBusy) {
    return;
  }
  isBusy = true;
  form.setAttribute('aria-busy', 'true');
  notices.say('waiting');
  try {
    await register({ recovery: link.value });
    link.forget();
    leaveNotice('recovered');
    location.assign('/account');
  } catch (error) {
    if (error.code === 'recovery_link_not_valid') {
      link.forget();
      button.disabled = true;
    }
    notices.explain(error);
    isBusy = false;
    form.removeAttribute('aria-busy');
  }
}

function begin() {
  link.take();
  const hindered = hindrance() ?? (link.value === null ? new PasskeyError('recovery_link_incomplete') : null);
  button.disabled = hindered !== null;
  notices.clear();
  if (hindered) {
    notices.explain(hindered);
  }
}

form.addEventListener('submit', (event) => {
  event.preventDefault();
  recover();
});
// Another link opened in the same tab.
window.addEventListener('hashchange', begin);
begin();
document.documentElement.dataset.ready = '';
