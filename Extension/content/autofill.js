/** Opens the menu when a person comes to a field: passkeys that the page waits for, then passwords. */
(() => {
  'use strict';
  const { field, takesPasskey, takesCode, takesPassword, fill } = wardContent.fields;
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

  /** @param {HTMLInputElement} input */
  function visit(input) {
    if (shown?.input === input) {
      return;
    }
    shown?.close();
    const [call, request] = takesPasskey(input) && [...waiting].at(-1) || [];
    const wantsPassword = takesPassword(input);
    const wantsCode = takesCode(input);
    if (!request && !wantsPassword && !wantsCode) {
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
      const rows = rowsFor(passkeys, entries, { wantsPassword, wantsCode });
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
        default: {
          const given = await chrome.runtime.sendMessage({ type: 'fill', entry: row.id });
          if (given && !given.error && input.isConnected) {
            visit.close();
            fill(input, given);
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
      if (wantsPassword || wantsCode) {
        const answer = await chrome.runtime.sendMessage({ type: 'entries' }).catch(() => null);
        entries = { isLocked: false, entries: [], ...answer };
        render();
      }
    };
    load();
  }

  /** Passkeys first, then passwords, then what else can be done. */
  function rowsFor(passkeys, { isLocked, entries }, { wantsPassword, wantsCode }) {
    const kinds = [...(wantsPassword ? ['password'] : []), ...(wantsCode ? ['oneTimeCode'] : [])];
    const detail = (name, provider) => [name, provider].filter(Boolean).join(' · ');
    const isAnyLocked = passkeys.isLocked || isLocked;
    return [
      ...passkeys.accounts.map(({ id, user, displayName, provider }) =>
        ({ id, kind: 'passkey', title: user || displayName || text('noName'), detail: detail(text('passkey'), provider) })),
      ...entries.filter(({ kind }) => kinds.includes(kind)).map(({ id, kind, user, title, provider }) => ({
        id,
        kind: kind === 'password' ? 'password' : 'code',
        title: user || title || text('noName'),
        detail: detail(text(kind === 'password' ? 'password' : 'oneTimeCode'), provider),
      })),
      ...(isAnyLocked ? [{ id: '', kind: 'unlock', title: text('unlockWard') }] : []),
      ...(passkeys.isThere ? [{ id: '', kind: 'other', title: text('otherDevice') }] : []),
    ];
  }
})();
