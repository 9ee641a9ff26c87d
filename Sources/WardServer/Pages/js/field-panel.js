/** A part of the account page with one field, which a button opens: the password, and the e-mail address. */

import { notices } from './notices.js';

const element = (id) => document.getElementById(id);

export class FieldPanel {
  #name;
  #form;
  #input;
  #actions;

  /**
   * @param name Begins the IDs of the elements, as in `password-form`, and the codes of failures that are about the field.
   * @param actions.save Saves what was typed; resolves to whether it is saved.
   * @param actions.remove Removes it.
   */
  constructor(name, { save, remove }) {
    this.#name = name;
    this.#form = element(`${name}-form`);
    this.#input = element(`new-${name}`);
    this.#actions = element(`${name}-actions`);
    this.edit = element(`${name}-edit`);
    this.remove = element(`${name}-remove`);
    this.edit.addEventListener('click', () => this.#open());
    this.remove.addEventListener('click', remove);
    element(`${name}-cancel`).addEventListener('click', () => this.#leave());
    this.#form.addEventListener('keydown', (event) => {
      if (event.key === 'Escape' && !event.isComposing) {
        this.#leave();
      }
    });
    this.#form.addEventListener('submit', async (event) => {
      event.preventDefault();
      if (await save(this.#input.value)) {
        this.#close();
      }
    });
  }

  /** The field that a failure is about. */
  faultyField(code) {
    return code?.startsWith(`${this.#name}_`) ? this.#input : undefined;
  }

  /** Shows how things stand: a sentence, and what the button says. */
  showState(state, edit) {
    element(`${this.#name}-state`).textContent = state;
    this.edit.textContent = edit;
    this.#actions.hidden = !this.#form.hidden;
  }

  #open() {
    this.#form.hidden = false;
    this.#actions.hidden = true;
    this.#input.focus();
  }

  /** Closes the form, and an error in it. */
  #leave() {
    notices.clear();
    this.#close();
  }

  #close() {
    this.#form.hidden = true;
    this.#form.reset();
    this.#actions.hidden = false;
    this.edit.focus();
  }
}
