/**
 * Where a passkey is kept, in plain words.
 *
 * An AAGUID names the product that made the passkey. Without attestation it is only a claim, good enough to
 * recognise one's own passkey in a list and for nothing else.
 */

import { message } from './messages.js';

const products = {
  '08987058-cadc-4b81-b6e1-30de50dcbe96': 'Windows Hello',
  '0ea242b4-43c4-4a1b-8b17-dd6d0b6baec6': 'Keeper',
  '50726f74-6f6e-5061-7373-50726f746f6e': 'Proton Pass',
  '531126d6-e717-415c-9320-3d9aa6981239': 'Dashlane',
  '53414d53-554e-4700-0000-000000000000': 'Samsung Pass',
  '9ddd1817-af5a-4672-a2b9-3e3dd95000a9': 'Windows Hello',
  'adce0002-35bc-c60a-648b-0b25f1f05503': 'Chrome (macOS)',
  'b5397666-4885-aa6b-cebf-e52262a439a2': 'Chromium',
  'b84e4048-15dc-4dd0-8640-f4f60813c8af': 'NordPass',
  'bada5566-a7aa-401f-bd96-45619a55120d': '1Password',
  'd548826e-79b4-db40-a3d8-11116f7e8349': 'Bitwarden',
  'dd4ec289-e01d-41c9-bb89-70fa845d4bf2': 'iCloud Keychain',
  'ea9b8d66-4d01-1d21-3ce4-b6b48cb575d4': 'Google Password Manager',
  'f3809540-7f14-49c1-a8b3-8f813b225541': 'Enpass',
  'fbfc3007-154e-4ecc-8c0b-6e020557d7bd': 'Apple Passwords',
  'fdb141b2-5d84-443e-8a35-4698c205a502': 'KeePassXC',
};

/** The product's name, or nothing when it does not say or we do not know it. */
export function providerText(passkey) {
  return products[passkey.aaguid?.toLowerCase()] ?? '';
}

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
