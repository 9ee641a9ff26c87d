/** The second step and the recovery codes on the account page. */

import { call } from './api.js';
import { ask } from './dialog.js';
import { dateText, message } from './messages.js';
import { notices } from './notices.js';
import { PasskeyError } from './passkeys.js';

const element = (id) => document.getElementById(id);

/** How long the file of a download can be read, in milliseconds. */
const downloadTime = 60_000;

export class FactorsPanel {
  #account;
  #perform;
  #withRecentSignIn;
  #reload;
  #form = element('app-form');
  #code = element('app-code');
  #codes = element('codes-new');

  /**
   * @param how.perform Runs one action at a time and explains its failure.
   * @param how.withRecentSignIn Repeats an action after a sign-in, if it needs one.
   * @param how.reload Loads the account again.
   */
  constructor({ perform, withRecentSignIn, reload }) {
    this.#perform = perform;
    this.#withRecentSignIn = withRecentSignIn;
    this.#reload = reload;
    element('app-set-up').addEventListener('click', () => this.#setUp());
    element('app-remove').addEventListener('click', () => this.#remove('app'));
    element('app-cancel').addEventListener('click', () => this.#closeForm());
    this.#form.addEventListener('submit', (event) => {
      event.preventDefault();
      this.#confirm();
    });
    element('mail-codes-on').addEventListener('click', () => this.#turnMailOn());
    element('mail-codes-off').addEventListener('click', () => this.#remove('mail'));
    element('codes-make').addEventListener('click', () => this.makeCodes());
    element('codes-remove').addEventListener('click', () => this.#remove('codes'));
    element('codes-copy').addEventListener('click', () => this.#copyCodes());
    element('codes-download').addEventListener('click', () => this.#downloadCodes());
    element('codes-print').addEventListener('click', () => window.print());
    element('codes-done').addEventListener('click', () => this.#hideCodes());
  }

  /** Shows how things stand. */
  show({ account, factors, hasPassword, email }) {
    this.#account = account;
    const { authenticatorApp: app, mailCodes, recoveryCodes: { left, madeAt } } = factors;
    element('factors-lead').textContent = message(hasPassword || factors.federated.length > 0 ? 'factors.lead' : 'factors.leadNoPassword');
    element('app-state').textContent = app ? message('factors.appAdded', { date: dateText(app.addedAt) }) : message('factors.appNone');
    element('app-set-up').textContent = message(app ? 'factors.replaceApp' : 'factors.setUpApp');
    element('app-remove').hidden = !app;
    const mail = element('mail-codes');
    mail.hidden = !email && !mailCodes;
    element('mail-codes-state').textContent = mailCodes
      ? message('factors.mailOn', { email: email?.confirmed ?? '' })
      : message(email?.confirmed ? 'factors.mailOff' : 'factors.mailNeeds');
    element('mail-codes-on').hidden = mailCodes || !email?.confirmed;
    element('mail-codes-off').hidden = !mailCodes;
    element('codes-state').textContent = left > 0
      ? message('codes.left', { count: left, date: dateText(madeAt) }) : message('codes.none');
    element('codes-few').hidden = left === 0 || left > 3;
    element('codes-make').textContent = message(left > 0 ? 'codes.again' : 'codes.make');
    element('codes-remove').hidden = left === 0;
  }

  #setUp() {
    return this.#perform(async () => {
      const { secret, link, qr } = await this.#withRecentSignIn(() => call('POST', '/account/authenticator-app', {}));
      element('app-secret').textContent = secret.match(/.{1,4}/g).join(' ');
      element('app-open').href = link;
      draw(qr);
      this.#form.hidden = false;
      element('app-actions').hidden = true;
      this.#code.focus();
    });
  }

  #confirm() {
    return this.#perform(async () => {
      const code = this.#code.value.trim();
      if (code === '') {
        throw new PasskeyError('code_missing');
      }
      await this.#withRecentSignIn(() => call('PUT', '/account/authenticator-app', { code }));
      this.#closeForm();
      await this.#reload();
      notices.say('appAdded');
    }, (code) => (['code_missing', 'typed_code_wrong'].includes(code) ? this.#code : undefined));
  }

  #closeForm() {
    this.#form.hidden = true;
    element('app-actions').hidden = false;
    this.#form.reset();
    draw(null);
    element('app-secret').textContent = '';
    element('app-open').removeAttribute('href');
    element('factors-heading').focus();
  }

  #turnMailOn() {
    return this.#perform(async () => {
      await this.#withRecentSignIn(() => call('PUT', '/account/mail-codes', {}));
      await this.#reload();
      notices.say('mailCodesOn');
      element('factors-heading').focus();
    });
  }

  /** Removes a part after a question. */
  #remove(part) {
    const [title, text, path, said, heading] = {
      app: ['factors.removeTitle', 'factors.removeText', '/account/authenticator-app', 'appRemoved', 'factors-heading'],
      mail: ['factors.mailTitle', 'factors.mailText', '/account/mail-codes', 'mailCodesOff', 'factors-heading'],
      codes: ['codes.removeTitle', 'codes.removeText', '/account/recovery-codes', 'codesRemoved', 'codes-heading'],
    }[part];
    return this.#perform(async () => {
      const isConfirmed = await ask({
        kind: `remove-${part}`, title: message(title), text: message(text), action: message('password.removeConfirm'), isDangerous: true,
      });
      if (isConfirmed) {
        await this.#withRecentSignIn(() => call('DELETE', path));
        this.#hideCodes();
        await this.#reload();
        notices.say(said);
        element(heading).focus();
      }
    });
  }

  // Recovery codes

  /** Makes codes and shows them; asks first where some would stop to work. */
  makeCodes() {
    return this.#perform(async () => {
      const hasSome = !element('codes-remove').hidden;
      const isConfirmed = !hasSome || await ask({
        kind: 'again-codes', title: message('codes.againTitle'), text: message('codes.againText'), action: message('codes.again'), isDangerous: true,
      });
      if (isConfirmed) {
        const { codes } = await this.#withRecentSignIn(() => call('POST', '/account/recovery-codes', {}));
        element('codes-list').replaceChildren(...codes.map((code) => {
          const item = document.createElement('li');
          const text = document.createElement('bdi');
          text.dataset.testid = 'recovery-code';
          text.textContent = code;
          item.append(text);
          return item;
        }));
        element('codes-head').textContent = this.#head();
        this.#codes.hidden = false;
        await this.#reload();
        notices.say('codesMade');
        element('codes-new-heading').focus();
      }
    });
  }

  /** Whose codes they are, and from when: above the codes on paper and in a file. */
  #head() {
    return message('codes.file', { username: this.#account.username, date: dateText(new Date().toISOString()) });
  }

  #text() {
    const codes = [...element('codes-list').children].map((item) => item.textContent);
    return `${element('codes-head').textContent}\n\n${codes.join('\n')}\n`;
  }

  #copyCodes() {
    return this.#perform(async () => {
      await navigator.clipboard.writeText(this.#text());
      notices.say('copied');
    });
  }

  #downloadCodes() {
    const link = document.createElement('a');
    link.href = URL.createObjectURL(new Blob([this.#text()], { type: 'text/plain' }));
    link.download = `${message('codes.fileName')}.txt`;
    link.click();
    // A browser reads the file after the click, some of them much later: after a question where to save it.
    setTimeout(() => URL.revokeObjectURL(link.href), downloadTime);
  }

  /** The codes leave the page with their list. */
  #hideCodes() {
    this.#codes.hidden = true;
    element('codes-list').replaceChildren();
    element('codes-head').textContent = '';
  }
}

/** Draws a QR code with the margin that readers need. */
function draw(qr) {
  const { size, path } = qr ?? { size: 1, path: '' };
  element('app-qr').setAttribute('viewBox', `-4 -4 ${size + 8} ${size + 8}`);
  element('app-qr-path').setAttribute('d', path);
}
