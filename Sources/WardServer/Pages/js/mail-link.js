/** The pages that links in messages open: one confirms an address, the other ends all sessions. Only the button acts. */

import { call } from './api.js';
import { LinkToken } from './link-token.js';
import { notices } from './notices.js';
import { PasskeyError } from './passkeys.js';

const form = document.getElementById('form');
const button = document.getElementById('follow');
const name = document.body.dataset.link;
const link = new LinkToken(name);

async function follow() {
  form.setAttribute('aria-busy', 'true');
  button.disabled = true;
  notices.say('working');
  try {
    await call('POST', `/email/${name}`, { token: link.value });
    link.forget();
    button.hidden = true;
    if (name === 'alarm') {
      notices.say('sessionsEndedByMail');
    } else {
      notices.say('emailConfirmed');
    }
  } catch (error) {
    button.disabled = error.code === 'mail_link_not_valid';
    if (button.disabled) {
      link.forget();
    }
    notices.explain(error);
  } finally {
    form.removeAttribute('aria-busy');
  }
}

function begin() {
  link.take();
  button.hidden = false;
  button.disabled = link.value === null;
  notices.clear();
  if (button.disabled) {
    notices.explain(new PasskeyError('mail_link_incomplete'));
  }
}

form.addEventListener('submit', (event) => {
  event.preventDefault();
  follow();
});
// Another link opened in the same tab.
window.addEventListener('hashchange', begin);
begin();
document.documentElement.dataset.ready = '';
