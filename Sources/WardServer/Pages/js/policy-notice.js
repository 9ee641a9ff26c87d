/** What the service's rules ask of the account and it does not have yet, on the account page. */

import { dateText, message } from './messages.js';

const element = (id) => document.getElementById(id);

const now = {
  passkey: 'policy.passkey', device_bound_passkey: 'policy.deviceBound', attested_passkey: 'policy.attested',
  two_factors: 'policy.twoFactors',
};
const soon = {
  passkey: 'policy.passkeyFrom', device_bound_passkey: 'policy.deviceBoundFrom',
  attested_passkey: 'policy.attestedFrom', two_factors: 'policy.twoFactorsFrom',
};

export class PolicyNotice {
  /** @param actions.add Adds a passkey. */
  constructor({ add }) {
    element('policy-add').addEventListener('click', add);
  }

  /** Shows what is missing, if anything is. */
  show({ policy }) {
    const name = (policy?.from ? soon : now)[policy?.needs];
    element('policy').hidden = !name;
    if (name) {
      element('policy-text').textContent = message(name, { date: policy.from ? dateText(policy.from) : '' });
    }
  }
}
