/** The page `/`: signing in, and making an account in a second view of the same form. */

import { Autofill } from './autofill.js';
import { answerSignIn, askForPasskey, beginSignIn, register, signIn } from './ceremonies.js';
import { message } from './messages.js';
import { notices, takeNotice } from './notices.js';
import { obstacle } from './passkeys.js';

const form = document.getElementById('form');
const username = document.getElementById('username');
const displayName = document.getElementById('display-name');

/** Why passkeys cannot work here, if so. */
const blocked = obstacle();

/** Failures that are about what was typed, by the field they belong to. */
const faultyField = {
  name_missing: username,
  username_taken: username,
  username_not_allowed: username,
  display_name_not_allowed: displayName,
};

/** The conversation that runs now, if any; another view ends it. */
let running = null;

/** Whether the account page is on its way. */
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

function isCreating() {
  return location.hash === '#create';
}

function submit() {
  const name = username.value.trim();
  const shown = displayName.value.trim();
  if (!isCreating()) {
    converse((signal) => signIn({ username: name, signal }), 'cancelledSignIn');
  } else if (name === '') {
    clearFaults();
    fail({ code: 'name_missing' });
  } else {
    converse((signal) => register({ username: name, ...(shown && { displayName: shown }) }, signal), 'cancelled');
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
  notices.say('waiting');
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
  location.assign('/account');
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
  for (const field of [username, displayName]) {
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
  const view = isCreating() ? 'create' : 'sign-in';
  for (const part of document.querySelectorAll('[data-view]')) {
    part.hidden = part.dataset.view !== view;
  }
  document.title = message(isCreating() ? 'title.create' : 'title.signIn');
  username.autocomplete = isCreating() ? 'username' : 'username webauthn';
  username.required = isCreating();
}

/** Changes to the other view: what was going on in this one ends. */
function changeView() {
  running?.abort();
  rest();
  clearFaults();
  showView();
  document.querySelector('[data-view]:not([hidden]) h1').focus();
  if (blocked) {
    notices.explain(blocked);
  }
  autofill.stop();
  startAutofill();
}

async function begin() {
  showView();
  window.addEventListener('hashchange', changeView);
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    submit();
  });
  // A page that the browser kept in memory may be from before or after a sign-in.
  window.addEventListener('pageshow', (event) => event.persisted && location.reload());
  if (blocked) {
    notices.explain(blocked);
  } else {
    for (const button of form.querySelectorAll('button')) {
      button.disabled = false;
    }
    const left = takeNotice();
    if (left) {
      notices.say(left);
    }
    await startAutofill();
  }
  document.documentElement.dataset.ready = '';
}

begin();
