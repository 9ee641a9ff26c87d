/** The page `/admin`: people, invitations, the audit log, numbers and settings, for administrators. */

import { AuditSection } from './admin-audit.js';
import { InvitationSection } from './admin-invitations.js';
import { PeopleSection } from './admin-people.js';
import { SettingsSection } from './admin-settings.js';
import { UpgradesSection } from './admin-upgrades.js';
import { call } from './api.js';
import { signIn } from './ceremonies.js';
import { ask } from './dialog.js';
import { message } from './messages.js';
import { notices } from './notices.js';
import { obstacle, PasskeyError } from './passkeys.js';

const root = document.documentElement;
const nav = document.getElementById('admin-nav');
const username = document.querySelector('[data-testid="admin-username"]').textContent;

let isBusy = false;
let running = Promise.resolve();

/** What each section needs: calls that ask for the passkey where the proof is too old, and one action at a time. */
const desk = { perform, read: (path) => proven('admin.proofText', 'GET', path), change };

const sections = {
  people: new PeopleSection(desk),
  invitations: new InvitationSection(desk),
  audit: new AuditSection(desk),
  upgrades: new UpgradesSection(desk),
  settings: new SettingsSection(desk),
};

/** Runs one action at a time and explains its failure. */
function perform(action) {
  if (!isBusy) {
    isBusy = true;
    running = explained(action);
  }
  return running;
}

async function explained(action) {
  notices.clear();
  try {
    await action();
  } catch (error) {
    notices.explain(error);
  } finally {
    isBusy = false;
  }
}

function change(method, path, body) {
  return proven('confirm.textPasskey', method, path, body);
}

/** Calls the service; where it wants a newer proof, the person signs in again with the passkey, and the call is repeated. */
async function proven(reason, method, path, body) {
  try {
    return await call(method, `/admin/${path}`, body);
  } catch (error) {
    if (error.code !== 'passkey_sign_in_required') {
      throw error;
    }
  }
  const isConfirmed = await ask({
    kind: 'admin-proof',
    title: message('confirm.titlePasskey'),
    text: message(reason),
    action: message('confirm.action'),
    work: async (signal) => {
      const answer = await signIn({ username, userVerification: 'required', signal });
      if (answer.account?.username !== username) {
        // Somebody signed in to another account.
        location.reload();
      }
    },
  });
  if (!isConfirmed) {
    throw new PasskeyError('cancelled');
  }
  return call(method, `/admin/${path}`, body);
}

/** The section of the address; the account's ID follows the name of the section of one person. */
function place() {
  const [name, id] = location.hash.slice(1).split('/');
  return name === 'person' && id ? { name: 'people', id } : { name: name in sections ? name : 'people' };
}

/** Shows the section of the address, with what is in it now. */
async function show(isFirst = false) {
  const { name, id } = place();
  for (const panel of document.querySelectorAll('main > section')) {
    panel.hidden = panel.id !== (id ? 'person' : name);
  }
  for (const link of nav.querySelectorAll('a')) {
    link.toggleAttribute('aria-current', false);
    if (link.hash === `#${name}`) {
      link.setAttribute('aria-current', 'page');
    }
  }
  if (!isFirst) {
    document.querySelector('main > section:not([hidden]) h2').focus();
  }
  delete root.dataset.shown;
  const here = location.hash;
  // What another section began is over before this one begins.
  await running;
  if (here === location.hash) {
    await perform(() => sections[name].load(id));
    root.dataset.shown = here;
  }
}

async function begin() {
  window.addEventListener('hashchange', () => show());
  // A page that the browser kept in memory may be from before a sign-out.
  window.addEventListener('pageshow', (event) => event.persisted && location.reload());
  const blocked = obstacle();
  if (blocked) {
    notices.explain(blocked);
  }
  root.dataset.ready = '';
  await show(true);
}

begin();
