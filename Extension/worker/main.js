/**
 * The extension's worker. The browser may end it at any time and starts it again for the next event, so everything that
 * matters longer than one request is kept by the browser (registered scripts, settings) or by the agent.
 */

import { Ceremonies } from './ceremonies.js';
import { REFUSED, sentence } from './failures.js';
import { Host, HostError } from './host.js';
import { Limits } from './limits.js';
import { Menus } from './menus.js';
import { Proxy } from './proxy.js';
import { Saving } from './saving.js';
import { covers, describe, hostOf, isCrossOrigin, isPerhapsOneSite, pageOf, within } from './senders.js';
import { State } from './state.js';
import { Windows } from './windows.js';

const host = new Host();
const proxy = new Proxy();
const menus = new Menus();
const state = new State(host, proxy, menus);
const saving = new Saving(host);
const windows = new Windows();
const limits = new Limits();
const ceremonies = new Ceremonies({ host, proxy, state, windows, limits, saving });

proxy.listen({ onRequest: (request) => ceremonies.receive(request), onCancel: (id) => ceremonies.cancel(id) });
chrome.runtime.onInstalled.addListener(() => state.isOn());
chrome.runtime.onStartup.addListener(() => state.isOn());
chrome.alarms.onAlarm.addListener(() => state.refresh());
chrome.tabs.onRemoved.addListener((tab) => {
  limits.forget(tab);
  saving.forget(tab);
});

chrome.runtime.onConnect.addListener((port) => {
  if (isOwnPage(port.sender) && port.name === 'window') {
    windows.connect(port);
  } else if (!isOwnPage(port.sender) && port.name === 'ceremony') {
    ceremonies.connect(port);
  } else {
    port.disconnect();
  }
});

chrome.runtime.onMessage.addListener((message, sender, answer) => {
  const work = isOwnPage(sender) ? popupAsks(message) : scriptAsks(message, sender);
  work.then(answer, (error) => answer({ error: error instanceof HostError ? error.code : 'failed' }));
  return true;
});

// Also for a worker that was ended: its scripts are registered, but the proxy may not be held.
state.isOn();

/** @param {chrome.MessageSender | undefined} sender */
function isOwnPage(sender) {
  return sender?.id === chrome.runtime.id && (sender.url ?? '').startsWith(chrome.runtime.getURL(''));
}

/**
 * What the popup asks.
 *
 * @param {any} message
 */
async function popupAsks(message) {
  switch (message?.type) {
    case 'state':
      return state.refresh();
    case 'pair':
    case 'unlock':
    case 'lock':
      await host.request(`browser.${message.type}`);
      return state.refresh();
    case 'switch':
      return state.switch(message.isOn === true);
    case 'entries': {
      const sender = await shownPage(message);
      return sender ? { host: new URL(sender.url).hostname, ...await host.request('browser.entries', { sender }) } : {};
    }
    case 'offer': {
      const sender = await shownPage(message);
      return { offer: sender ? await saving.offer(sender.tab) : null };
    }
    case 'decide': {
      const sender = await shownPage(message);
      return sender ? saving.decide(sender.tab, message) : {};
    }
    case 'copy': {
      const sender = await shownPage(message);
      return sender ? host.request('browser.fill', { sender, entry: String(message.entry) }) : {};
    }
    case 'hold':
      // Without a display, and with an older ward-browser, the popup copies by itself.
      return host.request('browser.hold', { text: String(message.text) }).catch(() => ({}));
    case 'put':
      return put(await shownPage(message), message);
    case 'settings': {
      const sender = await shownPage(message);
      return host.request('browser.settings', sender ? { sender } : {});
    }
    case 'change':
      return host.request('browser.settings.change', message.settings);
    case 'search':
      return host.request('browser.search', { query: String(message.query) });
    case 'reveal':
      return host.request('browser.reveal', { entry: String(message.entry) });
    case 'upgrades':
      return host.request('browser.upgrades');
    case 'undo':
      return host.request('browser.upgrades.undo', { upgrade: String(message.upgrade) });
    default:
      throw new HostError('failed', 'unknown message');
  }
}

/**
 * The page beside the popup.
 *
 * @param {any} message
 */
