/** The step of the sign-in page after the first proof: a code, the password, or a new passkey. */

import { call, ServiceError } from './api.js';
import { register, signIn } from './ceremonies.js';
import { message } from './messages.js';
import { notices } from './notices.js';
import { PasskeyError } from './passkeys.js';

const element = (id) => document.getElementById(id);

/** What each method says and takes. */
const methods = {
  authenticator_app: { lead: 'steps.leadApp', label: 'steps.code', hint: 'steps.hintDigits', way: 'steps.wayApp' },
  mail_code: { lead: 'steps.leadSend', label: 'steps.code', hint: 'steps.hintMail', way: 'steps.waySend' },
  text_code: { lead: 'steps.leadSend', label: 'steps.code', hint: 'steps.hintDigits', way: 'steps.wayText' },
  recovery_code: { lead: 'steps.leadRecovery', label: 'steps.recoveryCode', hint: 'steps.hintRecovery', way: 'steps.wayRecovery' },
  password: { lead: 'steps.leadPassword', label: 'signIn.password' },
  new_passkey: { lead: 'steps.leadNew' },
  passkey: { lead: 'steps.leadPasskey', way: 'signIn.usePasskey' },
};

/** The codes of failures that are about the field. */
const faults = ['code_missing', 'code_wrong', 'wrong_password', 'password_missing', 'too_many_attempts'];

export class Steps {
  #lead = element('step-lead');
  #field = element('step-field');
  #label = element('step-label');
  #input = element('step-code');
  #hint = element('step-hint');
  #submit = element('step-submit');
  #send = element('step-send');
  #ways = element('step-ways');
  #done;
  #over;
  #flow = null;
  #method = null;
  #isBusy = false;

  /**
   * @param actions.done Runs when the sign-in is complete.
   * @param actions.over Runs when the sign-in has ended and must begin again.
   */
  constructor({ done, over }) {
    this.#done = done;
    this.#over = over;
    element('step-form').addEventListener('submit', (event) => {
      event.preventDefault();
      this.#run(() => this.#answer());
    });
    this.#send.addEventListener('click', () => this.#run(() => this.#sendCode()));
  }

  /** Whether a sign-in has begun that is not complete. */
  get isOpen() {
    return this.#flow !== null;
  }

  /** Shows the first step of an answer that names some. */
  begin(flow) {
    this.#flow = flow;
    // A passkey comes first only where it is the only way: its prompt needs a click.
    const known = this.#known();
    this.#choose(known.find(({ method }) => method !== 'passkey') ?? known[0]);
  }

  /** Forgets the sign-in. */
  end() {
    this.#flow = null;
    this.#input.value = '';
  }

  focus() {
    (this.#field.hidden ? this.#submit : this.#input).focus();
  }

  #known() {
    return this.#flow.next.filter(({ method }) => method in methods);
  }

  #choose(step) {
    const { method, to = '' } = step;
    const { lead, label, hint } = methods[method];
    this.#method = method;
    this.#lead.textContent = message(lead, { to });
    const isTyped = !['new_passkey', 'passkey'].includes(method);
    this.#field.hidden = !isTyped;
    this.#label.textContent = label ? message(label) : '';
    this.#hint.textContent = hint ? message(hint) : '';
    this.#input.value = '';
    const isPassword = method === 'password';
    this.#input.type = isPassword ? 'password' : 'text';
    this.#input.autocomplete = isPassword ? 'current-password' : 'one-time-code';
    this.#input.inputMode = ['authenticator_app', 'mail_code', 'text_code'].includes(method) ? 'numeric' : 'text';
    const submits = { new_passkey: 'offer.accept', passkey: 'confirm.action' };
    this.#submit.textContent = message(submits[method] ?? 'signIn.passwordSubmit');
    this.#send.hidden = !['mail_code', 'text_code'].includes(method);
    this.#send.textContent = message('steps.send');
    this.#ways.replaceChildren(...this.#known().filter((other) => other !== step).map((other) => this.#way(other)));
  }

  /** A button that leads to another method. */
  #way(step) {
    const item = document.createElement('li');
    const button = document.createElement('button');
    button.type = 'button';
    button.className = 'button quiet small';
    button.dataset.testid = `step-way-${step.method}`;
    button.textContent = step.method === 'password'
      ? message('signIn.usePassword') : message(methods[step.method].way, { to: step.to ?? '' });
    button.addEventListener('click', () => {
      notices.clear();
      this.#choose(step);
      this.focus();
    });
    item.append(button);
    return item;
  }

  async #run(work) {
    if (this.#isBusy || !this.#flow) {
      return;
    }
    this.#isBusy = true;
    element('step-form').setAttribute('aria-busy', 'true');
    notices.say('working');
    try {
      await work();
    } catch (error) {
      const sentence = error.code === 'too_many_attempts' ? 'too_many_codes' : undefined;
      if (error.code === 'flow_not_valid') {
        this.#over();
      }
      notices.explain(error, { field: faults.includes(error.code) ? this.#input : undefined, sentence });
    } finally {
      this.#isBusy = false;
      element('step-form').removeAttribute('aria-busy');
    }
  }

  async #answer() {
    const { flow } = this.#flow;
    if (this.#method === 'passkey') {
      notices.say('waiting');
      // The passkey alone is a sign-in, and it must check the person: a passkey that did not may have begun this one.
      const { signal } = new AbortController();
      this.#follow(await signIn({ userVerification: 'required', signal }));
      return;
    }
    if (this.#method === 'new_passkey') {
      notices.say('waiting');
      await register({ flow });
      this.#done();
      return;
    }
    const typed = this.#input.value.trim();
    if (typed === '') {
      throw new PasskeyError(this.#method === 'password' ? 'password_missing' : 'code_missing');
    }
    this.#follow(await this.#tell(flow, typed));
  }

  #follow(answer) {
    if (answer.flow) {
      notices.clear();
      this.begin(answer);
      this.focus();
    } else {
      this.#done();
    }
  }

  async #tell(flow, typed) {
    if (this.#method !== 'password') {
      return call('POST', '/sign-in/code', { flow, method: this.#method, code: typed });
    }
    try {
      return await call('POST', '/sign-in/password', { flow, password: typed });
    } catch (error) {
      throw error.code === 'sign_in_failed' ? new ServiceError('wrong_password', error.status) : error;
    }
  }

  async #sendCode() {
    try {
      await call('POST', '/sign-in/send-code', { flow: this.#flow.flow, method: this.#method });
    } catch (error) {
      throw error.code === 'too_many_requests' ? new ServiceError('too_many_sent', error.status) : error;
    }
    const { to = '' } = this.#known().find(({ method }) => method === this.#method);
    this.#lead.textContent = message('steps.leadSent', { to });
    this.#send.textContent = message('steps.again');
    notices.say('codeSent');
    this.#input.focus();
  }
}
