/** Opens the menu when a person comes to a field: passkeys that the page waits for, then passwords. */
(() => {
  'use strict';
  const { field, takesPasskey, takesCode, takesPassword, takesSuggestion, passwordsIn, nameField, isSeen, write, written, fill, fillNew } =
    wardContent.fields;
  const { Menu, text } = wardContent;

  /** Requests that wait for a choice, the latest last. @type {Map<number, {open: (onMessage: (message: any) => void) => any}>} */
  const waiting = new Map();
  /** @type {any} */
  let shown = null;

  wardContent.autofill = {
    arm(call, request) {
      waiting.set(call, request);
      const input = field(document.activeElement);
      if (input && takesPasskey(input) && navigator.userActivation?.hasBeenActive) {
        if (shown?.input === input) {
          // The person was here before the page's request: the menu opens once more, with its passkeys.
          shown.close();
        }
        visit(input);
      }
    },
    disarm(call) {
      waiting.delete(call);
      if (shown?.call === call) {
        shown.close();
      }
    },
  };

  for (const name of ['focusin', 'click']) {
    document.addEventListener(name, (event) => {
      const input = field(event.composedPath()[0]);
      if (event.isTrusted && input) {
        visit(input);
      }
    }, true);
  }

  document.addEventListener('input', (event) => {
    // Somebody who types a password wants to see the rest of the form.
    if (event.isTrusted && shown?.input === event.composedPath()[0] && shown.input.type === 'password') {
      shown.close();
    }
    if (event.isTrusted && written.delete(event.composedPath()[0])) {
      // The person signs in with something else than Ward gave.
      chrome.runtime.sendMessage({ type: 'changed' }).catch(() => {});
    }
  }, true);

  /**
   * @param {HTMLInputElement} input
   * @param {'' | 'user' | 'password' | 'code'} asked What alone the person wants in this field.
   */
  function visit(input, asked = '') {
    if (shown?.input === input && !asked) {
      return;
    }
    shown?.close();
    const [call, request] = !asked && takesPasskey(input) && [...waiting].at(-1) || [];
    const wantsPassword = asked ? asked !== 'code' : takesPassword(input);
    const wantsCode = asked ? asked === 'code' : takesCode(input);
    const wantsSuggestion = !asked && takesSuggestion(input);
    if (!request && !wantsPassword && !wantsCode && !wantsSuggestion) {
      return;
    }
    const visit = { input, call, close: () => {} };
    shown = visit;
    let passkeys = { isLocked: false, accounts: [], isThere: Boolean(request) };
    let entries = { isLocked: false, entries: [] };
    let menu = null;
    let session = null;

    visit.close = () => {
      if (shown === visit) {
        shown = null;
      }
      const open = menu;
      menu = null;
      open?.close();
      session?.close();
      session = null;
    };

    const render = () => {
      if (shown !== visit || document.activeElement !== input && !menu) {
        return;
      }
      const open = menu;
      menu = null;
      open?.close();
      const rows = rowsFor(passkeys, entries, { wantsPassword, wantsCode, wantsSuggestion });
      if (rows.length > 0) {
        const own = new Menu(input, rows, { onChoose: choose, onClose: () => menu === own && visit.close() });
        menu = own;
      }
    };

    const choose = async (row) => {
      switch (row.kind) {
        case 'passkey':
          session?.say({ type: 'pick', id: row.id });
          break;
        case 'other':
          session?.say({ type: 'other' });
          break;
        case 'unlock':
          await chrome.runtime.sendMessage({ type: 'unlock' });
          return load();
        case 'suggest':
          visit.close();
          return suggest(input);
        default: {
          // Nothing is given out for a field that nobody sees.
          visit.close();
          if (isSeen(input)) {
            put(input, await chrome.runtime.sendMessage({ type: 'fill', entry: row.id, ancestors: wardContent.ancestors }), asked);
          }
        }
      }
      if (row.kind === 'passkey' || row.kind === 'other') {
        // The choice is under way: its session ends with its call.
        session = null;
        visit.close();
      }
    };

    const load = async () => {
      const answer = await chrome.runtime.sendMessage({ type: 'entries', ancestors: wardContent.ancestors }).catch(() => null);
      if (answer?.menuIsOff && !asked || shown !== visit) {
        return visit.close();
      }
      entries = { isLocked: false, entries: [], ...answer };
      const [only, ...others] = chosen(entries.entries, { wantsPassword, wantsCode });
      if (asked && only && others.length === 0 && !entries.isLocked) {
        // The person chose it in the browser's own menu.
        return choose({ kind: only.kind, id: only.id });
      }
      if (request && !session) {
        session = request.open((message) => {
          if (message.command === 'lost') {
            visit.close();
          } else {
            passkeys = { ...message, isThere: true };
            render();
          }
        });
      } else {
        session?.say({ type: 'list' });
      }
      if (wantsPassword || wantsCode || wantsSuggestion) {
        render();
      }
      if (!menu && !request) {
        // There was nothing to show. There may be the next time.
        visit.close();
      }
    };
    load();
  }

  /** Writes what Ward gave out; all of it into a form, or only what the person asked for. */
  function put(input, given, asked) {
    if (!given || given.error || !isSeen(input)) {
      return false;
    }
    if (!asked) {
      return fill(input, given);
    }
    const value = given[asked];
    if (value !== undefined) {
      write(input, value);
    }
    return value !== undefined;
  }

  /** Makes a password by the field's rules. @param {HTMLInputElement} input */
  async function suggest(input) {
    if (!isSeen(input)) {
      return;
    }
    const root = input.form ?? /** @type {any} */ (input.getRootNode());
    const { fresh } = passwordsIn(root);
    const fields = fresh.includes(input) ? fresh : [input];
    const least = Math.max(...fields.map((each) => each.minLength));
    const most = Math.min(...fields.map((each) => each.maxLength < 0 ? Infinity : each.maxLength));
    const rules = (fields.map((each) => each.getAttribute('passwordrules')).find(Boolean) ?? '').slice(0, 4096);
    const given = await chrome.runtime.sendMessage({
      type: 'suggest', user: (nameField(root, input)?.value ?? '').slice(0, 256), rules,
      ...(least > 0 ? { minimumLength: least } : {}), ...(Number.isFinite(most) ? { maximumLength: most } : {}),
    });
    if (given?.password && isSeen(input)) {
      fillNew(input, given.password).forEach((target) => wardContent.generated?.(target, given.password));
    }
  }

  /** The field at which the person opened the browser's menu. @type {WeakRef<any> | null} */
  let pointed = null;
  document.addEventListener('contextmenu', (event) => {
    if (event.isTrusted) {
      pointed = new WeakRef(event.composedPath()[0]);
    }
  }, true);

  /** Any field into which a person can type. @param {any} target */
  function anyField(target) {
    const isOther = target instanceof HTMLTextAreaElement || target instanceof HTMLInputElement && target.type === 'number';
    return isOther && !target.disabled && !target.readOnly ? /** @type {any} */ (target) : field(target);
  }

  /** The field that has the focus, also in a shadow tree. */
  function focused() {
    let active = document.activeElement;
    while (active?.shadowRoot?.activeElement) {
      active = active.shadowRoot.activeElement;
    }
    return anyField(active);
  }

  /** Where an entry goes that the person clicked in the popup. @param {string} kind */
  function target(kind) {
    const inputs = [...document.querySelectorAll('input')].filter((input) => field(input) && isSeen(input));
    const takes = kind === 'oneTimeCode' ? takesCode : takesPassword;
    const here = focused();
    return here && isSeen(here) ? here : inputs.find(takes) ?? null;
  }

  // Only the extension's own pages and worker can send this.
  chrome.runtime.onMessage.addListener((message, sender, answer) => {
    if (sender.id !== chrome.runtime.id || sender.tab) {
      return false;
    }
    switch (message?.type) {
      case 'context': {
        const input = anyField(pointed?.deref()) ?? focused();
        if (input && message.kind === 'suggest') {
          if (input instanceof HTMLInputElement) {
            suggest(input);
          }
        } else if (input) {
          visit(input, message.kind);
        }
        answer({});
        return false;
      }
      case 'target':
        answer({ isThere: target(message.kind) !== null });
        return false;
      case 'put': {
        const input = target(message.kind);
        const asked = input && message.kind === 'password' && !takesPassword(input) ? 'password' : '';
        answer({ isDone: input !== null && put(input, message.given, asked) });
        return false;
      }
      case 'look': {
        const { all, fresh } = passwordsIn(document);
        answer({ passwords: all.length, fresh: fresh.length, isSender: wardContent.isSender?.() === true });
        return false;
      }
    }
    return false;
  });

  const kindsFor = ({ wantsPassword, wantsCode }) => [...(wantsPassword ? ['password'] : []), ...(wantsCode ? ['oneTimeCode'] : [])];
  const chosen = (entries, wants) => entries.filter(({ kind }) => kindsFor(wants).includes(kind));

  /** Passkeys first, then passwords, then what else can be done. */
  function rowsFor(passkeys, { isLocked, entries }, wants) {
    const detail = (name, provider) => [name, provider].filter(Boolean).join(' · ');
    const isAnyLocked = passkeys.isLocked || isLocked;
    return [
      ...passkeys.accounts.map(({ id, user, displayName, provider }) =>
        ({ id, kind: 'passkey', title: user || displayName || text('noName'), detail: detail(text('passkey'), provider) })),
      ...chosen(entries, wants).map(({ id, kind, user, title, provider, isDraft }) => ({
        id,
        kind: kind === 'password' ? 'password' : 'code',
        title: user || title || text('noName'),
        detail: detail(text(kind === 'password' ? isDraft ? 'draft' : 'password' : 'oneTimeCode'), provider),
      })),
      ...(wants.wantsSuggestion ? [{ id: '', kind: 'suggest', title: text('suggestPassword') }] : []),
      ...(isAnyLocked ? [{ id: '', kind: 'unlock', title: text('unlockWard') }] : []),
      ...(passkeys.isThere ? [{ id: '', kind: 'other', title: text('otherDevice') }] : []),
    ];
  }
})();
