/** The page `/account`: names, passkeys, password, sessions and recent activity, and the end of the account. */

import { ActivityList } from './activity-list.js';
import { call, isSignedOut } from './api.js';
import { register, signIn } from './ceremonies.js';
import { ask } from './dialog.js';
import { EmailPanel } from './email-panel.js';
import { FactorsPanel } from './factors-panel.js';
import { takeFailure } from './federated.js';
import { FederatedPanel } from './federated-panel.js';
import { HelpersPanel } from './helpers-panel.js';
import { HelpingPanel } from './helping-panel.js';
import { forgetFlow } from './kept-flow.js';
import { recoverLostPasskeys } from './lost-passkeys.js';
import { message } from './messages.js';
import { NamesPanel } from './names-panel.js';
import { leaveNotice, notices, takeNotice } from './notices.js';
import { Offer } from './offer.js';
import { obstacle, PasskeyError } from './passkeys.js';
import { PasskeyList } from './passkey-list.js';
import { PasswordPanel } from './password-panel.js';
import { PasswordlessPanel } from './passwordless-panel.js';
import { signInWithPassword, takePasswordNote } from './passwords.js';
import { PolicyNotice } from './policy-notice.js';
import { SecondPasskey } from './second-passkey.js';
import { completeSignIn } from './second-step.js';
import { SessionList } from './session-list.js';
import { signalAccepted, signalNames } from './signals.js';
import { takeSuccessionNote } from './succession.js';
import { TextCodesPanel } from './text-codes-panel.js';
import { keepPassword, mayOffer, mayOfferRemoval, putAway, Upgrade } from './upgrade.js';
import { VaultsPanel } from './vaults-panel.js';

const root = document.documentElement;
const passkeysHeading = document.getElementById('passkeys-heading');
const sessionsHeading = document.getElementById('sessions-heading');
const activityHeading = document.getElementById('activity-heading');
const activityMore = document.getElementById('activity-more');
const addButton = document.getElementById('passkey-add');
const endOthersButton = document.getElementById('session-end-others');
const signOutButton = document.getElementById('sign-out');
const deleteButton = document.getElementById('account-delete');
const passwordHeading = document.getElementById('password-heading');
/** Absent where the service sends no mail. */
const emailHeading = document.getElementById('email-heading');

let account = null;
let passkeys = [];
let hasPassword = false;
let recoveryCodes = 0;
let offersPasskey = false;
let offersRemoval = false;
let email = null;
let sessions = [];
let activity = [];
/** Where the earlier events begin; `null` if all are shown. */
let activityNext = null;
let isBusy = false;

const passkeyList = new PasskeyList(document.getElementById('passkeys'), { rename, remove });
const passwordPanel = passwordHeading && new PasswordPanel({ save: savePassword, remove: removePassword });
/** Absent, like the password's panel, where the service takes no passwords. */
const offer = passwordHeading && new Offer({
  add,
  removePassword,
  putAway,
  keep: () => keepPassword(),
  declined: () => passkeysHeading.focus(),
});
const emailPanel = emailHeading && new EmailPanel({ save: saveEmail, remove: removeEmail });
const namesPanel = new NamesPanel(saveNames);
const secondPasskey = new SecondPasskey({ add, addButton, declined: () => passkeysHeading.focus() });
const factorsPanel = new FactorsPanel({ perform, withRecentSignIn, reload: loadPasskeys });
/** Absent where the service sends no text messages. */
const textCodesPanel = document.getElementById('text-codes')
  && new TextCodesPanel({ perform, withRecentSignIn, reload: loadPasskeys });
/** None where the service has no helpers for recovery. */
const helperPanels = document.getElementById('helpers-panel')
  ? [HelpersPanel, HelpingPanel].map((Panel) => new Panel({ perform, withRecentSignIn, reload: loadPasskeys })) : [];
/** Absent where there is no sync server. */
const vaultsPanel = document.getElementById('vaults-panel')
  && new VaultsPanel({ perform, withRecentSignIn, reload: loadActivity });
