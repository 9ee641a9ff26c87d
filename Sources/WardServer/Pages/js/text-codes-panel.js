/** Codes in text messages on the account page: giving a telephone number, confirming it, and turning the codes off. */

import { call } from './api.js';
import { ask } from './dialog.js';
import { message } from './messages.js';
import { notices } from './notices.js';
import { PasskeyError } from './passkeys.js';

const element = (id) => document.getElementById(id);

export class TextCodesPanel {
  #perform;
  #withRecentSignIn;
  #reload;
  #forms = { number: element('text-number-form'), code: element('text-code-form') };
  #number = element('text-number');
  #code = element('text-code');

  /**
   * @param how.perform Runs one action at a time and explains its failure.
   * @param how.withRecentSignIn Repeats an action after a sign-in, if it needs one.
   * @param how.reload Loads the account again.
   */
  constructor({ perform, withRecentSignIn, reload }) {
    this.#perform = perform;
    this.#withRecentSignIn = withRecentSignIn;
    this.#reload = reload;
    element('text-edit').addEventListener('click', () => {
      this.#open('number');
      this.#number.focus();
    });
    element('text-remove').addEventListener('click', () => this.#remove());
    for (const [name, work] of [['number', () => this.#save()], ['code', () => this.#confirm()]]) {
      element(`text-${name}-cancel`).addEventListener('click', () => this.#close());
      this.#forms[name].addEventListener('submit', (event) => {
        event.preventDefault();
        work();
      });
    }
  }

  /** Shows how things stand. */
  show({ factors: { textCodes } }) {
    element('text-state').textContent = textCodes ? message('factors.textOn', { to: textCodes.to }) : message('factors.textOff');
    element('text-edit').textContent = message(textCodes ? 'factors.changeText' : 'factors.turnOnText');
    element('text-remove').hidden = !textCodes;
  }

  #save() {
    return this.#perform(async () => {
      const number = this.#number.value.trim();
      if (number === '') {
        throw new PasskeyError('number_missing');
      }
      await this.#withRecentSignIn(() => call('PUT', '/account/text-codes', { number }));
      element('text-code-lead').textContent = message('steps.leadSent', { to: number });
      this.#open('code');
      notices.say('codeSent');
      this.#code.focus();
    }, (code) => (code?.startsWith('number_') ? this.#number : undefined));
  }

  #confirm() {
    return this.#perform(async () => {
      const code = this.#code.value.trim();
      if (code === '') {
        throw new PasskeyError('code_missing');
      }
      try {
        await this.#withRecentSignIn(() => call('POST', '/account/text-codes/confirm', { code }));
      } catch (error) {
        // The usual sentence is about the clock of an app.
        throw error.code === 'typed_code_wrong' ? new PasskeyError('code_wrong') : error;
      }
      this.#close();
      await this.#reload();
      notices.say('textCodesOn');
    }, (code) => (['code_missing', 'code_wrong'].includes(code) ? this.#code : undefined));
  }

  #remove() {
    return this.#perform(async () => {
      const isConfirmed = await ask({
        kind: 'remove-text', title: message('factors.textTitle'), text: message('factors.textText'), action: message('password.removeConfirm'), isDangerous: true,
      });
      if (isConfirmed) {
        await this.#withRecentSignIn(() => call('DELETE', '/account/text-codes'));
        await this.#reload();
        notices.say('textCodesOff');
        element('factors-heading').focus();
      }
    });
  }

  #open(name) {
    element('text-actions').hidden = true;
    for (const [other, form] of Object.entries(this.#forms)) {
      form.hidden = other !== name;
    }
  }

  #close() {
    for (const form of Object.values(this.#forms)) {
      form.hidden = true;
      form.reset();
    }
    element('text-actions').hidden = false;
    element('factors-heading').focus();
  }
}
