/** The step of the sign-in page after the first proof: a code, the password, or a new passkey. */

import { call, ServiceError } from './api.js';
import { register, signIn } from './ceremonies.js';
import { forgetFlow, keepFlow, keptFlow } from './kept-flow.js';
import { message } from './messages.js';
import { notices } from './notices.js';
import { PasskeyError } from './passkeys.js';
import { firstStep, isOnlySent, isSent, keyboard, knownSteps, sentenceFor, stepTexts, takesPasskey, takesPassword, wayText } from './step-methods.js';

const element = (id) => document.getElementById(id);

/** The codes of failures that are about the field. */
const faults = ['code_missing', 'code_wrong', 'wrong_password', 'password_missing', 'too_many_attempts'];

export class Steps {
  #form = element('step-form');
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
  /** The answer of the service that names the steps, and how far this page is with them; `null` where no sign-in has begun. */
  #progress = null;
  #isBusy = false;

  /**
   * @param actions.done Runs when the sign-in is complete; takes whether a passkey completed it.
   * @param actions.over Runs when the sign-in has ended and must begin again.
   */
  constructor({ done, over }) {
    this.#done = done;
    this.#over = over;
    this.#form.addEventListener('submit', (event) => {
      event.preventDefault();
      this.#run(() => this.#answer());
    });
    this.#send.addEventListener('click', () => this.#run(() => this.#sendCode()));
  }

  /** Whether a sign-in has begun that is not complete. */
  get isOpen() {
    return this.#progress !== null;
  }

  /** Shows the first step of an answer that names some. */
  begin(answer) {
    this.#progress = { ...answer, method: null, isTried: false, sentBy: null };
    this.#choose(firstStep(knownSteps(answer)));
  }

  /** Goes on where the page was before it was loaded again; whether there is something to go on with. */
  resume() {
    const kept = keptFlow();
    const steps = kept ? knownSteps(kept) : [];
    if (steps.length === 0) {
      return false;
    }
    this.#progress = kept;
    this.#choose(steps.find(({ method }) => method === kept.method) ?? firstStep(steps));
    return true;
  }

  /** Asks for the code by itself where no other step is possible: once, also if the page is loaded again. */
  async sendOnlyCode() {
    if (this.isOpen && !this.#progress.isTried && isOnlySent(knownSteps(this.#progress))) {
      await this.#run(() => this.#sendCode());
    }
  }

  /** Forgets the sign-in. */
  end() {
    this.#progress = null;
    this.#input.value = '';
    forgetFlow();
  }

  /** To what comes next: the button that sends the code, the field, or the button where nothing is typed. */
  focus() {
    const sendsFirst = !this.#send.hidden && this.#progress.sentBy !== this.#progress.method && !isOnlySent(knownSteps(this.#progress));
    (sendsFirst ? this.#send : this.#field.hidden ? this.#submit : this.#input).focus();
  }

  get #step() {
    return knownSteps(this.#progress).find(({ method }) => method === this.#progress.method);
  }

  #choose(step) {
    this.#keep({ method: step.method });
    const { label, hint, action } = stepTexts(step);
    const isPassword = takesPassword(step);
    this.#field.hidden = takesPasskey(step);
    this.#label.textContent = label;
    this.#hint.textContent = hint;
    this.#input.value = '';
    this.#input.type = isPassword ? 'password' : 'text';
    this.#input.autocomplete = isPassword ? 'current-password' : 'one-time-code';
    this.#input.inputMode = keyboard(step);
    this.#submit.textContent = action || message('signIn.passwordSubmit');
    const others = knownSteps(this.#progress).filter(({ method }) => method !== step.method);
    this.#ways.replaceChildren(...others.map((other) => this.#way(other)));
    this.#showSending();
  }

  /** Says whether a code is on its way. */
  #showSending() {
    const { method, sentBy } = this.#progress;
    const [needsSending, wasSent] = [isSent(this.#step), sentBy === method];
    this.#lead.textContent = stepTexts(this.#step, wasSent).lead;
    this.#send.hidden = !needsSending;
    this.#send.textContent = message(wasSent ? 'steps.again' : 'steps.send');
    // Before there is a code to type, the button that sends it is the one that stands out.
    this.#send.classList.toggle('primary', !wasSent);
    this.#submit.classList.toggle('primary', !needsSending || wasSent);
  }

  #keep(progress) {
    Object.assign(this.#progress, progress);
    keepFlow(this.#progress);
  }

  /** A button that leads to another method. */
  #way(step) {
    const item = document.createElement('li');
    const button = document.createElement('button');
    button.type = 'button';
    button.className = 'button quiet small';
    button.dataset.testid = `step-way-${step.method}`;
    button.textContent = wayText(step);
    button.addEventListener('click', () => {
      notices.clear();
      this.#choose(step);
      this.focus();
    });
    item.append(button);
    return item;
  }

  async #run(work) {
    if (this.#isBusy || !this.isOpen) {
      return;
    }
    this.#isBusy = true;
    this.#form.setAttribute('aria-busy', 'true');
    notices.say('working');
    try {
      await work();
    } catch (error) {
      const sentence = error.code === 'too_many_attempts' ? 'too_many_codes' : sentenceFor(error.code, this.#progress?.method);
      if (error.code === 'flow_not_valid') {
        this.#over();
      }
      notices.explain(error, { field: faults.includes(error.code) ? this.#input : undefined, sentence });
    } finally {
      this.#isBusy = false;
      this.#form.removeAttribute('aria-busy');
    }
    await this.sendOnlyCode();
  }

  async #answer() {
    const { flow, method } = this.#progress;
    if (method === 'passkey') {
      notices.say('waiting');
      // The passkey alone is a sign-in, and it must check the person: a passkey that did not may have begun this one.
      const { signal } = new AbortController();
      this.#follow(await signIn({ userVerification: 'required', signal }), true);
      return;
    }
    if (method === 'new_passkey') {
      notices.say('waiting');
      this.#follow(await register({ flow }), true);
      return;
    }
    const typed = this.#input.value.trim();
    if (typed === '') {
      throw new PasskeyError(method === 'password' ? 'password_missing' : 'code_missing');
    }
    this.#follow(await this.#tell(flow, method, typed));
  }

  #follow(answer, isByPasskey = false) {
    if (!this.isOpen) {
      // The person left the step while the answer was on its way: a session may have begun, and another step has not.
      if (!answer.flow) {
        this.#done(isByPasskey);
      }
    } else if (answer.flow) {
      notices.clear();
      this.begin(answer);
      this.focus();
    } else {
      forgetFlow();
      this.#done(isByPasskey);
    }
  }

  async #tell(flow, method, typed) {
    if (method !== 'password') {
      return call('POST', '/sign-in/code', { flow, method, code: typed });
    }
    try {
      return await call('POST', '/sign-in/password', { flow, password: typed });
    } catch (error) {
      throw error.code === 'sign_in_failed' ? new ServiceError('wrong_password', error.status) : error;
    }
  }

  async #sendCode() {
    const { flow, method } = this.#progress;
    this.#keep({ isTried: true });
    try {
      await call('POST', '/sign-in/send-code', { flow, method });
    } catch (error) {
      throw error.code === 'too_many_requests' ? new ServiceError('too_many_sent', error.status) : error;
    }
    if (this.#progress?.flow !== flow) {
      return;
    }
    this.#keep({ sentBy: method });
    this.#showSending();
    notices.say('codeSent');
    this.#input.focus();
  }
}
