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
 * @param question.work What confirming does; takes a signal, the password and the text. The dialog explains a failure, and another try is open.
 * @returns {Promise<boolean>} whether it was confirmed and the work is done.
 */
export function ask(question) {
  const { kind, action, isDangerous = false, asksPassword = false, asksText = '', work } = question;
  dialog.dataset.kind = kind;
  title.textContent = question.title;
  text.textContent = question.text;
  hint.textContent = question.hint ?? '';
  hint.hidden = !question.hint;
  confirm.textContent = action;
  passwordField.hidden = !asksPassword;
  typedField.hidden = !asksText;
  typedLabel.textContent = asksText;
  confirm.classList.toggle('danger', isDangerous);
  notices.clear();

  return new Promise((resolve) => {
    const listeners = new AbortController();
    const { signal } = listeners;
    let attempt = null;
    let isDone = false;

    confirm.addEventListener('click', async () => {
      if (attempt) {
        return;
      }
      attempt = new AbortController();
      const mine = attempt;
      try {
        if (work) {
          notices.say(asksText || password.value !== '' ? 'working' : 'waiting');
          await work(mine.signal, password.value, typed.value);
        }
        isDone = true;
        dialog.close();
      } catch (error) {
        attempt = null;
        if (!mine.signal.aborted) {
          // Only the password is asked for here, not the name.
          const sentence = error.code === 'wrong_password' ? 'password_wrong' : undefined;
          notices.explain(error, { field: faultyField(error.code), sentence });
        }
      }
    }, { signal });

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
      resolve(isDone);
    }, { signal });

    dialog.showModal();
    (asksText ? typed : asksPassword ? password : isDangerous ? cancel : confirm).focus();
  });
}
