/**
 * What the browser says of the sender of a message. Nothing here comes from the page.
 */

const MOST_ANCESTORS = 64;

/**
 * @typedef {{url: string, origin: string, tab: number, frame: number, document: string, topURL: string,
 *   isPrivate: boolean, isSameOriginWithAncestors?: boolean, ancestors?: string[]}} Sender
 */

/**
 * The sender as the agent takes it, or `null` if passkeys cannot work there.
 *
 * @param {chrome.MessageSender | undefined} sender
 * @returns {Sender | null}
 */
export function describe(sender) {
  if (!sender?.tab || sender.id !== chrome.runtime.id || sender.documentLifecycle === 'prerender') {
    return null;
  }
  const url = sender.url ?? '';
  const origin = sender.origin ?? originOf(url);
  if (!isSecure(origin)) {
    return null;
  }
  // A frame such as about:blank has the origin of the page that made it.
  const ownURL = originOf(url) === origin ? url : `${origin}/`;
  const topURL = sender.frameId === 0 ? ownURL : sender.tab.url ?? '';
  if (!isSecure(originOf(topURL))) {
    return null;
  }
  return {
    url: ownURL,
    origin,
    tab: sender.tab.id,
    frame: sender.frameId ?? -1,
    document: sender.documentId ?? '',
    topURL,
    isPrivate: sender.tab.incognito,
  };
}

/**
 * The sender for a request of the browser that no script of the extension announced.
 *
 * @param {string} origin As the browser gives it.
 * @returns {Sender}
 */
export function withoutTab(origin) {
  return { url: `${origin}/`, origin, tab: -1, frame: -1, document: '', topURL: `${origin}/`, isPrivate: false };
}

/**
 * The page that a tab shows, for the popup.
 *
 * @param {chrome.Tab | undefined} tab
 * @returns {Sender | null}
 */
export function pageOf(tab) {
  const url = tab?.url ?? '';
  const origin = originOf(url);
  if (!tab || !isSecure(origin)) {
    return null;
  }
  return { url, origin, tab: tab.id, frame: 0, document: '', topURL: url, isPrivate: tab.incognito };
}

/**
 * The sender with the pages around its frame, as the browser names them to the extension's own script.
 *
 * @param {Sender | null} sender
 * @param {any} ancestors
 */
export function within(sender, ancestors) {
  return !sender || sender.frame === 0 || !Array.isArray(ancestors) ? sender
    : { ...sender, ancestors: ancestors.length > MOST_ANCESTORS ? ['null'] : ancestors.map(String) };
}

/** @param {Sender} sender */
export function isCrossOrigin(sender) {
  return around(sender).some((other) => other !== sender.origin);
}

/**
 * Whether the pages around a frame may be of its site, as far as that is known without the list of public suffixes. The
 * agent decides, with the list.
 *
 * @param {Sender} sender
 */
export function isPerhapsOneSite(sender) {
  const site = (/** @type {string} */ origin) => [new URL(origin).protocol, ...hostOf(origin).split('.').slice(-2)].join();
  return around(sender).every((other) => other === sender.origin || isSecure(other) && site(other) === site(sender.origin));
}

/** @param {Sender} sender */
function around({ topURL, ancestors = [] }) {
  return [originOf(topURL), ...ancestors];
}

/** @param {string} url */
export function originOf(url) {
  try {
    return new URL(url).origin;
  } catch {
    return '';
  }
}

/** @param {string} origin */
export function hostOf(origin) {
  try {
    return new URL(origin).hostname;
  } catch {
    return '';
  }
}

/** @param {string} origin */
function isSecure(origin) {
  const host = hostOf(origin);
  return origin.startsWith('https://')
    || (origin.startsWith('http://') && (host === 'localhost' || host.endsWith('.localhost')));
}

/**
 * Whether a page of this host may use this RP ID, as far as that is known without the list of public suffixes. The agent
 * checks again, with the list.
 *
 * @param {string} host
 * @param {string} rpID
 */
export function covers(host, rpID) {
  if (host === rpID) {
    return !/^\[|^[0-9.]+$/.test(host);
  }
  return rpID.includes('.') && host.endsWith(`.${rpID}`) && !/^[0-9.]+$/.test(host);
}