const policyNotice = new PolicyNotice({ add });
const federatedPanel = new FederatedPanel({ perform, withRecentSignIn, reload: loadPasskeys });
const passwordlessPanel = new PasswordlessPanel({
  stop: stopRecovery,
  steps: { passkey: add, way_back: () => factorsPanel.makeCodes(), no_password: removePassword },
});
const upgrade = new Upgrade();
const activityList = new ActivityList(document.getElementById('activity'), activityMore);
const sessionList = new SessionList(document.getElementById('sessions'), { end });

/**
 * Runs one action at a time and explains its failure; whether it succeeded.
 *
 * @param faultyField Names the field that a failure is about, by its code.
 */
async function perform(action, faultyField = () => undefined) {
  if (isBusy) {
    return false;
  }
  isBusy = true;
  notices.clear();
  try {
    await upgrade.stop();
    await action();
    return true;
  } catch (error) {
    if (isSignedOut(error)) {
      leave('sessionEnded');
    } else if (error.code !== 'leaving') {
      notices.explain(error, { field: faultyField(error.code) });
    }
    return false;
  } finally {
    isBusy = false;
  }
}

/** Repeats an action that needs a recent sign-in or a passkey, after one. */
async function withRecentSignIn(action) {
  let isConfirmed;
  try {
    return await action();
  } catch (error) {
    if (error.code === 'passkey_sign_in_required') {
      isConfirmed = await askForPasskey();
    } else if (error.code === 'passkey_and_password_required') {
      isConfirmed = await askForBoth();
    } else if (error.code === 'recent_sign_in_required') {
      isConfirmed = await askForSignIn();
    } else {
      throw error;
    }
  }
  if (isConfirmed === 'lost') {
    await recoverLostPasskeys({ username: account.username, hasPassword, recoveryCodes, getsMail: Boolean(email?.confirmed) });
    throw new PasskeyError('leaving');
  }
  if (!isConfirmed) {
    throw new PasskeyError('cancelled');
  }
  if (unfinished) {
    const begun = unfinished;
    unfinished = null;
    stayHere(await completeSignIn(begun, account.username));
  }
  // The sign-in began a new session in this browser.
  await loadSessions();
  return action();
}

/** An account with a passkey that works: a password is not enough for a change. */
function askForPasskey() {
  return ask({
    kind: 'passkey',
    title: message('confirm.titlePasskey'),
    text: message('confirm.textPasskey'),
    hint: hasPassword ? message('confirm.passwordNotEnough') : '',
    action: message('confirm.action'),
    ways: [lostPasskeys()],
    work: (signal) => confirmPerson(signal, ''),
  });
}

/** The passkeys verify nobody: the password is the second factor. */
function askForBoth() {
  return ask({
    kind: 'passkey-and-password',
    title: message('confirm.titleBoth'),
    text: message('confirm.textBoth'),
    action: message('confirm.continue'),
    asksPassword: true,
    ways: [lostPasskeys()],
    work: async (signal, password) => {
      if (password === '') {
        throw new PasskeyError('password_missing');
      }
      const first = await signIn({ username: account.username, signal });
      stayHere(first);
      // With a second step there is no session yet: the password continues what the passkey began, so that both count.
      unfinished = null;
      stayHere(await signInWithPassword(account.username, password, first.flow));
    },
  });
}

/** The button that ends the dialog for the way back of a person without the passkey. */
function lostPasskeys() {
  return { name: 'lost', text: message('confirm.lost') };
}

function askForSignIn() {
  if (passkeys.length === 0 && !hasPassword && federatedPanel.usable.length > 0) {
    return federatedPanel.confirm();
  }
  const hasPasskey = passkeys.length > 0;
  const passwordText = hasPasskey ? message('confirm.textEither') : message('confirm.textPassword');
  return ask({
    kind: 'recent-sign-in',
    title: message('confirm.title'),
    text: hasPassword ? passwordText : message('confirm.text'),
    action: message(hasPassword ? 'confirm.continue' : 'confirm.action'),
    asksPassword: hasPassword,
    work: confirmPerson,
  });
}

