/** The first name of a new passkey: what made it, and the day. The service uses it if it does not know the maker. */

import { language, message } from './messages.js';
import { userAgentText } from './user-agent.js';

// English has the day before the month here, as in "22 Nov".
const days = new Intl.DateTimeFormat(language === 'en' ? 'en-GB' : language, { day: 'numeric', month: 'short' });

/** Such as "Chromium on Linux, 22 Nov" or "Security key, 22 Nov". */
export function passkeyName(credential, now = new Date()) {
  const date = days.format(now);
  if (credential.authenticatorAttachment !== 'cross-platform') {
    return message('passkeys.browserName', { browser: userAgentText(navigator.userAgent), date });
  }
  const isNearby = credential.response.transports?.includes('hybrid');
  return message(isNearby ? 'passkeys.phoneName' : 'passkeys.keyName', { date });
}
