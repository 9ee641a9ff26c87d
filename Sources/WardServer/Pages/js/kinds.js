/** What kind of passkey it is, in plain words. */

import { message } from './messages.js';

/** Whether a passkey lives on one device or on many. */
export function kindText(passkey) {
  if (passkey.backedUp) {
    return message('passkeys.synced');
  }
  if (passkey.backupEligible) {
    return message('passkeys.notSynced');
  }
  const ways = passkey.transports ?? [];
  const isPluggedIn = ways.includes('usb') || ways.includes('nfc');
  return message(isPluggedIn && !ways.includes('internal') ? 'passkeys.securityKey' : 'passkeys.oneDevice');
}
