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
const notices = new Notices(document.getElementById('dialog-status'), document.getElementById('dialog-error'));

/**
 * Opens the dialog with one question.
 *
 * @param question.kind Names the question, for style and tests.
 * @param question.hint A second, quieter sentence, or nothing.
 * @param question.action What the confirming button says.
 * @param question.isDangerous Whether the focus begins on Cancel.
 * @param question.asksPassword Whether there is a field for a password.
 * @param question.work What confirming does; takes a signal and the password. The dialog explains a failure, and another try is open.
 * @returns {Promise<boolean>} whether it was confirmed and the work is done.
 */
export function ask(question) {
  const { kind, action, isDangerous = false, asksPassword = false, work } = question;
  dialog.dataset.kind = kind;
  title.textContent = question.title;
  text.textContent = question.text;
  hint.textContent = question.hint ?? '';
  hint.hidden = !question.hint;
  confirm.textContent = action;
  passwordField.hidden = !asksPassword;
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
          notices.say(asksPassword && password.value !== '' ? 'working' : 'waiting');
          await work(mine.signal, password.value);
        }
        isDone = true;
        dialog.close();
      } catch (error) {
        attempt = null;
        if (!mine.signal.aborted) {
          notices.explain(error);
        }
      }
    }, { signal });

    password.addEventListener('keydown', (event) => {
      if (event.key === 'Enter' && !event.isComposing) {
        confirm.click();
      }
    }, { signal });

    cancel.addEventListener('click', () => dialog.close(), { signal });

    dialog.addEventListener('close', () => {
      listeners.abort();
      attempt?.abort();
      password.value = '';
      resolve(isDone);
    }, { signal });

    dialog.showModal();
    (asksPassword ? password : isDangerous ? cancel : confirm).focus();
  });
}