async function confirmPerson(signal, password) {
  if (password === '' && passkeys.length === 0) {
    throw new PasskeyError('password_missing');
  }
  // An account whose passkeys verify nobody signs in without that, and is told what a change needs.
  const userVerification = passkeys.some(({ canVerify }) => canVerify) ? 'required' : undefined;
  const answer = password === ''
    ? await signIn({ username: account.username, userVerification, signal })
    : await signInWithPassword(account.username, password);
  stayHere(answer);
}

/** The answer of a sign-in that needs a code, which another dialog asks for. */
let unfinished = null;

/** Reloads the page if somebody signed in to another account. */
function stayHere(answer) {
  if (answer.flow) {
    unfinished = answer;
    return;
  }
  if (answer.account.id !== account.id) {
    location.reload();
  }
}

// Names

function saveNames(names) {
  return perform(async () => {
    if (names.username === '') {
      throw new PasskeyError('name_missing');
    }
    await withRecentSignIn(() => call('PATCH', '/account', names));
    await loadPasskeys();
    signalNames(root.dataset.address, account.userHandle, account.username, account.displayName);
    notices.say('namesSaved');
  }, (code) => namesPanel.faultyField(code));
}

// Passkeys

async function loadAccount() {
  const answer = await call('GET', '/account');
  ({ account, passkeys, hasPassword, offersPasskey, offersRemoval, email } = answer);
  recoveryCodes = answer.factors.recoveryCodes.left;
  factorsPanel.show(answer);
  textCodesPanel?.show(answer);
  federatedPanel.show(answer);
  passwordlessPanel.show(answer);
  policyNotice.show(answer);
  await Promise.all(helperPanels.map((panel) => panel.load()));
}

async function loadPasskeys() {
  await loadAccount();
  namesPanel.show(account);
  passkeyList.show(passkeys, hasPassword || federatedPanel.usable.length > 0);
  secondPasskey.show(account, passkeys);
  sessionList.show(sessions, passkeys);
  passwordPanel?.show(hasPassword, passkeys.length > 0);
  emailPanel?.show(email);
  await loadActivity();
}

function add() {
  return perform(async () => {
    notices.say('waiting');
    const isFirst = passkeys.length === 0;
    const { passkey } = await withRecentSignIn(() => register({}));
    await loadPasskeys();
    offer?.close();
    if (isFirst && hasPassword) {
      offer?.showWithoutPassword();
    }
    notices.say('passkeyAdded');
    passkeyList.focus(passkey.id);
  });
}

function rename(passkey, name, field) {
  return perform(async () => {
    await withRecentSignIn(() => call('PATCH', `/account/passkeys/${passkey.id}`, { name }));
    await loadPasskeys();
    notices.say('passkeyRenamed');
    passkeyList.focus(passkey.id);
  }, (code) => (code === 'passkey_name_not_allowed' ? field : undefined));
}

function remove(passkey) {
  return perform(async () => {
    const isConfirmed = await ask({
      kind: 'delete',
      title: message('passkeys.deleteTitle', { name: passkey.name }),
      text: message('passkeys.deleteText'),
      hint: isOpenedBy(passkey) ? message('passkeys.deleteHere') : '',
      action: message('passkeys.deleteConfirm'),
      isDangerous: true,
    });
    if (isConfirmed) {
      await withRecentSignIn(async () => {
        // A passkey that was added elsewhere in the meantime must not be hidden with the deleted one.
        await loadAccount();
        await call('DELETE', `/account/passkeys/${passkey.id}`);
      });
      passkeys = passkeys.filter(({ id }) => id !== passkey.id);
      const told = signalAccepted(root.dataset.address, account.userHandle, passkeys.map(({ id }) => id));
      if (isOpenedBy(passkey)) {
        // The session ended with its passkey.
        await told;
        leave('passkeyDeletedHere');
        return;
      }
      await Promise.all([loadPasskeys(), loadSessions()]);
      notices.say('passkeyDeleted');
      passkeysHeading.focus();
    }
  });
}

