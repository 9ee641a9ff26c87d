/** The one dialog of the account page: asks, and may do the work itself while it stays open. */

import { Notices } from './notices.js';

const dialog = document.getElementById('dialog');
const title = document.getElementById('dialog-title');
const text = document.getElementById('dialog-text');
const hint = document.getElementById('dialog-hint');
const confirm = document.getElementById('dialog-confirm');
const cancel = document.getElementById('dialog-cancel');
const passwordField = document.getElementById('dialog-password-field');
const password = document.getElementById('dialog-password');
const typedField = document.getElementById('dialog-text-field');
const typedLabel = document.getElementById('dialog-typed-label');
const typed = document.getElementById('dialog-typed');
const ways = document.getElementById('dialog-ways');
const notices = new Notices(document.getElementById('dialog-status'), document.getElementById('dialog-error'));

/** The field that a failure is about. */
function faultyField(code) {
  if (['name_not_typed', 'code_missing', 'code_wrong'].includes(code)) {
    return typed;
  }
  return ['password_missing', 'wrong_password'].includes(code) ? password : undefined;
}

/**
 * Opens the dialog with one question.
 *
 * @param question.kind Names the question, for style and tests.
 * @param question.hint A second, quieter sentence, or nothing.
 * @param question.action What the confirming button says.
 * @param question.isDangerous Whether the focus begins on Cancel.
 * @param question.asksPassword Whether there is a field for a password.
 * @param question.asksText The label of a field for a text, or nothing for no field.
 * @param question.isCode Whether that text is a code that works once.
 * @param question.keyboard The `inputmode` of that field: `text` or `numeric`.
 * @param question.sentences Sentences of the section `error` for codes whose usual sentence does not fit.
 * @param question.ways Buttons for something else, each `{ name, text, work }`. One without `work` ends the dialog. One with it does
 *   the work while the dialog stays open, and the work returns `{ button, text, said }`: the new texts, and the status to say.
 * @param question.work What confirming does; takes a signal, the password and the text. The dialog explains a failure, and another try is open.
 * @returns {Promise<boolean | string>} whether it was confirmed and the work is done, or the name of the way that was chosen. Throws
 *   `flow_not_valid` of a work: no other try can succeed.
 */
export function ask(question) {
  const { kind, action, isDangerous = false, asksPassword = false, asksText = '', isCode = false, work } = question;
  dialog.dataset.kind = kind;
  title.textContent = question.title;
  text.textContent = question.text;
  hint.textContent = question.hint ?? '';
  hint.hidden = !question.hint;
  confirm.textContent = action;
  passwordField.hidden = !asksPassword;
  typedField.hidden = !asksText;
  typedLabel.textContent = asksText;
  typed.autocomplete = isCode ? 'one-time-code' : 'off';
  typed.inputMode = question.keyboard ?? 'text';
  confirm.classList.toggle('danger', isDangerous);
  notices.clear();

  return new Promise((resolve, reject) => {
    const listeners = new AbortController();
    const { signal } = listeners;
    let attempt = null;
    let outcome = false;
    let end = null;

    /** Does one work at a time and explains its failure; whether it succeeded and the dialog is still there. */
    async function tryTo(status, doIt) {
      if (attempt) {
        return false;
      }
      const mine = new AbortController();
      attempt = mine;
      try {
        notices.say(status);
        await doIt(mine.signal);
        return !mine.signal.aborted;
      } catch (error) {
        if (!mine.signal.aborted) {
          explain(error);
        }
        return false;
      } finally {
        attempt = null;
      }
    }

    function explain(error) {
      if (error.code === 'flow_not_valid') {
        end = error;
        dialog.close();
      } else {
        // Only the password is asked for here, not the name.
        const sentence = { wrong_password: 'password_wrong', ...question.sentences }[error.code];
        notices.explain(error, { field: faultyField(error.code), sentence });
      }
    }

    async function take(way, button) {
      if (!way.work) {
        outcome = way.name;
        dialog.close();
        return;
      }
      let told;
      if (await tryTo('working', async () => (told = await way.work()))) {
        button.textContent = told.button;
        text.textContent = told.text;
        notices.say(told.said);
        (asksText ? typed : confirm).focus();
      }
    }

    confirm.addEventListener('click', async () => {
      const status = asksText || password.value !== '' ? 'working' : 'waiting';
      if (!work || await tryTo(status, (mine) => work(mine, password.value, typed.value))) {
        outcome = true;
        dialog.close();
      }
    }, { signal });

    ways.replaceChildren(...(question.ways ?? []).map((way) => wayItem(way, take)));

    // Password managers know a form; Enter does what the button does.
    passwordField.addEventListener('submit', (event) => event.preventDefault(), { signal });
    for (const field of [password, typed]) {
      field.addEventListener('keydown', (event) => {
        if (event.key === 'Enter' && !event.isComposing) {
          confirm.click();
        }
      }, { signal });
    }

    cancel.addEventListener('click', () => dialog.close(), { signal });

    dialog.addEventListener('close', () => {
      listeners.abort();
      attempt?.abort();
      password.value = '';
      typed.value = '';
      ways.replaceChildren();
      if (end) {
        reject(end);
      } else {
        resolve(outcome);
      }
    }, { signal });

    dialog.showModal();
    (asksText ? typed : asksPassword ? password : isDangerous ? cancel : confirm).focus();
  });
}

/** A button that leads to something else than the answer to the question. */
function wayItem(way, take) {
  const item = document.createElement('li');
  const button = document.createElement('button');
  button.type = 'button';
  button.className = 'button quiet small';
  button.dataset.testid = `dialog-way-${way.name}`;
  button.textContent = way.text;
  button.addEventListener('click', () => take(way, button));
  item.append(button);
  return item;
}
