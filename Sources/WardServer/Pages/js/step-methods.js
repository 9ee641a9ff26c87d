/** The methods of a sign-in that goes on after its first proof: what each says, and what its field takes. */

import { message } from './messages.js';

const methods = {
  authenticator_app: { lead: 'steps.leadApp', label: 'steps.code', hint: 'steps.hintDigits', way: 'steps.wayApp', isDigits: true },
  mail_code: { lead: 'steps.leadSend', label: 'steps.code', hint: 'steps.hintMail', way: 'steps.waySend', isDigits: true, isSent: true },
  text_code: { lead: 'steps.leadSend', label: 'steps.code', hint: 'steps.hintDigits', way: 'steps.wayText', isDigits: true, isSent: true },
  recovery_code: { lead: 'steps.leadRecovery', label: 'steps.recoveryCode', hint: 'steps.hintRecovery', way: 'steps.wayRecovery' },
  password: { lead: 'steps.leadPassword', label: 'signIn.password', way: 'signIn.usePassword', isPassword: true },
  new_passkey: { lead: 'steps.leadNew', way: 'offer.accept', action: 'offer.accept' },
  passkey: { lead: 'steps.leadPasskey', way: 'signIn.usePasskey', action: 'confirm.action' },
};

/** The steps that this page knows, in the order in which the service offers them. A later service may know more. */
export function knownSteps({ next }) {
  return next.filter(({ method }) => method in methods);
}

/** The step to begin with: a passkey comes first only where it is the only way, because its prompt needs a click. */
export function firstStep(steps) {
  return steps.find(({ method }) => method !== 'passkey') ?? steps[0];
}

/** Whether a step is a code in a message and no other step is possible, so that nothing is to be chosen. */
export function isOnlySent(steps) {
  return steps.length === 1 && isSent(steps[0]);
}

/** Whether the service sends a code for a step. */
export function isSent({ method }) {
  return methods[method].isSent === true;
}

/**
 * The texts of a step.
 *
 * `label` is empty where nothing is typed. `action` is empty where the button says what it says everywhere.
 */
export function stepTexts({ method, to = '' }, wasSent = false) {
  const { lead, label, hint, action } = methods[method];
  const text = (name) => (name ? message(name, { to }) : '');
  return { lead: message(wasSent ? 'steps.leadSent' : lead, { to }), label: text(label), hint: text(hint), action: text(action) };
}

/** What the button says that leads to a step. */
export function wayText({ method, to = '' }) {
  return message(methods[method].way, { to });
}

/** Whether a step is answered with the account's password. */
export function takesPassword({ method }) {
  return methods[method].isPassword === true;
}

/** Whether a step is answered with a passkey. */
export function takesPasskey({ method }) {
  return ['passkey', 'new_passkey'].includes(method);
}

/** What the field of a code tells the keyboard of a phone. */
export function keyboard({ method }) {
  return methods[method].isDigits ? 'numeric' : 'text';
}

/** The sentence of the section `error` for a wrong answer, or nothing for the usual one: no next recovery code comes by itself. */
export function sentenceFor(code, method) {
  const others = { recovery_code: 'recovery_code_wrong', password: 'password_wrong' };
  return code === 'code_wrong' ? others[method] : undefined;
}
