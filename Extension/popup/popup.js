/** The popup of the button: how Ward is, a password to save, what Ward has for this page, and settings. */

import { at, text } from '../text.js';
import { prepareSearch, showEntries } from './entries.js';
import { showOffer, showUpgrades } from './news.js';
import { showSettings } from './settings.js';

const number = new URLSearchParams(location.search).get('tab');
const place = number ? { tab: Number(number) } : {};

document.title = text('extensionName');
at('lock').textContent = text('lock');
at('switch-text').textContent = text('switchText');
at('lock').addEventListener('click', () => act({ type: 'lock' }));
at('switch').addEventListener('change', () => act({ type: 'switch', isOn: at('switch').checked }));
act({ type: 'state' });

/**
 * Asks the worker, and shows what went wrong.
 *
 * @param {object} message
 * @returns {Promise<any>} The answer; `null` after a problem.
 */
async function ask(message) {
  at('problem').hidden = true;
  at('note').hidden = true;
  const answer = await chrome.runtime.sendMessage({ ...place, ...message });
  if (answer?.error) {
    at('problem').textContent = text(answer.error === 'denied' ? 'problemDenied' : 'problemFailed');
    at('problem').hidden = false;
    return null;
  }
  return answer ?? {};
}

/** @param {string} sentence */
function note(sentence) {
  at('note').textContent = sentence;
  at('note').hidden = false;
}

/** @param {object} message */
async function act(message) {
  document.querySelectorAll('button').forEach((button) => { button.disabled = true; });
  let answer = await ask(message);
  answer ??= await chrome.runtime.sendMessage({ type: 'state' });
  document.querySelectorAll('button').forEach((button) => { button.disabled = false; });
  await show(answer);
}

/** @param {any} answer */
async function show({ isOn, isSwitchedOn, agent, problem }) {
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
  const tools = { ask, note, again: () => act({ type: 'state' }) };
  await showOffer(tools, isOn);
  await showUpgrades(tools, isReady);
  await showEntries(tools, isReady && !agent.isLocked);
  prepareSearch(tools, isReady && !agent.isLocked);
  await showSettings(tools, isReady);
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
