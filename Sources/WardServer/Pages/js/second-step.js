/** The steps after the first proof in the dialog of the account page: a sign-in that goes on. */

import { call, ServiceError } from './api.js';
import { register, signIn } from './ceremonies.js';
import { ask } from './dialog.js';
import { message } from './messages.js';
import { PasskeyError } from './passkeys.js';
import { signInWithPassword } from './passwords.js';
import { firstStep, isOnlySent, isSent, keyboard, knownSteps, sentenceFor, stepTexts, takesPassword, takesPasskey, wayText } from './step-methods.js';

/**
 * Asks for steps until a sign-in is complete; the answer of the last step.
 *
 * Throws `cancelled` if the person stops, and `flow_not_valid` if the sign-in is over.
 */
export async function completeSignIn(answer, username) {
  let current = answer;
  while (current.flow) {
    current = await nextStep(current, username);
  }
  return current;
}

/** Asks for one step, with a method that the person chooses; the answer to it. */
async function nextStep({ flow, next }, username) {
  const steps = knownSteps({ next });
  let step = firstStep(steps);
  if (!step) {
    throw new PasskeyError('step_not_allowed');
  }
  /** The method by which the last code was sent. */
  let sentBy = null;
  if (isOnlySent(steps)) {
    await sendCode(flow, step.method);
    sentBy = step.method;
  }
  for (;;) {
    const shown = step;
    let answer = null;
    const outcome = await ask({
      kind: 'second-step',
      title: message('steps.heading'),
      ...fields(shown, sentBy === shown.method),
      ways: [
        ...(isSent(shown) ? [sending(flow, shown, sentBy === shown.method, () => (sentBy = shown.method))] : []),
        ...steps.filter((other) => other !== shown).map((other) => ({ name: other.method, text: wayText(other) })),
      ],
      work: async (signal, password, typed) => {
        answer = await take(shown, { flow, username, signal, password, typed: typed.trim() });
      },
    });
    if (outcome === true) {
      return answer;
    }
    if (outcome === false) {
      throw new PasskeyError('cancelled');
    }
    step = steps.find(({ method }) => method === outcome);
  }
}

/** What the dialog says and takes for a step. */
function fields(step, wasSent) {
  const { lead, label, hint, action } = stepTexts(step, wasSent);
  const isTyped = !takesPasskey(step) && !takesPassword(step);
  return {
    text: lead,
    hint,
    action: action || message('confirm.continue'),
    asksPassword: takesPassword(step),
    asksText: isTyped ? label : '',
    isCode: isTyped,
    keyboard: keyboard(step),
    sentences: { too_many_attempts: 'too_many_codes', code_wrong: sentenceFor('code_wrong', step.method) },
  };
}

/** The button that sends the code, or another one. */
function sending(flow, step, wasSent, done) {
  return {
    name: 'send',
    text: message(wasSent ? 'steps.again' : 'steps.send'),
    work: async () => {
      await sendCode(flow, step.method);
      done();
      return { button: message('steps.again'), text: stepTexts(step, true).lead, said: 'codeSent' };
    },
  };
}

async function sendCode(flow, method) {
  try {
    await call('POST', '/sign-in/send-code', { flow, method });
  } catch (error) {
    throw error.code === 'too_many_requests' ? new ServiceError('too_many_sent', error.status) : error;
  }
}

/** Answers a step. */
function take(step, { flow, username, signal, password, typed }) {
  if (step.method === 'passkey') {
    // The passkey alone is a sign-in, and it must check the person: a passkey that did not may have begun this one.
    return signIn({ username, userVerification: 'required', signal });
  }
  if (step.method === 'new_passkey') {
    return register({ flow }, signal);
  }
  if (takesPassword(step)) {
    if (password === '') {
      throw new PasskeyError('password_missing');
    }
    return signInWithPassword(username, password, flow);
  }
  if (typed === '') {
    throw new PasskeyError('code_missing');
  }
  return call('POST', '/sign-in/code', { flow, method: step.method, code: typed });
}