async function shownPage({ tab }) {
  const [active] = tab === undefined ? await chrome.tabs.query({ active: true, lastFocusedWindow: true }) : [await chrome.tabs.get(tab)];
  return pageOf(active);
}

/**
 * Writes an entry that the person clicked in the popup into the page's field.
 *
 * @param {import('./senders.js').Sender | null} sender
 * @param {any} message
 */
async function put(sender, { entry, kind }) {
  const say = (words) => chrome.tabs.sendMessage(sender?.tab ?? -1, { kind: String(kind), ...words }, { frameId: 0 }).catch(() => ({}));
  // Nothing is given out for a page without a field that a person sees.
  if (!sender || !(await say({ type: 'target' }))?.isThere) {
    return { isDone: false };
  }
  const given = await host.request('browser.fill', { sender, entry: String(entry) });
  return say({ type: 'put', given });
}

/**
 * What a script in a page asks. The sender is what the browser says of it.
 *
 * @param {any} message
 * @param {chrome.MessageSender} from
 */
async function scriptAsks(message, from) {
  const sender = within(describe(from), message?.ancestors);
  const isOn = sender !== null && await state.isOn();
  if (message?.type === 'state') {
    return { isOn };
  }
  if (message?.type === 'signal') {
    return signal(message, isOn ? sender : null, hostOf(sender?.origin ?? ''));
  }
  if (!sender || !isOn || !limits.admits(sender.tab)) {
    throw new HostError('denied', 'not now');
  }
  switch (message?.type) {
    case 'entries':
      // A frame of another site shows no passwords: the person sees the address of the page.
      return isPerhapsOneSite(sender) ? host.request('browser.entries', { sender }) : { entries: [], isLocked: false };
    case 'fill':
      return isPerhapsOneSite(sender) ? host.request('browser.fill', { sender, entry: String(message.entry) }) : {};
    case 'changed':
      return host.request('browser.changed', { sender });
    case 'unlock':
      await host.request('browser.unlock');
      return {};
    case 'suggest':
      return isCrossOrigin(sender) ? {} : host.request('browser.suggest', {
        sender, rules: String(message.rules), user: String(message.user),
        ...whole('minimumLength', message), ...whole('maximumLength', message),
      });
    case 'name':
    case 'capture':
    case 'look':
      // Nothing of a frame of another site is saved, and it does not decide about the page around it.
      return isCrossOrigin(sender) ? {} : hear(message, sender);
    default:
      throw new HostError('failed', 'unknown message');
  }
}

/**
 * A signal of the page's service. The page learns only whether it may use the RP ID, and nothing of the vault.
 *
 * @param {any} message
 * @param {import('./senders.js').Sender | null} sender `null` if the signal goes to nobody.
 * @param {string} pageHost
 */
async function signal({ kind, options }, sender, pageHost) {
  const refusal = { refusal: sentence('SecurityError', REFUSED) };
  try {
    if (!sender || !limits.admits(sender.tab)) {
      throw new HostError('denied', 'not now');
    }
    await host.request('browser.passkeys.signal', { sender, kind: String(kind), options: String(options) });
    return {};
  } catch (error) {
    // The agent knows public suffixes and related origins. Without it the page's own host decides.
    const isRefused = error instanceof HostError && error.domName === 'SecurityError';
    return isRefused || !covers(pageHost, rpIDOf(options)) ? refusal : {};
  }
}

/** @param {any} options */
function rpIDOf(options) {
  try {
    return String(JSON.parse(options).rpId);
  } catch {
    return '';
  }
}

/**
 * What a script says of forms for passwords.
 *
 * @param {any} message
 * @param {import('./senders.js').Sender} sender
 */
async function hear(message, sender) {
  switch (message.type) {
    case 'name':
      saving.name(sender, message);
      return {};
    case 'capture':
      await saving.capture(sender, message);
      return {};
    default:
      await saving.look(sender.tab, { passwords: Number(message.passwords), fresh: Number(message.fresh) });
      return {};
  }
}

/** A number as the agent takes it. */
function whole(name, message) {
  return Number.isInteger(message[name]) ? { [name]: Math.min(message[name], 1_000_000) } : {};
}
