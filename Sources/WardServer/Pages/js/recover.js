/**
 * The page `/recover`: a link adds a passkey to the account of a person who lost every other way in.
 *
 * Without a link the page asks for one. With a link the service says what it needs beside itself.
 */

import { call } from './api.js';
import { register } from './ceremonies.js';
import { hindrance } from './hindrance.js';
import { LinkToken } from './link-token.js';
import { message, momentText } from './messages.js';
import { leaveNotice, notices } from './notices.js';
import { PasskeyError } from './passkeys.js';
import { RecoverHelpers } from './recover-helpers.js';
import { sentenceFor } from './step-methods.js';

const element = (id) => document.getElementById(id);
const form = element('form');
const button = element('recover');
const lead = element('recover-lead');
const method = element('proof-method');
const code = element('proof-code');
/** Absent where the service sends no mail. */
const requestForm = element('request-form');
const link = new LinkToken('recovery');
const helpersStep = new RecoverHelpers({ ask: askHelpers, look: lookAgain });

/** The name of each proof. */
const proofs = { recovery_code: 'recover.recovery_code', authenticator_app: 'recover.authenticator_app', password: 'recover.password' };

/** Failures that are about what was typed. */
const faults = ['code_missing', 'code_wrong', 'password_missing', 'name_missing'];

let isBusy = false;

/** Runs one action at a time and explains its failure. */
async function perform(action, field) {
  if (isBusy) {
    return;
  }
  isBusy = true;
  form.setAttribute('aria-busy', 'true');
  notices.say('working');
  try {
    await action();
  } catch (error) {
    if (error.code === 'recovery_link_not_valid') {
      link.forget();
      show('link');
    }
    const sentence = sentenceFor(error.code, method.value);
    notices.explain(error, { field: faults.includes(error.code) ? field : undefined, sentence });
  } finally {
    isBusy = false;
    form.removeAttribute('aria-busy');
  }
}

/** Shows the parts of some states. */
function show(...states) {
  for (const part of document.querySelectorAll('[data-state]')) {
    part.hidden = !states.includes(part.dataset.state);
  }
  button.disabled = !states.includes('open');
}

/** Shows what the link needs beside itself. */
function showState({ state, source, next, opensAt, helpers, code: helperCode }) {
  notices.clear();
  const parts = helpersStep.show(state === 'open' ? null : helpers, helperCode) ? ['helpers'] : [];
  // Where the session is the first proof, nobody waits instead of the second one.
  const mayWait = source !== 'session';
  if (state === 'open') {
    lead.textContent = message('recover.leadOpen');
    show('link', 'open');
  } else if (state === 'wait') {
    lead.textContent = opensAt ? message('recover.leadWait', { time: momentText(opensAt) }) : message('recover.leadNotice');
    show('link', ...parts);
  } else {
    const known = next.filter((proof) => proof.method in proofs);
    const hasProof = known.length > 0;
    lead.textContent = mayWait ? message(hasProof ? 'recover.leadAsk' : 'recover.leadWaitOnly')
      : message(hasProof ? 'recover.leadCode' : 'recover.leadNoWay');
    method.replaceChildren(...known.map((proof) => new Option(message(proofs[proof.method]), proof.method)));
    element('proof-method-field').hidden = known.length < 2;
    element('wait').textContent = message(hasProof ? 'recover.wait' : 'recover.begin');
    show('link', ...parts, ...(mayWait ? ['ask'] : []), ...(hasProof ? ['proof'] : []));
    chooseProof();
  }
  document.documentElement.dataset.recovery = state;
}

function chooseProof() {
  const chosen = method.value;
  if (chosen) {
    const isPassword = chosen === 'password';
    code.type = isPassword ? 'password' : 'text';
    code.autocomplete = isPassword ? 'current-password' : 'one-time-code';
    code.inputMode = chosen === 'authenticator_app' ? 'numeric' : 'text';
    code.value = '';
    element('proof-label').textContent = message(proofs[chosen]);
  }
}

function prove() {
  return perform(async () => {
    const typed = code.value.trim();
    if (typed === '') {
      throw new PasskeyError(method.value === 'password' ? 'password_missing' : 'code_missing');
    }
    showState(await call('POST', '/recovery/proof', { token: link.value, method: method.value, code: typed }));
  }, code);
}

function wait() {
  return perform(async () => {
    showState(await call('POST', '/recovery/wait', { token: link.value }));
    notices.say('waitBegun');
  });
}

function askHelpers() {
  return perform(async () => {
    showState(await call('POST', '/recovery/helpers', { token: link.value }));
    notices.say('helpersAsked');
  });
}

/** Looks whether a helper has approved, without a word and without taking away what is being typed. */
async function lookAgain() {
  const token = link.value;
  if (token === null) {
    return;
  }
  let answer;
  try {
    answer = await call('POST', '/recovery/state', { token });
  } catch (error) {
    if (error.code === 'recovery_link_not_valid') {
      await perform(() => Promise.reject(error));
      return;
    }
  }
  if (!answer || isBusy || answer.helpers?.state === 'asked' && answer.state !== 'open') {
    helpersStep.lookLater();
  } else if (token === link.value) {
    showState(answer);
  }
}

function recover() {
  return perform(async () => {
    notices.say('waiting');
    await register({ recovery: link.value });
    link.forget();
    leaveNotice('recovered');
    location.assign('/account');
  });
}

function request() {
  const username = element('username').value.trim();
  return perform(async () => {
    if (username === '') {
      throw new PasskeyError('name_missing');
    }
    await call('POST', '/recovery', { username });
    notices.clear();
    element('request-sent').hidden = false;
  }, element('username'));
}

async function begin() {
  link.take();
  notices.clear();
  delete document.documentElement.dataset.ready;
  const hindered = hindrance();
  if (hindered) {
    show('link');
    notices.explain(hindered);
  } else if (link.value !== null) {
    show('link');
    await perform(async () => showState(await call('POST', '/recovery/state', { token: link.value })));
  } else if (requestForm && location.hash === '') {
    show('request');
  } else {
    show('link');
    notices.explain(new PasskeyError('recovery_link_incomplete'));
  }
  document.documentElement.dataset.ready = '';
}

form.addEventListener('submit', (event) => {
  event.preventDefault();
  recover();
});
element('proof-form').addEventListener('submit', (event) => {
  event.preventDefault();
  prove();
});
requestForm?.addEventListener('submit', (event) => {
  event.preventDefault();
  request();
});
method.addEventListener('change', chooseProof);
element('wait').addEventListener('click', wait);
// Another link opened in the same tab.
window.addEventListener('hashchange', begin);
begin();
