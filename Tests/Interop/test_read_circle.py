"""The program that reads a circle's folder from the pages alone, on folders that another program wrote from the same pages."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest
from circlefolder import VECTORS, Device, Person, RecoveryKey, public_key, seal, seal_to
from read_circle import FAULTS, Folder, Refused, Undecided
from read_vault import decode, encode, hkdf


@pytest.fixture
def person():
    return Person()


@pytest.fixture
def phone(person):
    """A second device, of which the first one has heard."""
    new = person.admit("phone", person.desk)
    person.desk.hear(new)
    return new


def unlocked(person, folder, root=None):
    read = Folder(person.sync(folder), root)
    read.unlock(person.passphrase, person.secret_key_text)
    return read.read()


def recovered(person, folder, root=None):
    read = Folder(person.sync(folder), root)
    read.recover(person.recovery_key.text)
    return read.read()


def titles(found):
    return [one["value"]["title"] for one in sorted(found["items"], key=lambda one: one["value"]["title"])]


def statuses(found):
    return {one["name"]: one["status"] for one in found["devices"]}


def test_passphrase_and_recovery_key_open_the_same(person, phone, tmp_path):
    person.add("Mail", person.desk)
    person.rename(phone, "ada's phone")
    found = unlocked(person, tmp_path)
    assert titles(found) == ["Before", "Mail"]
    assert statuses(found) == {"desk": "member", "ada's phone": "member"}
    assert found["secretKey"] == person.secret_key.hex()
    assert found["root"] == person.root.hex() and found["isRootProven"]
    assert not (found["refused"] or found["withheld"] or found["waiting"] or found["files"]["refused"])
    assert recovered(person, tmp_path) == found


def test_the_folder_alone_shows_devices_and_times_and_no_word(person, phone, tmp_path):
    person.add("Mail of the desk", person.desk)
    person.rename(person.desk, "ada's desk")
    found = Folder(person.sync(tmp_path), None).read()
    assert [one["status"] for one in found["devices"]] == ["member", "member"]
    assert "items" not in found and "keys" not in found and not any("name" in one for one in found["devices"])
    everything = b"".join(path.read_bytes() for path in tmp_path.rglob("*.seg"))
    # Words of four letters could be in ciphertexts by chance.
    words = (b"Mail of the desk", b"Before", b"ada's desk", b"phone", encode("desk"), encode(b"desk"))
    for word in (*words, person.secret_key, person.key, person.owner, person.keys[0]):
        assert word not in everything


def test_what_a_removed_device_writes_after_its_removal_does_not_count(person, phone, tmp_path):
    item = person.add("of the phone", phone)
    person.desk.hear(phone)
    before = person.secret_key_text
    old_key, old_items = person.keys[person.epoch], dict(person.items)
    person.remove([phone], person.desk)
    person.add("of the desk", person.desk)
    # The phone has not heard of it, and goes on with the key that it had.
    new, person.keys[person.epoch + 1] = person.epoch, person.keys[person.epoch]
    person.epoch, items, person.items = new - 1, person.items, old_items
    assert person.keys[person.epoch] == old_key
    person.add("changed on the phone", phone, item)
    person.epoch, person.items = new, items
    del person.keys[new + 1]
    found = unlocked(person, tmp_path)
    assert titles(found) == ["Before", "of the desk", "of the phone"]
    assert statuses(found) == {"desk": "member", "phone": "removed"}
    device = next(one for one in found["devices"] if one["status"] == "removed")
    assert (device["entries"], device["counting"]) == (3, 2)
    read = Folder(tmp_path, person.root)
    with pytest.raises(Refused, match="Secret Key"):
        read.unlock(person.passphrase, before)


def test_a_device_that_only_a_recovery_key_admitted_can_remove_the_others(person, phone, tmp_path):
    new = person.recover("laptop", phone)
    person.remove([person.desk, phone], new)
    person.add("Later", new)
    assert statuses(unlocked(person, tmp_path)) == {"desk": "removed", "phone": "removed", "laptop": "member"}


def test_new_recovery_keys_replace_the_earlier_ones(person, phone, tmp_path):
    old = person.recovery_key
    person.replace_recovery_key(person.desk)
    person.add("Later", person.desk)
    assert titles(recovered(person, tmp_path)) == ["Before", "Later"]
    with pytest.raises(Refused):
        Folder(tmp_path, person.root).recover(old.text)
    with pytest.raises(Refused, match="no circle"):
        Folder(tmp_path, None).recover(old.text)
    # A device that comes with the old key is refused, and so is what it writes.
    person.recover("thief", person.desk, old)
    found = recovered(person, tmp_path)
    assert "thief" not in statuses(found) and len(found["refused"]) == 1 and found["waiting"] == 1


def test_the_passphrase_is_changed_while_keys_stay(person, phone, tmp_path):
    person.rekey(person.desk)
    person.replace_header(person.desk)
    found = unlocked(person, tmp_path)
    assert found["header"]["generation"] == 5 and found["epoch"] == 2
    assert recovered(person, tmp_path) == found


def test_an_admission_without_the_owner_admits_nobody(person, tmp_path):
    person.admit("thief", person.desk, signers=[])
    person.admit("other thief", person.desk, signers=[os.urandom(32)])
    found = unlocked(person, tmp_path)
    assert statuses(found) == {"desk": "member"}
    assert sorted(found["refused"].values()) == ["an admission that does not stand"] * 2


def test_the_person_is_told_where_devices_contradict_each_other(person, phone, tmp_path):
    tablet = person.admit("tablet", person.desk)
    for one in (person.desk, phone):
        one.hear(person.desk, phone, tablet)
    kept = (person.owner, person.epoch, person.generation, dict(person.keys), list(person.members))
    person.remove([phone], person.desk)
    person.owner, person.epoch, person.generation, person.keys, person.members = kept
    person.remove([person.desk], phone)
    with pytest.raises(Undecided, match="beside each other: operation 9 of device"):
        Folder(person.sync(tmp_path), person.root)


def test_two_entries_with_one_number_stop_the_reader(person, phone, tmp_path):
    kept = (phone.last, list(phone.records))
    person.add("one", phone)
    first = phone.records
    phone.last, phone.records = kept[0], list(kept[1])
    person.add("other", phone)
    phone.records = [*first, phone.records[-1]]
    with pytest.raises(Undecided, match="two entries beside each other: operation 3"):
        Folder(person.sync(tmp_path), person.root)


def test_an_unknown_operation_stops_the_reader(person, phone, tmp_path):
    phone.write(19, {})
    with pytest.raises(Undecided, match="an unknown operation: operation 19"):
        Folder(person.sync(tmp_path), person.root)


def test_an_unknown_operation_that_may_be_skipped_stops_nobody(person, phone, tmp_path):
    phone.write(199, {1: "what a later version writes"})
    phone.write(130, {1: "no name"})
    assert statuses(unlocked(person, tmp_path)) == {"desk": "member", "phone": "member"}


@pytest.mark.parametrize(
    "field",
    [
        *("x25519", "owner seed", "owner of the key", "all keys", "proof", "no proof", "owner for recovery", "epoch"),
        *("generation", "passes", "lanes", "vault", "short seed", "no seed", "suite", "short proof", "twice", "nobody"),
        *("another root", "no root", "short root", "no keys", "no recovery", "many owners", "many for recovery", "many recovery keys"),
        *("another secret key", "no secret key"),
    ],
)
def test_a_header_that_says_something_else_is_refused(person, phone, tmp_path, field):
    owner, paper = person.owner, person.recovery_key
    public = public_key(owner)
    other = os.urandom(32)
    associated = encode(["ward", 1, "owner", person.vault, public, person.derivation])
    keys = encode(["ward", 1, "circle-keys", person.vault, person.epoch, public])
    secret = encode(["ward", 1, "circle-secret-key", person.vault, person.epoch, public])
    info = encode(["ward", 1, "owner-key", person.vault, public, paper.public])
    seeds = [[public, *seal_to(paper.sealing, info, owner)]]
    proof = paper.proof(person.vault, person.root)
    many = sorted(os.urandom(32) for _ in range(17))
    person.spoil = {
        "x25519": {7: os.urandom(32)},
        "owner seed": {12: [public, [[public, seal(person.unlock_key("owner"), other, associated)]]]},
        "owner of the key": {12: [other, [[public, seal(person.unlock_key("owner"), owner, associated)]]]},
        "all keys": {13: seal(hkdf(person.key, person.vault, "ward/v1/circle/keys"), encode({0: other}), keys)},
        "proof": {14: [[paper.public, seeds, paper.proof(person.vault, other)]]},
        "no proof": {14: [[paper.public, seeds, None]]},
        "owner for recovery": {14: [[paper.public, [[public, *seal_to(paper.sealing, info, other)]], proof]]},
        "epoch": {10: 2},
        "generation": {2: 9},
        "passes": {3: [1, 1, 65536, 1, person.derivation[4]]},
        "lanes": {3: [1, 3, 65536, 2, person.derivation[4]]},
        "vault": {1: other},
        "short seed": {12: [public, [[public, bytes(59)]]]},
        "no seed": {12: [public, []]},
        "suite": {14: [[paper.public, [[public, 1, *seeds[0][2:]]], proof]]},
        "short proof": {14: [[paper.public, seeds, proof[:31]]]},
        "twice": {14: [[paper.public, seeds, proof]] * 2},
        "nobody": {14: []},
        "another root": {16: other},
        "no root": {16: "absent"},
        "short root": {16: person.root[:31]},
        "no keys": {13: "absent"},
        "no recovery": {14: "absent"},
        "another secret key": {17: seal(hkdf(person.key, person.vault, "ward/v1/circle/secret-key"), other[:16], secret)},
        "no secret key": {17: "absent"},
        "many owners": {12: [public, [[one, bytes(60)] for one in many]]},
        "many for recovery": {14: [[paper.public, [[one, *seeds[0][1:]] for one in many], proof]]},
        "many recovery keys": {14: [[one, [], None] for one in many[:9]]},
    }[field]
    person.replace_header(person.desk)
    if field not in ("owner seed",):
        with pytest.raises(FAULTS):
            recovered(person, tmp_path)
    if field not in ("proof", "no proof", "owner for recovery"):
        with pytest.raises(FAULTS):
            unlocked(person, tmp_path)


# What nobody may write: operation, body, fields of the payload, and why it is refused. Words stand for what the test knows.
FORBIDDEN = [
    (1, {1: "own key", 2: bytes(64), 3: bytes(32), 4: bytes(32)}, {}, "the genesis entry stands elsewhere"),
    (2, {1: "own key", 2: bytes(64)}, {}, "a device that begins as before the circle"),
    (8, {1: "admission"}, {}, "a device that begins late, or again"),
    (199, {}, {4: 1 << 63}, "a time too late"),
    (199, {}, {4: 1}, "time runs backwards"),
    (199, {}, {2: 99}, "a broken chain"),
    (199, {}, {5: "number 1"}, "a head that is another"),
    (199, {}, {5: "twice"}, "heads out of order"),
    (12, {1: 2, 15: "signature"}, {}, "a wrong signature of the owner or a recovery key"),
    (12, {1: 2, 14: "one signature"}, {}, "a wrong signature of the owner or a recovery key"),
    (12, {1: 2, 15: "many signatures"}, {}, "an entry with too many signatures"),
    (3, {1: bytes(16), 2: 1, 3: [bytes(32)], 4: 1, 5: bytes(32)}, {}, "not made from what is newest"),
    (3, {1: bytes(16), 2: 2, 3: [], 4: 1, 5: bytes(32)}, {}, "a wrong number"),
    (3, {1: bytes(16), 2: 1, 3: [], 4: 0, 5: bytes(32)}, {}, "a key of another epoch"),
    (3, {1: bytes(16), 2: 1, 3: [], 4: 1, 5: bytes(32), 6: [bytes(32)]}, {}, "an attached file that is not there"),
    (4, {1: bytes(16), 2: []}, {}, "removed what is not there"),
]


@pytest.mark.parametrize("operation, body, fields, reason", FORBIDDEN, ids=lambda value: value if isinstance(value, str) else "")
def test_an_entry_that_nobody_may_write_is_refused(person, phone, tmp_path, operation, body, fields, reason):
    phone.hear(person.desk)
    words = {
        "own key": phone.public,
        "admission": decode(decode(phone.records[0][0])[0])[7][1],
        "number 1": [[person.desk.id, 1, person.desk.last]],
        "twice": [person.desk.head] * 2,
        "signature": [[public_key(person.owner), bytes(64)]],
        "one signature": [person.recovery_key.public, bytes(64)],
        "many signatures": sorted([os.urandom(32), bytes(64)] for _ in range(257)),
    }

    def known(part):
        return {key: words.get(value, value) if isinstance(value, str) else value for key, value in part.items()}

    phone.write(operation, known(body), spoiled=known(fields))
    assert list(unlocked(person, tmp_path)["refused"].values()) == [reason]


def test_a_device_that_knows_its_removal_is_refused(person, phone, tmp_path):
    person.remove([phone], person.desk)
    phone.hear(person.desk)
    phone.write(199, {})
    assert list(unlocked(person, tmp_path)["refused"].values()) == ["an entry of a device that is no member"]


def test_an_entry_of_another_version_stops_the_reader(person, phone, tmp_path):
    phone.write(199, {}, spoiled={0: 2})
    with pytest.raises(Undecided, match="an unknown operation"):
        Folder(person.sync(tmp_path), person.root)


@pytest.mark.parametrize(
    "operation, body",
    [
        (7, {1: bytes(31), 2: 2, 3: bytes(1216), 4: bytes(40)}),
        (7, {1: bytes(32), 2: 2, 3: bytes(2049), 4: bytes(40)}),
        (7, {1: bytes(32), 2: 2, 3: bytes(1216), 4: bytes(1025)}),
        (9, {1: [bytes(16), bytes(16)], 3: {}}),
        (10, {3: {1: 2, 2: bytes(32), 3: 4, 4: bytes(32), 5: [[bytes(17), 2, b"", b""]]}}),
        (10, {3: {1: 2, 2: bytes(31), 3: 4, 4: bytes(32), 5: []}}),
        (11, {2: [[1, 1, bytes(31), 2, bytes(1216), None]], 3: {1: 2, 2: bytes(32), 3: 4, 4: bytes(32), 5: []}}),
        (12, {1: "two"}),
        (12, {2: bytes(1025)}),
    ],
)
def test_an_operation_with_another_body_is_an_unknown_one(person, phone, tmp_path, operation, body):
    person.desk.write(operation, body, owners=[person.owner])
    with pytest.raises(Undecided, match="an unknown form"):
        Folder(person.sync(tmp_path), person.root)


def test_operations_that_the_owner_signed_and_that_say_nothing_new_do_nothing(person, phone, tmp_path):
    found = unlocked(person, tmp_path)
    person.desk.write(12, {1: 0}, owners=[person.owner])
    person.desk.write(5, {1: person.generation, 2: bytes(32)}, owners=[person.owner])
    person.desk.write(7, {1: phone.public, 2: 2, 3: phone.sealing, 4: bytes(40)}, owners=[person.owner])
    after = unlocked(person, tmp_path)
    assert (after["operations"], after["header"]) == (found["operations"], found["header"])
    person.desk.write(12, {1: 1}, owners=[person.owner])
    assert unlocked(person, tmp_path)["operations"] == found["operations"] + 1


def test_a_move_is_shown_and_changes_nothing_else(person, phone, tmp_path):
    found = unlocked(person, tmp_path)
    assert found["place"] is None
    addresses = {1: "https://new.example.org", 2: "https://old.example.org"}
    associated = encode(["ward", 1, "place", person.vault])
    for signers, operations in (([], 0), ([person.owner], 1)):
        sealed = seal(hkdf(person.key, person.vault, "ward/v1/place"), encode(addresses), associated)
        person.desk.write(12, {2: sealed}, owners=signers)
        after = unlocked(person, tmp_path)
        assert after["operations"] == found["operations"] + operations and after["header"] == found["header"]
        assert after["place"] == ({"address": addresses[1], "before": addresses[2]} if signers else None)


def test_keys_that_were_sealed_otherwise_than_the_header_says_are_refused(person, phone, tmp_path):
    person.rekey(person.desk, sealed_key=os.urandom(32))
    with pytest.raises(Refused, match="another key than the operation's header has"):
        recovered(person, tmp_path)


class PublicHalf(RecoveryKey):
    """What anybody learns of a recovery key from the log."""

    def __init__(self, of):
        self.public, self.sealing = of.public, of.sealing

    def proof(self, vault, root):
        return os.urandom(32)


def test_a_circle_that_somebody_made_for_a_known_recovery_key_is_not_the_persons(person, tmp_path):
    forged = Person(PublicHalf(person.recovery_key))
    with pytest.raises(Refused, match="no circle that was made with this recovery key"):
        Folder(forged.sync(tmp_path), None).recover(person.recovery_key.text)
    with pytest.raises(Refused, match="a circle that was not made with this recovery key"):
        Folder(tmp_path, forged.root).recover(person.recovery_key.text)


def test_the_recovery_key_finds_the_root_among_other_beginnings(person, phone, tmp_path):
    found = recovered(person, tmp_path)
    # A member that begins another circle changes nothing.
    entry, header = person.desk.records[3]
    body = decode(decode(entry)[0])[7]
    phone.write(6, {key: value for key, value in body.items() if key != 15}, header)
    after = recovered(person, tmp_path)
    assert (after["root"], after["owners"], statuses(after)) == (found["root"], found["owners"], statuses(found))
    # So does the header, with the passphrase.
    assert unlocked(person, tmp_path) == after
    with pytest.raises(Refused, match="not exactly one beginning"):
        Folder(tmp_path, None).read()
    with pytest.raises(Refused, match="no circle that this passphrase opens"):
        Folder(tmp_path, None).unlock("wrong", person.secret_key_text)


def test_a_root_that_the_caller_knows_is_compared(person, phone, tmp_path):
    found = unlocked(person, tmp_path)
    assert unlocked(person, tmp_path, person.root) == found
    entry, header = person.desk.records[3]
    other = phone.write(6, {key: value for key, value in decode(decode(entry)[0])[7].items() if key != 15}, header)
    for opened in (unlocked, recovered):
        with pytest.raises(Refused):
            opened(person, tmp_path, other)
        with pytest.raises(Refused):
            opened(person, tmp_path, os.urandom(32))


def test_the_writer_chooses_the_first_epoch_and_generation(tmp_path):
    class Later(Person):
        def begin_circle(self, device):
            self.epoch, self.generation = 4, 6
            super().begin_circle(device)

    person = Later()
    person.rekey(person.desk)
    person.add("Mail", person.desk)
    found = unlocked(person, tmp_path)
    assert (found["epoch"], found["header"]["generation"], titles(found)) == (6, 9, ["Before", "Mail"])
    assert recovered(person, tmp_path) == found


@pytest.mark.parametrize("operation", [5, 9, 10, 11])
def test_an_operation_without_its_header_is_withheld_with_what_names_it(person, phone, tmp_path, operation):
    found = unlocked(person, tmp_path)
    {
        5: lambda: person.replace_header(person.desk),
        9: lambda: person.remove([phone], person.desk),
        10: lambda: person.rekey(person.desk),
        11: lambda: person.replace_recovery_key(person.desk),
    }[operation]()
    entry, header = person.desk.records[-1]
    person.desk.records[-1] = (entry, None)
    person.add("Later", person.desk)
    read = Folder(person.sync(tmp_path), None)
    after = read.read()
    assert (len(after["withheld"]), after["waiting"], after["refused"]) == (1, 1, {})
    assert {key: after[key] for key in ("header", "epoch", "owners")} == {key: found[key] for key in ("header", "epoch", "owners")}
    person.desk.records[-2] = (entry, header)
    assert titles(unlocked(person, tmp_path)) == ["Before", "Later"]


def test_a_circle_whose_beginning_has_no_header_is_not_read(person, tmp_path):
    place = next(number for number, (_, blob) in enumerate(person.desk.records) if blob and number > 2)
    person.desk.records[place] = (person.desk.records[place][0], None)
    with pytest.raises(Refused, match="the entry that begins the circle is not there"):
        unlocked(person, tmp_path)


def test_an_operation_that_does_not_stand_needs_no_header(person, phone, tmp_path):
    found = unlocked(person, tmp_path)
    phone.write(5, {1: person.generation + 1, 2: os.urandom(32)})
    after = unlocked(person, tmp_path)
    assert after["withheld"] == [] and after["header"] == found["header"] and after["entries"] == found["entries"] + 1


def test_the_beginning_alone_is_read_with_a_header_that_cannot_name_it(person, tmp_path):
    place = next(number for number, (_, blob) in enumerate(person.desk.records) if blob and number > 2)
    del person.desk.records[place + 1 :]
    found = unlocked(person, tmp_path)
    assert found["root"] == person.root.hex() and found["header"]["generation"] == 2
    # The recovery key needs the proof, which is in the next header.
    with pytest.raises(Refused, match="no circle that was made with this recovery key"):
        recovered(person, tmp_path)


def test_a_recovery_key_of_a_later_suite_has_no_owner_keys_and_stops_nobody(person, tmp_path):
    later = Device("of a later version")
    owner = public_key(person.owner)
    person.replace_recovery_key(person.desk, others=[[1, 3, later.public, 3, later.sealing, None]])
    assert public_key(person.owner) != owner
    assert unlocked(person, tmp_path) == recovered(person, tmp_path)


def test_a_changed_byte_is_refused_or_changes_nothing(person, phone, tmp_path):
    person.add("Mail", phone)
    found = recovered(person, tmp_path)
    for path in sorted(tmp_path.rglob("*.seg")):
        whole = path.read_bytes()
        for place in range(0, len(whole), 211):
            changed = bytearray(whole)
            changed[place] ^= 1
            path.write_bytes(changed)
            try:
                read = Folder(tmp_path, None)
                read.recover(person.recovery_key.text)
                after = read.read()
            except FAULTS:
                continue
            assert after["files"]["refused"] or after["refused"], (path.name, place)
            assert titles(after) in (titles(found), ["Before"])
        path.write_bytes(whole)
    assert recovered(person, tmp_path) == found


def test_files_in_any_number_and_order_are_the_same(person, phone, tmp_path):
    person.add("Mail", phone)
    found = recovered(person, tmp_path / "many")
    person.sync(tmp_path / "one", records=100)
    person.sync(tmp_path / "one", records=1)
    read = Folder(tmp_path / "one", None)
    read.recover(person.recovery_key.text)
    assert read.read() == found


def test_the_program_prints_what_it_read(person, phone, tmp_path):
    person.sync(tmp_path)
    program = [sys.executable, VECTORS / "sync/read_circle.py", tmp_path]
    done = subprocess.run([*program, "--recovery-key", person.recovery_key.text], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    assert statuses(json.loads(done.stdout)) == {"desk": "member", "phone": "member"}
    words = ["--passphrase", person.passphrase, "--secret-key", person.secret_key_text]
    again = subprocess.run([*program, *words], capture_output=True, text=True, timeout=60)
    assert (again.returncode, json.loads(again.stdout)) == (0, json.loads(done.stdout))
    words = ["--root", person.root.hex(), "--passphrase", "wrong", "--secret-key", person.secret_key_text]
    done = subprocess.run([*program, *words], capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stderr) == (1, "read_circle.py: refused: another passphrase\n")
