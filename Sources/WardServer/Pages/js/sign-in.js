/** The page `/`: signing in and making an account, each with a passkey or a password, in four views of one form. */

import { Autofill } from './autofill.js';
import { answerSignIn, askForPasskey, beginSignIn, register, signIn } from './ceremonies.js';
import { answerProvider, createFederated, leaveFailure, leaveFor, takeReturn } from './federated.js';
import { hindrance } from './hindrance.js';
import { keepAcrossLanguages } from './languages.js';
import { LinkToken } from './link-token.js';
import { message } from './messages.js';
import { leaveNotice, notices, takeNotice } from './notices.js';
import { canAskImmediately } from './passkeys.js';
import { createWithPassword, leavePasswordNote, signInWithPassword } from './passwords.js';
import { Steps } from './steps.js';
import { leaveSuccessionNote } from './succession.js';

const form = document.getElementById('form');
const username = document.getElementById('username');
const displayName = document.getElementById('display-name');

/** Absent where the service takes no passwords. */
const password = document.getElementById('password');
const showButton = document.querySelector('[data-testid="password-show"]');
const passkeyButton = document.getElementById('passkey');

/** The invitation that the page was opened with, where a new account needs one. */
const invitation = new LinkToken('invitation');

/** Who may make an account: `open`, `invite` or `closed`. */
const { registration } = document.documentElement.dataset;

/** Why nobody can sign in here with a passkey, or at all, if so. */
const blocked = hindrance();

/** Whether the device has a keyboard. Without one, a focus would open a keyboard over the page. */
const hasKeyboard = matchMedia('(pointer: fine)').matches;

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

/** What the person brought back from another provider. It is taken before anything reads the page's address. */
const returned = takeReturn();

/** The account at another provider that no account here is linked to, while its person chooses a user name. */
let identity = null;

/** The conversation that runs now, if any; another view ends it. */
let running = null;

/** Whether the next request for a passkey may be for this device only. Once it brought none, all devices are asked for. */
let mayAskImmediately = true;

/** Where to go after a sign-in: the account page, or the same address, which leads on to the app. */
const destination = ['/continue', '/oidc/authorize', '/device'].includes(location.pathname)
  ? location.pathname + location.search
  : '/account';

/** Whether that page is on its way. */
let isEntering = false;

const autofill = new Autofill({
  begin: () => beginSignIn(),
  ask: (begun, signal) => askForPasskey(begun, { signal, mediation: 'conditional' }),
  answer: async (answer) => {
    notices.say('working');
    goOn(await answerSignIn(answer));
  },
  failed: (error) => fail(error),
});

/** What follows the first proof, where it is not enough. */
const steps = new Steps({
  done: (isByPasskey) => {
    if (!isByPasskey) {
      leavePasswordNote('signedIn');
    }
    enter();
  },
  over: beginAgain,
});

/** Leaves the step for the view that the address names; a link to that address would change nothing. */
function beginAgain() {
  changeView();
}

/** Enters, or asks for the next step. */
function goOn(answer) {
  if (answer?.unknown) {
    rest();
    offerAccount(answer.unknown);
    return;
  }
  if (!answer?.flow) {
    if (answer?.canUpgrade) {
      leaveSuccessionNote();
    }
    enter();
    return;
  }
  rest();
  notices.clear();
  steps.begin(answer);
  showView();
  steps.focus();
  steps.sendOnlyCode();
}

/** Nobody here is linked to the account at the provider: its person may make an account with it. */
function offerAccount(unknown) {
  if (!mayCreate()) {
    fail({ code: 'identity_unknown' });
    startAutofill();
    return;
  }
  notices.clear();
  identity = unknown;
  document.getElementById('federated-lead').textContent = message('federated.createLead', {
    name: document.querySelector(`[data-provider="${CSS.escape(unknown.provider)}"]`)?.dataset.name ?? unknown.provider,
  });
  showView();
  username.focus();
}

/** Takes the answer of a provider to the service. */
function comeBack({ answer, isLink }) {
  return converse(async () => {
    try {
      const result = await answerProvider(answer);
      if (isLink) {
        leaveNotice('identityLinked');
      } else if (!result.flow && !result.unknown) {
        leavePasswordNote('signedIn');
      }
      return result;
    } catch (error) {
      if (isLink) {
        // The person is signed in, so this page has nothing to say.
        leaveFailure(error.code ?? 'unexpected');
        return null;
      }
      throw error;
    }
  }, { waits: false });
}

/** The view that the address names. */
function currentView() {
  if (steps.isOpen) {
    return 'step';
  }
  if (identity) {
    return 'create-federated';
  }
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
  if (name === '') {
    fail({ code: 'name_missing' });
  } else if (currentView() === 'sign-in') {
    usePasskey();
  } else if (identity) {
    converse(async () => {
      const answer = await createFederated(account);
      invitation.forget();
      if (!answer.flow) {
        leavePasswordNote('created');
      }
      return answer;
    }, { waits: false });
  } else if (!isWithPassword()) {
    converse(async (signal) => {
      await register(account, signal);
      invitation.forget();
    });
  } else if (password.value === '') {
    fail({ code: 'password_missing' });
  } else if (isCreating()) {
    converse(async () => {
      const answer = await createWithPassword({ ...account, password: password.value });
      invitation.forget();
      if (!answer.flow) {
        leavePasswordNote('created');
      }
      return answer;
    });
  } else {
    converse(async () => {
      const answer = await signInWithPassword(name, password.value);
      if (!answer.flow) {
        leavePasswordNote('signedIn');
      }
      return answer;
    });
  }
}

