"""Makes a KDBX 4 database like the vault that is measured beside it.

    make_kdbx.py FILE COUNT WITH_CODES PASSPHRASE

COUNT entries with title, user name, password and URL, the first WITH_CODES of them with the secret of a verification
code. Argon2id with 3 passes over 64 MiB and one lane, as the vault: it is read back from the file before the file takes
its place.
"""

import pathlib
import sys

from pykeepass import PyKeePass, create_database
from pykeepass.entry import Entry
from pykeepass.kdbx_parsing.kdbx4 import kdf_uuids

ARGON2ID = {"$UUID": kdf_uuids["argon2id"], "I": 3, "M": 64 * 1024 * 1024, "P": 1, "V": 0x13}
SECRET = "JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP"


def parameters(database: PyKeePass) -> dict:
    return database.kdbx.header.value.dynamic_header.kdf_parameters.data.dict


def main(path: str, count: int, with_codes: int, passphrase: str) -> None:
    temporary = pathlib.Path(path).with_suffix(".new.kdbx")
    database = create_database(str(temporary), password=passphrase)
    for name, value in ARGON2ID.items():
        parameters(database)[name].value = value
    for index in range(count):
        if index % 1000 == 0:
            print(f"    {index} of {count} entries", file=sys.stderr, flush=True)
        code = None
        if index < with_codes:
            code = f"otpauth://totp/Site%20{index}:user{index}?secret={SECRET}&issuer=Site%20{index}"
        # Not add_entry, which looks through all entries for one of the same name.
        database.root_group.append(
            Entry(
                title=f"Site {index}",
                username=f"user{index}@example.com",
                password=f"correct-horse-{index}-battery",
                url=f"https://site{index}.example/login",
                otp=code,
                kp=database,
            )
        )
    database.save()

    print("    reading it back", file=sys.stderr, flush=True)
    made = PyKeePass(str(temporary), password=passphrase)
    assert made.version[0] == 4, made.version
    found = {name: parameters(made)[name].value for name in ARGON2ID}
    assert found == ARGON2ID, found
    assert len(made.root_group.entries) == count
    temporary.replace(path)


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), sys.argv[4])
