"""The columns of the chart."""

from .base import Method, Owner
from .codes import WITH_CODE, WithCode
from .federated import FEDERATED, Federated
from .passkeys import PASSKEY, SECURITY_KEY, AnyPasskey, Passkey, SecurityKey
from .passwords import MANAGED, MEMORISED, Managed, Memorised

METHODS: list[Method] = [MEMORISED, MANAGED, WITH_CODE, FEDERATED, SECURITY_KEY, PASSKEY]

__all__ = [
    "FEDERATED", "MANAGED", "MEMORISED", "METHODS", "PASSKEY", "SECURITY_KEY", "WITH_CODE", "AnyPasskey", "Federated", "Managed",
    "Memorised", "Method", "Owner", "Passkey", "SecurityKey", "WithCode",
]  # fmt: skip
