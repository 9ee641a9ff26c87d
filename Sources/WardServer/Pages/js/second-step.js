/** The step after the password in the dialog of the account page: the code of a sign-in that goes on. */

import { call } from './api.js';
import { ask } from './dialog.js';
import { message } from './messages.js';
import { PasskeyError } from './passkeys.js';

const leads = { authenticator_app: 'steps.leadApp', mail_code: 'steps.leadSent', text_code: 'steps.leadSent', recovery_code: 'steps.leadRecovery' };

/** Asks for codes until a sign-in is complete; the answer of the last step. Throws `cancelled` if the person stops. */
export async function completeSignIn(answer) {
  let current = answer;
  while (current.flow) {
    const { flow, next } = current;
    const step = next.find(({ method }) => method in leads);
    if (!step) {
      throw new PasskeyError('cancelled');
    }
    const { method, to = '' } = step;
    if (['mail_code', 'text_code'].includes(method)) {
      await call('POST', '/sign-in/send-code', { flow, method });
    }
    const isDone = await ask({
      kind: 'second-step',
      title: message('steps.heading'),
      text: message(leads[method], { to }),
      action: message('confirm.continue'),
      asksText: message(method === 'recovery_code' ? 'steps.recoveryCode' : 'steps.code'),
      work: async (signal, password, typed) => {
        if (typed.trim() === '') {
          throw new PasskeyError('code_missing');
        }
        current = await call('POST', '/sign-in/code', { flow, method, code: typed });
      },
    });
    if (!isDone) {
      throw new PasskeyError('cancelled');
    }
  }
  return current;
}
