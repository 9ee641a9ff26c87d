"""Our verdicts beside those of py_webauthn and python-fido2, over thousands of responses: where they differ, a reason says why."""

import json
import os
import subprocess
from collections import Counter

import differential
import pytest
from wardserver import find_binary

COUNT = int(os.environ.get("WARD_DIFFERENTIAL", "2400"))


@pytest.fixture(scope="module")
def cases():
    return list(differential.cases(COUNT, seed=20261121))


@pytest.fixture(scope="module")
def verdicts(cases):
    """What `ward inspect` says to each case."""
    answers = {}
    ward = find_binary().with_name("ward")
    for kind in ("registration", "assertion"):
        lines = [case.line(number) for number, case in enumerate(cases) if case.kind == kind]
        done = subprocess.run(
            [ward, "inspect", kind, "--lines"], input="\n".join(lines), capture_output=True, text=True, timeout=600
        )
        assert done.returncode == 0, done.stderr[-2000:]
        for line in done.stdout.splitlines():
            answer = json.loads(line)
            answers[answer["id"]] = answer
    assert len(answers) == len(cases)
    return answers


# Where we refuse and a judge accepts, by our code: which judges, and why we are right to.
WE_REFUSE = {
    "cross_origin_not_allowed": ("both", "neither looks at crossOrigin (7.1 step 10, 7.2 step 13)"),
    "malformed_response": ("both", "they take CBOR that is not canonical, or bytes behind it (6.5.4; CTAP2 canonical form)"),
    "not_base64url": ("both", "they take padding, which the JSON forms do not have (section 3)"),
    "value_out_of_range": ("both", "they take user handles of more than 64 bytes (5.4.3)"),
    "attestation_invalid": ("both", "py_webauthn takes members in the statement of none (8.7); python-fido2 verifies no statement unasked"),
    "public_key_invalid": ("both", "they do not import the key at registration (5.8.5: on its curve, bound to its algorithm)"),
    "algorithm_not_supported": ("both", "they keep keys they could never verify with"),
    "algorithm_not_allowed": ("both", "they keep keys of algorithms that were not asked for (7.1 step 20)"),
    "credential_id_mismatch": ("both", "they do not hold the attested id against the response's (7.1 step 25)"),
    "wrong_type": ("python_fido2", "it does not look at type"),
    "backup_state_invalid": ("python_fido2", "it does not look at BE and BS (7.1 step 17, 7.2 step 18)"),
    "identifier_mismatch": ("python_fido2", "it looks at rawId alone"),
    "missing_member": ("python_fido2", "it looks at rawId alone"),
    "attestation_format_not_allowed": ("python_fido2", "it verifies no statement unasked"),
    "duplicate_member": ("both", "they take the last of two members of one name"),
}

# Where we accept and a judge refuses, by words of its own: which kind, and why we are right to.
WE_ACCEPT = {
    "Response sign count of": ("assertion", "a counter that does not grow is a risk signal and no refusal (7.2 step 22)"),
    "Unsupported attestation type": ("registration", "an unknown format is carried as unverified by policy (7.1 step 21)"),
    "Error parsing field client_data": ("registration", "the UTF-8 decoding of 7.1 step 5 passes over a byte order mark"),
    "UnicodeDecodeError": ("registration", "the UTF-8 decoding of 7.1 step 5 passes over a byte order mark"),
}


@pytest.mark.parametrize("judge", [differential.py_webauthn, differential.python_fido2], ids=lambda judge: judge.__name__)
def test_every_difference_has_its_reason(cases, verdicts, judge):
    reasons, unexplained = Counter(), []
    for number, case in enumerate(cases):
        ours, theirs = verdicts[number], judge(case)
        accepted = ours["verdict"] == "accepted"
        if accepted == (theirs is None):
            continue
        if accepted:
            found = next((why for words, why in WE_ACCEPT.items() if words in theirs and why[0] == case.kind), None)
        else:
            found = WE_REFUSE.get(ours["code"])
            if found and found[0] not in ("both", judge.__name__):
                found = None
        if found:
            reasons[found[1]] += 1
        else:
            unexplained.append((case.kind, case.mutation, ours["code"], ours["step"], theirs, json.dumps(case.response)))
    assert not unexplained, "\n".join(map(str, unexplained[:10]))
    differences = sum(reasons.values())
    print(f"{judge.__name__}: {len(cases) - differences} of {len(cases)} agree")
    for reason, count in reasons.most_common():
        print(f"  {count:4} {reason}")
    # A judge that agrees with everything was asked nothing; one that never does was asked the wrong thing.
    assert 0 < differences < len(cases) // 3


def test_a_fair_share_is_accepted_and_refused(verdicts):
    accepted = sum(answer["verdict"] == "accepted" for answer in verdicts.values())
    assert COUNT // 4 < accepted < 3 * COUNT // 4