/** Whether this browser's session ends with the passkey. */
function isOpenedBy(passkey) {
  return sessions.some((session) => session.current && session.passkey === passkey.id);
}

// Password

function savePassword(password) {
  return perform(async () => {
    if (password === '') {
      throw new PasskeyError('password_missing');
    }
    await withRecentSignIn(() => call('PUT', '/account/password', { password }));
    await Promise.all([loadPasskeys(), loadSessions()]);
    notices.say('passwordSaved');
  }, (code) => passwordPanel.faultyField(code));
}

function removePassword() {
  return perform(async () => {
    const isConfirmed = await ask({
      kind: 'remove-password',
      title: message('password.removeTitle'),
      text: message('password.removeText'),
      action: message('password.removeConfirm'),
      isDangerous: true,
    });
    if (isConfirmed) {
      await withRecentSignIn(() => call('DELETE', '/account/password'));
      offer?.close();
      await Promise.all([loadPasskeys(), loadSessions()]);
      notices.say('passwordRemoved');
      (passwordHeading ?? passkeysHeading).focus();
    }
  });
}

// E-mail address

function saveEmail(address) {
  return perform(async () => {
    if (address === '') {
      throw new PasskeyError('email_missing');
    }
    await withRecentSignIn(() => call('PUT', '/account/email', { address }));
    await loadPasskeys();
    if (email?.pending) {
      notices.say('emailRequested');
    } else {
      notices.say('emailConfirmed');
    }
  }, (code) => emailPanel.faultyField(code));
}

function removeEmail() {
  return perform(async () => {
    const isConfirmed = await ask({
      kind: 'remove-email',
      title: message('email.removeTitle'),
      text: message('email.removeText'),
      action: message('email.remove'),
      isDangerous: true,
    });
    if (isConfirmed) {
      await withRecentSignIn(() => call('DELETE', '/account/email'));
      await loadPasskeys();
      notices.say('emailRemoved');
      emailHeading.focus();
    }
  });
}

// Recovery

function stopRecovery() {
  return perform(async () => {
    await call('DELETE', '/account/recovery');
    await loadPasskeys();
    notices.say('recoveryStopped');
    passkeysHeading.focus();
  });
}

// From the password to a passkey

/** What follows a sign-in with a password: a passkey made without a prompt, or an offer to make one. */
async function followPassword(how) {
  root.dataset.upgrade = 'asking';
  const made = await upgrade.run();
  if (made) {
    await perform(async () => {
      await loadPasskeys();
      offer.showWithoutPassword();
      notices.say('upgraded');
    });
  } else if (how === 'signedIn' && offersPasskey && passkeys.length === 0 && !isBusy && await mayOffer() && !isBusy) {
    offer.showPasskey();
  }
  root.dataset.upgrade = made ? 'made' : 'none';
}

/** What follows a sign-in with a passkey for which the service has a better algorithm. Without a better one, nothing is said. */
async function followPasskey() {
  root.dataset.upgrade = 'asking';
  const made = await upgrade.run();
  if (made) {
    await perform(async () => {
      await loadPasskeys();
      notices.say('upgradedPasskey');
    });
  }
  root.dataset.upgrade = made ? 'made' : 'none';
}

// Sessions

async function loadSessions() {
  ({ sessions } = await call('GET', '/account/sessions'));
  sessionList.show(sessions, passkeys);
  showActivity();
  endOthersButton.hidden = others().length === 0;
}

function others() {
  return sessions.filter((session) => !session.current);
}

function end(session) {
  return perform(async () => {
    await withRecentSignIn(() => endSession(session));
    await Promise.all([loadSessions(), loadActivity()]);
    notices.say('sessionEndedOne');
    sessionsHeading.focus();
  });
}

function endOthers() {
  return perform(async () => {
    const isConfirmed = await ask({
      kind: 'end-others',
      title: message('sessions.endOthersTitle'),
      text: message('sessions.endOthersText'),
      action: message('sessions.endOthersConfirm'),
      isDangerous: true,
    });
    if (isConfirmed) {
      await withRecentSignIn(() => call('DELETE', '/account/sessions'));
      await Promise.all([loadSessions(), loadActivity()]);
      notices.say('sessionEndedOthers');
      sessionsHeading.focus();
    }
  });
}

