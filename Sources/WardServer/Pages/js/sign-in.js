/** The page `/`: signing in and making an account, each with a passkey or a password, in four views of one form. */

import { Autofill } from './autofill.js';
import { answerSignIn, askForPasskey, beginSignIn, register, signIn } from './ceremonies.js';
import { LinkToken } from './link-token.js';
import { message } from './messages.js';
import { notices, takeNotice } from './notices.js';
import { obstacle } from './passkeys.js';
import { createWithPassword, leavePasswordNote, signInWithPassword } from './passwords.js';

const form = document.getElementById('form');
const username = document.getElementById('username');
const displayName = document.getElementById('display-name');

/** Absent where the service takes no passwords. */
const password = document.getElementById('password');
const showButton = document.querySelector('[data-testid="password-show"]');
const fields = [username, displayName, password].filter((field) => field !== null);

/** The invitation that the page was opened with, where a new account needs one. */
const invitation = new LinkToken('invitation');

/** Who may make an account: `open`, `invite` or `closed`. */
const { registration } = document.documentElement.dataset;

/** Why passkeys cannot work here, if so. */
const blocked = obstacle();

/** Failures that are about what was typed, by the field they belong to. */
const faultyField = {
  name_missing: username,
  username_taken: username,
  username_not_allowed: username,
  username_reserved: username,
  username_confusable: username,
  display_name_not_allowed: displayName,
  password_missing: password,
  password_breached: password,
  password_not_allowed: password,
  password_too_common: password,
  password_too_long: password,
  password_too_short: password,
  wrong_password: password,
};

/** The conversation that runs now, if any; another view ends it. */
let running = null;

/** Where to go after a sign-in: the account page, or the same address, which leads on to the app. */
const destination = location.pathname === '/continue' ? location.pathname + location.search : '/account';

/** Whether that page is on its way. */
let isEntering = false;

const autofill = new Autofill({
  begin: () => beginSignIn(),
  ask: (begun, signal) => askForPasskey(begun, signal, 'conditional'),
  answer: async (answer) => {
    notices.say('working');
    await answerSignIn(answer);
    enter();
  },
  failed: (error) => fail(error),
});

/** The view that the address names. */
function currentView() {
  const view = location.hash.slice(1);
  const creating = mayCreate() ? ['create', ...(password ? ['create-password'] : [])] : [];
  const known = [...(password ? ['password'] : []), ...creating];
  return known.includes(view) ? view : 'sign-in';
}

function mayCreate() {
  return registration === 'open' || (registration === 'invite' && invitation.value !== null);
}

function isCreating() {
  return currentView().startsWith('create');
}

function isWithPassword() {
  return currentView().endsWith('password');
}

function submit() {
  const name = username.value.trim();
  const shown = displayName.value.trim();
  const invited = invitation.value && { invitation: invitation.value };
  const account = { username: name, ...(shown && { displayName: shown }), ...invited };
  if (currentView() === 'sign-in') {
    converse((signal) => signIn({ username: name, signal }), 'cancelledSignIn');
  } else if (name === '') {
    clearFaults();
    fail({ code: 'name_missing' });
  } else if (!isWithPassword()) {
    converse(async (signal) => {
      await register(account, signal);
      invitation.forget();
    }, 'cancelled');
  } else if (password.value === '') {
    clearFaults();
    fail({ code: 'password_missing' });
  } else if (isCreating()) {
    converse(async () => {
      await createWithPassword({ ...account, password: password.value });
      invitation.forget();
      leavePasswordNote('created');
    });
  } else {
    converse(async () => {
      await signInWithPassword(name, password.value);
      leavePasswordNote('signedIn');
    });
  }
}

/** Runs one conversation with service and browser; autofill rests meanwhile, and comes back if it fails. */
async function converse(work, cancelled) {
  if (running) {
    return;
  }
  const conversation = new AbortController();
  running = conversation;
  form.setAttribute('aria-busy', 'true');
  clearFaults();
  notices.say(isWithPassword() ? 'working' : 'waiting');
  try {
    await autofill.stop();
    if (!isEntering) {
      await work(conversation.signal);
      enter();
    }
  } catch (error) {
    if (!conversation.signal.aborted) {
      rest();
      fail(error, cancelled);
      startAutofill();
    }
  }
}

function rest() {
  running = null;
  form.removeAttribute('aria-busy');
}

function enter() {
  isEntering = true;
  location.assign(destination);
}

function fail(error, cancelled) {
  notices.explain(error, cancelled);
  const field = faultyField[error.code];
  if (field) {
    field.setAttribute('aria-invalid', 'true');
    field.setAttribute('aria-describedby', `error ${field.id}-hint`);
    field.focus();
  }
}

function clearFaults() {
  for (const field of fields) {
    field.removeAttribute('aria-invalid');
    field.setAttribute('aria-describedby', `${field.id}-hint`);
  }
  notices.clear();
}

/** Passkeys that exist already are no use to those who make an account. */
async function startAutofill() {
  if (!blocked && !isCreating()) {
    await autofill.start();
  }
}

/** Shows the view that the address names. */
function showView() {
  const view = currentView();
  const isInvited = String(invitation.value !== null);
  for (const part of document.querySelectorAll('[data-view]')) {
    const { invited = isInvited } = part.dataset;
    part.hidden = !part.dataset.view.split(' ').includes(view) || invited !== isInvited;
  }
  document.title = message(isCreating() ? 'title.create' : 'title.signIn');
  username.autocomplete = isCreating() ? 'username' : 'username webauthn';
  username.required = view !== 'sign-in';
  if (password) {
    password.autocomplete = isCreating() ? 'new-password' : 'current-password';
    password.required = isWithPassword();
    showPassword(false);
  }
}

function showPassword(isShown) {
  password.type = isShown ? 'text' : 'password';
  showButton.setAttribute('aria-pressed', String(isShown));
}

/** Changes to the other view: what was going on in this one ends. */
function changeView() {
  invitation.take('#create');
  running?.abort();
  rest();
  clearFaults();
  showView();
  document.querySelector('[data-view]:not([hidden]) h1').focus();
  explainObstacle();
  autofill.stop();
  startAutofill();
}

/** A browser without passkeys can do without them where there is a password. */
function explainObstacle() {
  if (blocked && !(isWithPassword() && blocked.code === 'not_supported')) {
    notices.explain(blocked);
  }
}

/** Buttons work where what they ask for does. */
function enableButtons() {
  for (const button of form.querySelectorAll('button')) {
    const needsPasskey = button.matches('[data-testid="sign-in"], [data-testid="create-submit"]');
    button.disabled = blocked !== null && (needsPasskey || blocked.code !== 'not_supported');
  }
}

async function begin() {
  invitation.take('#create');
  showView();
  showButton?.addEventListener('click', () => showPassword(password.type === 'password'));
  window.addEventListener('hashchange', changeView);
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    submit();
  });
  // A page that the browser kept in memory may be from before or after a sign-in.
  window.addEventListener('pageshow', (event) => event.persisted && location.reload());
  enableButtons();
  explainObstacle();
  if (!blocked) {
    const left = takeNotice();
    if (left) {
      notices.say(left);
    }
    await startAutofill();
  }
  document.documentElement.dataset.ready = '';
}

begin();
