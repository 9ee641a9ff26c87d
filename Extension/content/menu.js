/**
 * The menu at a field.
 *
 * It is in a closed shadow tree that belongs to the extension's world. No script of the page can read it, and a choice counts
 * only if a person made it in a menu that was visible: a trusted event, after the menu was seen for a moment, with nothing
 * over it and no effect on it.
 */
(() => {
  'use strict';
  /** How long a menu must have been visible before a choice counts. */
  const SEEN_MILLISECONDS = 500;
  const text = (name, ...values) => chrome.i18n.getMessage(name, values);

  const STYLE = `
    :host { color-scheme: light dark; }
    * { box-sizing: border-box; }
    .menu {
      --surface: #ffffff; --ink: #15201b; --soft: #4d5b54; --line: #dbe1dc; --wash: #e7f1ec; --accent: #17614a; --focus: #b35c00;
      background: var(--surface); color: var(--ink); border: 1px solid var(--line); border-radius: 12px; overflow: hidden auto;
      font: 15px/1.4 system-ui, sans-serif; text-align: start; max-height: 320px; user-select: none; padding: 6px; outline: none;
    }
    @media (prefers-color-scheme: dark) {
      .menu {
        --surface: #161e1b; --ink: #e8eeea; --soft: #a6b4ad; --line: #2a3531; --wash: #1b2d27; --accent: #83d6b6; --focus: #ffb85c;
      }
    }
    .row { display: grid; grid-template-columns: 28px 1fr; align-items: center; gap: 2px 10px; min-height: 44px; padding: 6px 10px;
      border-radius: 8px; cursor: pointer; }
    .row:hover, .row[aria-selected=true] { background: var(--wash); }
    .menu:focus-visible .row[aria-selected=true] { outline: 2px solid var(--focus); outline-offset: -2px; }
    .row svg { grid-row: span 2; width: 22px; height: 22px; fill: none; stroke: var(--accent); stroke-width: 1.8; stroke-linecap: round;
      stroke-linejoin: round; }
    .title::before, .detail::before { content: attr(data-text); }
    .title, .detail { overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
    .title:last-child { grid-row: span 2; }
    .detail { color: var(--soft); font-size: 13px; }
    .last { margin-top: 6px; position: relative; }
    .other .title, .unlock .title, .suggest .title { white-space: normal; }
    .last::before { content: ''; position: absolute; inset: -4px 0 auto; border-top: 1px solid var(--line); }
    .note { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
  `;
  const PATHS = {
    passkey: ['M9 3a4 4 0 1 1 0 8 4 4 0 0 1 0-8Z', 'M2 20c0-4 3-6.5 7-6.5 1.6 0 3 .4 4.200 1.100', 'M18 10a3 3 0 0 1 1.500 5.600V21L18 22.500 16.500 21v-5.400A3 3 0 0 1 18 10Z'],
    password: ['M4 11h16v10H4Z', 'M8 11V7a4 4 0 0 1 8 0v4'],
    code: ['M12 3a9 9 0 1 1 0 18 9 9 0 0 1 0-18Z', 'M12 8v4l3 2'],
    unlock: ['M4 11h16v10H4Z', 'M8 11V7a4 4 0 0 1 7.500-2'],
    suggest: ['M12 3v6M12 15v6M3 12h6M15 12h6M6 6l3 3M15 15l3 3M18 6l-3 3M9 15l-3 3'],
    other: ['M8 2h8v20H8Z', 'M11 18.500h2'],
  };

  /**
   * @typedef {{id: string, kind: 'passkey' | 'password' | 'code' | 'unlock' | 'suggest' | 'other', title: string, detail?: string}} Row
   */

  class Menu {
    #field;
    #onChoose;
    #onClose;
    #rows;
    #selected = -1;
    #visibleSince = Infinity;
    #host = document.createElement('div');
    #list = document.createElement('div');
    #ended = new AbortController();
    /** @type {IntersectionObserver | null} */
    #observer = null;
    #tracksVisibility = false;

    /**
     * @param {HTMLInputElement} field
     * @param {Row[]} rows
     * @param {{onChoose: (row: Row) => void, onClose: () => void}} events
     */
    constructor(field, rows, { onChoose, onClose }) {
      this.#field = field;
      this.#rows = rows;
      this.#onChoose = onChoose;
      this.#onClose = onClose;
      this.#build();
      this.#watch();
      this.#place();
    }

    #build() {
      const shadow = this.#host.attachShadow({ mode: 'closed', delegatesFocus: true });
      dress(shadow);
      const note = document.createElement('div');
      note.className = 'note';
      note.setAttribute('role', 'status');
      this.#list.className = 'menu';
      this.#list.tabIndex = -1;
      this.#list.setAttribute('role', 'listbox');
      this.#list.setAttribute('aria-label', text('menuLabel'));
      this.#list.append(...this.#rows.map((row, index) => this.#row(row, index)));
      shadow.append(note, this.#list);
      const style = {
        all: 'initial', position: 'fixed', inset: 'auto', margin: '0', padding: '0', border: '0', background: 'transparent',
        display: 'block', overflow: 'visible', 'z-index': '2147483647',
      };
      Object.entries(style).forEach(([name, value]) => this.#host.style.setProperty(name, value, 'important'));
      this.#host.setAttribute('popover', 'manual');
      document.documentElement.append(this.#host);
      this.#host.showPopover?.();
      note.textContent = text('menuHint');
    }

    #row(row, index) {
      const element = document.createElement('div');
      element.className = `row ${row.kind}${row.kind === 'other' && index > 0 ? ' last' : ''}`;
      element.id = `row-${index}`;
      element.setAttribute('role', 'option');
      element.setAttribute('aria-selected', 'false');
      element.setAttribute('aria-label', [row.title, row.detail].filter(Boolean).join(', '));
      element.append(icon(row.kind), line('title', row.title), ...(row.detail ? [line('detail', row.detail)] : []));
      return element;
    }

    #watch() {
      const { signal } = this.#ended;
      const on = (target, name, listener) => target.addEventListener(name, listener, { capture: true, signal });
      // Focus stays in the field when a row is clicked.
      on(this.#list, 'mousedown', (event) => event.preventDefault());
      on(this.#list, 'click', (event) => {
        const index = [...this.#list.children].findIndex((element) => element.contains(event.target));
        this.#choose(event, index);
      });
      on(this.#list, 'keydown', (event) => this.#key(event));
      on(this.#field, 'keydown', (event) => {
        if (event.isTrusted && event.key === 'ArrowDown' && !event.ctrlKey && !event.altKey) {
          event.preventDefault();
          this.#list.focus();
          this.#select(0);
        } else if (event.key === 'Escape') {
          this.close();
        }
      });
      on(document, 'pointerdown', (event) => {
        const path = event.composedPath();
        if (!path.includes(this.#host) && !path.includes(this.#field)) {
          this.close();
        }
      });
      on(document, 'focusin', (event) => {
        if (event.target !== this.#host && event.target !== this.#field) {
          this.close();
        }
      });
      on(globalThis, 'scroll', () => this.#place());
      on(globalThis, 'resize', () => this.#place());
      on(globalThis, 'pagehide', () => this.close());
      const options = /** @type {any} */ ({ threshold: 1, trackVisibility: true, delay: 100 });
      this.#observer = new IntersectionObserver((entries) => this.#seen(entries.at(-1)), options);
      this.#tracksVisibility = /** @type {any} */ (this.#observer).trackVisibility === true;
      this.#observer.observe(this.#list);
    }

    /** @param {any} entry */
    #seen(entry) {
      const isVisible = this.#tracksVisibility ? entry.isVisible : entry.isIntersecting;
      if (!isVisible) {
        this.#visibleSince = Infinity;
      } else if (this.#visibleSince === Infinity) {
        this.#visibleSince = performance.now();
      }
    }

    #place() {
      const box = this.#field.getBoundingClientRect();
      if (!this.#field.isConnected || box.bottom < 0 || box.top > innerHeight) {
        this.close();
        return;
      }
      const width = Math.max(280, Math.min(box.width, 420));
      const height = this.#list.offsetHeight;
      const isAbove = box.bottom + height + 8 > innerHeight && box.top > height + 8;
      const left = Math.max(4, Math.min(box.left, document.documentElement.clientWidth - width - 4));
      Object.entries({ left, top: isAbove ? box.top - height - 4 : box.bottom + 4, width })
        .forEach(([name, value]) => this.#host.style.setProperty(name, `${value}px`, 'important'));
    }

    /** @param {KeyboardEvent} event */
    #key(event) {
      if (!event.isTrusted) {
        return;
      }
      const count = this.#rows.length;
      const moves = { ArrowDown: this.#selected + 1, ArrowUp: this.#selected - 1, Home: 0, End: count - 1 };
      event.stopPropagation();
      if (event.key in moves) {
        event.preventDefault();
        const next = moves[event.key];
        if (next < 0) {
          this.#select(-1);
          this.#field.focus();
        } else {
          this.#select(Math.min(next, count - 1));
        }
      } else if (event.key === 'Enter' || event.key === ' ') {
        event.preventDefault();
        if (!event.repeat) {
          this.#choose(event, this.#selected);
        }
      } else if (event.key === 'Escape' || event.key === 'Tab') {
        this.#field.focus();
        this.close();
      }
    }

    #select(index) {
      this.#selected = index;
      [...this.#list.children].forEach((element, position) => {
        element.setAttribute('aria-selected', String(position === index));
        if (position === index) {
          this.#list.setAttribute('aria-activedescendant', element.id);
          element.scrollIntoView({ block: 'nearest' });
        }
      });
    }

    /**
     * @param {Event} event
     * @param {number} index
     */
    #choose(event, index) {
      event.stopPropagation();
      const row = this.#rows[index];
      if (row && event.isTrusted && this.#isSafe(this.#list.children[index])) {
        this.#onChoose(row);
      }
    }

    /** Whether a person sees this row now, and has for a moment. */
    #isSafe(row) {
      const wasSeen = performance.now() - this.#visibleSince >= SEEN_MILLISECONDS;
      return wasSeen && this.#host.isConnected && chain(this.#host).every(isPlain) && isOnTop(row, this.#host) && isAlone(this.#host);
    }

    close() {
      if (!this.#ended.signal.aborted) {
        this.#ended.abort();
        this.#observer?.disconnect();
        this.#host.remove();
        this.#onClose();
      }
    }
  }

  /** An element and all that are around it. */
  function chain(element) {
    const found = [];
    for (let next = element; next; next = next.parentElement) {
      found.push(next);
    }
    return found;
  }

  /** Whether no effect hides or moves what the element shows. */
  function isPlain(element) {
    const style = getComputedStyle(element);
    const isUnset = (...names) => names.every((name) => ['none', '', 'auto', '1', 'normal'].includes(style.getPropertyValue(name)));
    return Number(style.opacity) >= 0.99 && style.visibility === 'visible'
      && isUnset('filter', 'transform', 'translate', 'scale', 'rotate', 'clip-path', 'mask-image', 'mix-blend-mode', 'perspective', 'zoom');
  }

  /** Whether a click on any part of the row reaches the menu. */
  function isOnTop(row, host) {
    const box = row.getBoundingClientRect();
    const points = [0.04, 0.5, 0.96].flatMap((x) => [0.15, 0.5, 0.85].map((y) => [box.left + box.width * x, box.top + box.height * y]));
    return box.width >= 150 && box.height >= 30
      && points.every(([x, y]) => x >= 0 && y >= 0 && x < innerWidth && y < innerHeight && document.elementFromPoint(x, y) === host);
  }

  /** Whether nothing else that stands above all pages touches the menu, even if clicks go through it. */
  function isAlone(host) {
    const own = host.getBoundingClientRect();
    let others = [];
    try {
      others = [...document.querySelectorAll(':popover-open, dialog:modal, :fullscreen')].filter((other) => other !== host);
    } catch {
      // A browser that does not know one of them.
    }
    return others.every((other) => {
      const box = other.getBoundingClientRect();
      return box.right <= own.left || box.left >= own.right || box.bottom <= own.top || box.top >= own.bottom;
    });
  }

  function dress(shadow) {
    try {
      const sheet = new CSSStyleSheet();
      sheet.replaceSync(STYLE);
      shadow.adoptedStyleSheets = [sheet];
    } catch {
      const style = document.createElement('style');
      style.textContent = STYLE;
      shadow.append(style);
    }
  }

  function line(name, value) {
    const element = document.createElement('span');
    element.className = name;
    // Drawn by the style sheet: text in the tree could be found by the page's `window.find`.
    element.dataset.text = value;
    return element;
  }

  function icon(kind) {
    const space = 'http://www.w3.org/2000/svg';
    const picture = document.createElementNS(space, 'svg');
    picture.setAttribute('viewBox', '0 0 24 24');
    picture.setAttribute('aria-hidden', 'true');
    picture.append(...PATHS[kind].map((d) => {
      const path = document.createElementNS(space, 'path');
      path.setAttribute('d', d);
      return path;
    }));
    return picture;
  }

  Object.assign(wardContent, { Menu, text });
})();