/** Ends a session; one that is gone already is as good. */
async function endSession(session) {
  try {
    await call('DELETE', `/account/sessions/${session.id}`);
  } catch (error) {
    if (error.code !== 'not_found') {
      throw error;
    }
  }
}

function signOut() {
  return perform(async () => {
    await call('POST', '/sign-out', {});
    await navigator.credentials?.preventSilentAccess?.();
    leave('signedOut');
  });
}

// Recent activity

/** How many events are shown at first, and how many more each time. */
const someEvents = 5;

/** Loads as many events as are shown. */
async function loadActivity() {
  const count = Math.min(Math.max(activity.length, someEvents), 100);
  ({ activity, next: activityNext } = await call('GET', `/account/activity?limit=${count}`));
  showActivity();
}

function showActivity() {
  activityList.show(activity, activityNext !== null, passkeys, sessions);
}

function showMoreActivity() {
  return perform(async () => {
    const more = await call('GET', `/account/activity?limit=${someEvents * 4}&after=${activityNext}`);
    activity = [...activity, ...more.activity];
    activityNext = more.next;
    showActivity();
    if (activityMore.hidden) {
      activityHeading.focus();
    }
  });
}

// The end of the account

function deleteAccount() {
  return perform(async () => {
    // A vault may have been brought since the page was loaded. Without an answer the page says what it knows.
    await vaultsPanel?.load().catch(() => {});
    const isConfirmed = await ask({
      kind: 'delete-account',
      title: message('account.deleteTitle'),
      text: message('account.deleteText'),
      hint: message(vaultsPanel && !vaultsPanel.isEmpty ? 'account.deleteHintVaults' : 'account.deleteHint'),
      action: message('account.deleteConfirm'),
      isDangerous: true,
      asksText: message('account.deleteType', { name: account.username }),
      work: async (signal, password, typed) => {
        // A name from right to left that is copied from the label may bring the characters that isolate it.
        if (typed.replace(/[\u2068\u2069]/g, '').trim().normalize() !== account.username.normalize()) {
          throw new PasskeyError('name_not_typed');
        }
      },
    });
    if (isConfirmed) {
      await withRecentSignIn(() => call('DELETE', '/account'));
      await signalAccepted(root.dataset.address, account.userHandle, []);
      leave('accountDeleted');
    }
  });
}

function leave(notice) {
  leaveNotice(notice);
  location.assign('/');
}

async function begin() {
  const blocked = obstacle();
  addButton.addEventListener('click', add);
  endOthersButton.addEventListener('click', endOthers);
  signOutButton.addEventListener('click', signOut);
  activityMore.addEventListener('click', showMoreActivity);
  deleteButton.addEventListener('click', deleteAccount);
  signOutButton.disabled = false;
  // Somebody is signed in: a sign-in that was broken off in this tab is over.
  forgetFlow();
  // A page that the browser kept in memory may be from before a sign-out.
  window.addEventListener('pageshow', (event) => event.persisted && location.reload());
  await perform(async () => {
    await Promise.all([loadPasskeys(), loadSessions()]);
    // The account is usable also if the sync server does not answer.
    await vaultsPanel?.load();
  });
  addButton.disabled = blocked !== null || account === null;
  deleteButton.disabled = account === null;
  const left = account && takeNotice();
  const failure = account && takeFailure();
  if (blocked) {
    notices.explain(blocked);
  } else if (failure) {
    notices.explain({ code: failure });
  } else if (left) {
    notices.say(left);
  }
  root.dataset.ready = '';
  const how = takePasswordNote();
  const isSuccession = takeSuccessionNote();
  if (how && offer && account && !blocked) {
    await followPassword(how);
  } else if (isSuccession && account && !blocked) {
    await followPasskey();
  }
  if (offersRemoval && offer && !blocked && mayOfferRemoval()) {
    offer.showWithoutPassword();
  }
}

begin();
