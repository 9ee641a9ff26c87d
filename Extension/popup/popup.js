/** The popup of the button: how Ward is, what it has for this page, and the switch. */

import { at, row, text } from '../text.js';

const KINDS = { passkey: 'passkey', password: 'password', oneTimeCode: 'oneTimeCode' };
const tab = new URLSearchParams(location.search).get('tab');

document.title = text('extensionName');
at('lock').textContent = text('lock');
at('switch-text').textContent = text('switchText');
at('lock').addEventListener('click', () => act({ type: 'lock' }));
at('switch').addEventListener('change', () => act({ type: 'switch', isOn: at('switch').checked }));
act({ type: 'state' });

/** @param {object} message */
async function act(message) {
  document.querySelectorAll('button').forEach((button) => { button.disabled = true; });
  at('problem').hidden = true;
  let answer = await chrome.runtime.sendMessage(message);
  if (answer?.error) {
    at('problem').textContent = text(answer.error === 'denied' ? 'problemDenied' : 'problemFailed');
    at('problem').hidden = false;
    answer = await chrome.runtime.sendMessage({ type: 'state' });
  }
  document.querySelectorAll('button').forEach((button) => { button.disabled = false; });
  await show(answer);
}

/** @param {any} answer */
async function show({ isSwitchedOn, agent, problem }) {
  const isReady = Boolean(agent?.hasVault && agent.isPaired);
  const [status, more, action, message] = state(agent);
  at('status').textContent = status;
  at('text').textContent = more;
  at('text').hidden = !more;
  at('main').textContent = action;
  at('main').hidden = !action;
  at('main').onclick = () => act(message);
  at('lock').hidden = !isReady || agent.isLocked;
  at('switch-row').hidden = !isReady;
  at('switch').checked = isSwitchedOn;
  document.body.dataset.problem = problem ?? '';
  await (isReady && !agent.isLocked ? list() : hide());
  document.body.dataset.ready = '';
}

/**
 * @param {any} agent
 * @returns {[status: string, text: string, action: string, message: object]}
 */
function state(agent) {
  if (!agent) {
    return [text('statusAbsent'), text('absentText'), text('tryAgain'), { type: 'state' }];
  }
  if (!agent.hasVault) {
    return [text('statusNoVault'), text('noVaultText'), text('tryAgain'), { type: 'state' }];
  }
  if (!agent.isPaired) {
    return [text('statusNotPaired'), text('pairText'), text('pair'), { type: 'pair' }];
  }
  if (agent.isLocked) {
    return [text('statusLocked'), '', text('unlock'), { type: 'unlock' }];
  }
  return [text('statusUnlocked'), agent.passkeysAreOn ? '' : text('passkeysOff'), '', {}];
}

async function list() {
  const { host, entries = [] } = await chrome.runtime.sendMessage({ type: 'entries', ...(tab ? { tab: Number(tab) } : {}) });
  at('site').hidden = !host;
  at('site-title').textContent = host ? text('entriesOf', host) : '';
  at('entries').replaceChildren(...entries.map(({ kind, user, title, provider }) => {
    const item = document.createElement('li');
    item.append(row('div', user || title || text('noName'), [text(KINDS[kind] ?? 'password'), provider].filter(Boolean).join(' · ')));
    return item;
  }));
  if (entries.length === 0) {
    const item = document.createElement('li');
    item.className = 'soft';
    item.textContent = text('noEntries');
    at('entries').append(item);
  }
}

async function hide() {
  at('site').hidden = true;
}
