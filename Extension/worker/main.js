/**
 * The extension's worker. The browser may end it at any time and starts it again for the next event, so everything that
 * matters longer than one request is kept by the browser (registered scripts, settings) or by the agent.
 */

import { Ceremonies } from './ceremonies.js';
import { Host, HostError } from './host.js';
import { Limits } from './limits.js';
import { Proxy } from './proxy.js';
import { describe, isCrossOrigin, pageOf } from './senders.js';
import { State } from './state.js';
import { Windows } from './windows.js';

const host = new Host();
const proxy = new Proxy();
const state = new State(host, proxy);
const windows = new Windows();
const limits = new Limits();
const ceremonies = new Ceremonies({ host, proxy, state, windows, limits });

proxy.listen({ onRequest: (request) => ceremonies.receive(request), onCancel: (id) => ceremonies.cancel(id) });
chrome.runtime.onInstalled.addListener(() => state.isOn());
chrome.runtime.onStartup.addListener(() => state.isOn());
chrome.alarms.onAlarm.addListener(() => state.refresh());
chrome.tabs.onRemoved.addListener((tab) => limits.forget(tab));

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
      const [tab] = await chrome.tabs.query({ active: true, lastFocusedWindow: true });
      const sender = pageOf(message.tab === undefined ? tab : await chrome.tabs.get(message.tab));
      return sender ? { host: new URL(sender.url).hostname, ...await host.request('browser.entries', { sender }) } : {};
    }
    default:
      throw new HostError('failed', 'unknown message');
  }
}

/**
 * What a script in a page asks. The sender is what the browser says of it.
 *
 * @param {any} message
 * @param {chrome.MessageSender} from
 */
async function scriptAsks(message, from) {
  const sender = describe(from);
  const isOn = sender !== null && await state.isOn();
  if (message?.type === 'state') {
    return { isOn };
  }
  if (!sender || !isOn || !limits.admits(sender.tab)) {
    throw new HostError('denied', 'not now');
  }
  switch (message?.type) {
    case 'signal':
      await host.request('browser.passkeys.signal', { sender, kind: String(message.kind), options: String(message.options) });
      return {};
    case 'entries':
      // A frame of another site shows no passwords: the person sees the address of the page.
      return isCrossOrigin(sender) ? { entries: [] } : host.request('browser.entries', { sender });
    case 'fill':
      return isCrossOrigin(sender) ? {} : host.request('browser.fill', { sender, entry: String(message.entry) });
    case 'unlock':
      await host.request('browser.unlock');
      return {};
    default:
      throw new HostError('failed', 'unknown message');
  }
}