/** Signs in with a passkey: of the account whose name is typed, else of any. */
function usePasskey() {
  const name = username.value.trim();
  converse(async (signal) => {
    const isImmediate = name === '' && mayAskImmediately && await canAskImmediately();
    mayAskImmediately = false;
    return signIn({ username: name, signal, ...(isImmediate && { uiMode: 'immediate' }) });
  }, { cancelled: 'cancelledSignIn', waits: true, withoutPasskey: showOtherWays });
}

/** No passkey came: the password stands beside the passkey, whether or not the account has one. */
function showOtherWays() {
  if (password && currentView() === 'sign-in') {
    history.replaceState(null, '', '#password');
    showView();
  }
  if (hasKeyboard) {
    username.focus();
  }
}

/**
 * Runs one conversation with service and browser; autofill rests meanwhile, and comes back if it fails.
 *
 * @param how.cancelled The sentence for a prompt that was closed.
 * @param how.waits Whether it waits for a passkey.
 * @param how.withoutPasskey Runs after a request that brought no passkey.
 */
async function converse(work, { cancelled, waits = !isWithPassword(), withoutPasskey = () => {} } = {}) {
  if (running) {
    return;
  }
  const conversation = new AbortController();
  running = conversation;
  form.setAttribute('aria-busy', 'true');
  notices.say(waits ? 'waiting' : 'working');
  try {
    await autofill.stop();
    if (!isEntering) {
      goOn(await work(conversation.signal));
    }
  } catch (error) {
    if (!conversation.signal.aborted) {
      rest();
      if (['cancelled', 'timeout'].includes(error.code)) {
        withoutPasskey();
      }
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
  notices.explain(error, { cancelled, field: faultyField[error.code] });
}

/** Passkeys that exist already are no use to those who make an account. */
async function startAutofill() {
  if (!blocked && !isCreating() && !steps.isOpen) {
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
    // Enter presses the first button of this type, seen or not.
    if (part.matches('form > button')) {
      part.type = part.hidden ? 'button' : 'submit';
    }
  }
  passkeyButton.classList.toggle('primary', view === 'sign-in');
  document.title = message(isCreating() ? 'title.create' : 'title.signIn');
  username.autocomplete = isCreating() ? 'username' : 'username webauthn';
  username.required = true;
  if (password) {
    password.autocomplete = isCreating() ? 'new-password' : 'current-password webauthn';
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
  steps.end();
  identity = null;
  running?.abort();
  rest();
  notices.clear();
  showView();
  document.querySelector('[data-view]:not([hidden]) h1').focus();
  explainObstacle();
  autofill.stop();
  startAutofill();
}

/** A browser without passkeys can do without them where there is a password, or a code. */
function explainObstacle() {
  if (blocked && !((isWithPassword() || steps.isOpen) && blocked.code === 'not_supported')) {
    notices.explain(blocked);
  }
}

/** Buttons work where what they ask for does. */
function enableButtons() {
  for (const button of form.querySelectorAll('button')) {
    const needsPasskey = button.matches('[data-needs-passkey]');
    button.disabled = blocked !== null && (needsPasskey || blocked.code !== 'not_supported');
  }
}

/** What the last page or the service has to say. */
function sayWhatHappened() {
  const hasEnded = location.hash === '#session-ended';
  if (hasEnded) {
    history.replaceState(null, '', location.pathname);
  }
  const left = takeNotice() ?? (hasEnded ? 'sessionEnded' : null);
  if (left) {
    notices.say(left);
  }
}

/** Goes on with a sign-in that was under way before the page was loaded again; an address that names a new account begins anew. */
function resumeStep() {
  if (isCreating()) {
    steps.end();
    return false;
  }
  return steps.resume();
}

async function begin() {
  invitation.take('#create');
  const isResumed = resumeStep();
  showView();
  keepAcrossLanguages([username, displayName]);
  passkeyButton.addEventListener('click', usePasskey);
  for (const button of document.querySelectorAll('[data-provider]')) {
    button.textContent = message('federated.continueWith', { name: button.dataset.name });
    button.addEventListener('click', () => {
      converse(() => leaveFor(button.dataset.provider, '/sign-in/federated', destination), { waits: false });
    });
  }
  showButton?.addEventListener('click', () => showPassword(password.type === 'password'));
  document.querySelector('[data-testid="step-restart"]').addEventListener('click', (event) => {
    event.preventDefault();
    beginAgain();
  });
  window.addEventListener('hashchange', changeView);
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    submit();
  });
  // A page that the browser kept in memory may be from before or after a sign-in.
  window.addEventListener('pageshow', (event) => event.persisted && location.reload());
  enableButtons();
  explainObstacle();
  if (hasKeyboard && !isResumed) {
    username.focus({ preventScroll: true });
  }
  if (returned) {
    await comeBack(returned);
  } else if (!blocked) {
    sayWhatHappened();
    await startAutofill();
  }
  if (isResumed) {
    steps.focus();
    steps.sendOnlyCode();
  }
  document.documentElement.dataset.ready = '';
}

begin();
