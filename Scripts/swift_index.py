"""Reads the index that the Swift compiler writes beside each debug build: which file defines a symbol and which file uses it.

The reader is libIndexStore of the Swift toolchain, called through ctypes.
"""

import ctypes
import shutil
from ctypes import CFUNCTYPE, POINTER, Structure, byref, c_bool, c_char_p, c_int, c_int64, c_size_t, c_uint, c_uint64, c_void_p
from dataclasses import dataclass, field
from pathlib import Path

RECORD = 2  # the kind of a unit's dependency that holds symbols
DECLARATION_OR_DEFINITION = 0b11


class Text(Structure):
    _fields_ = [("data", c_void_p), ("length", c_size_t)]

    def __str__(self) -> str:
        return ctypes.string_at(self.data, self.length).decode() if self.length else ""


CALLBACK = CFUNCTYPE(c_bool, c_void_p, c_void_p)
NAME_CALLBACK = CFUNCTYPE(c_bool, c_void_p, Text)
FUNCTIONS = {
    "store_create": (c_void_p, [c_char_p, POINTER(c_void_p)]),
    "store_units_apply_f": (c_bool, [c_void_p, c_uint, c_void_p, NAME_CALLBACK]),
    "unit_reader_create": (c_void_p, [c_void_p, c_char_p, POINTER(c_void_p)]),
    "unit_reader_dispose": (None, [c_void_p]),
    "unit_reader_get_main_file": (Text, [c_void_p]),
    "unit_reader_get_module_name": (Text, [c_void_p]),
    "unit_reader_get_modification_time": (None, [c_void_p, POINTER(c_int64), POINTER(c_int64)]),
    "unit_reader_dependencies_apply_f": (c_bool, [c_void_p, c_void_p, CALLBACK]),
    "unit_dependency_get_kind": (c_int, [c_void_p]),
    "unit_dependency_get_name": (Text, [c_void_p]),
    "unit_dependency_get_filepath": (Text, [c_void_p]),
    "record_reader_create": (c_void_p, [c_void_p, c_char_p, POINTER(c_void_p)]),
    "record_reader_dispose": (None, [c_void_p]),
    "record_reader_occurrences_apply_f": (c_bool, [c_void_p, c_void_p, CALLBACK]),
    "occurrence_get_symbol": (c_void_p, [c_void_p]),
    "occurrence_get_roles": (c_uint64, [c_void_p]),
    "symbol_get_usr": (Text, [c_void_p]),
}


@dataclass
class IndexedFile:
    """What the index knows about one source file."""

    module: str
    written: float
    record: str
    symbols: set[str] = field(default_factory=set)


class SwiftIndex:
    """The index of the files below `root`, as the last build of each left it."""

    def __init__(self, store: Path, root: Path) -> None:
        self.library = _library()
        self.store = self._open("store_create", str(store))
        self.files: dict[Path, IndexedFile] = {}
        self.modules: dict[str, str] = {}  # symbol -> the module that defines it
        names: list[str] = []
        self._call("store_units_apply_f", self.store, 0, None, NAME_CALLBACK(lambda _, name: not names.append(str(name))))
        for name in names:
            self._read_unit(name, root)
        for file in self.files.values():
            self._read_record(file)

    def modules_used(self, file: Path) -> set[str]:
        """The modules whose symbols a file names, its own among them."""
        return {self.modules[symbol] for symbol in self.files[file].symbols if symbol in self.modules}

    def _read_unit(self, name: str, root: Path) -> None:
        reader = self._open("unit_reader_create", self.store, name)
        file = Path(str(self._call("unit_reader_get_main_file", reader)))
        if file.is_relative_to(root) and ".build" not in file.relative_to(root).parts:
            seconds, fraction = c_int64(), c_int64()
            self._call("unit_reader_get_modification_time", reader, byref(seconds), byref(fraction))
            records: list[str] = []

            def note(_: object, dependency: int) -> bool:
                if self._call("unit_dependency_get_kind", dependency) == RECORD and str(
                    self._call("unit_dependency_get_filepath", dependency)
                ) == str(file):
                    records.append(str(self._call("unit_dependency_get_name", dependency)))
                return True

            self._call("unit_reader_dependencies_apply_f", reader, None, CALLBACK(note))
            written = seconds.value + fraction.value / 1e9
            known = self.files.get(file)
            if records and (known is None or known.written < written):
                module = str(self._call("unit_reader_get_module_name", reader))
                self.files[file] = IndexedFile(module, written, records[0])
        self._call("unit_reader_dispose", reader)

    def _read_record(self, file: IndexedFile) -> None:
        reader = self._open("record_reader_create", self.store, file.record)

        def note(_: object, occurrence: int) -> bool:
            symbol = str(self._call("symbol_get_usr", self._call("occurrence_get_symbol", occurrence)))
            file.symbols.add(symbol)
            if self._call("occurrence_get_roles", occurrence) & DECLARATION_OR_DEFINITION:
                self.modules[symbol] = file.module
            return True

        self._call("record_reader_occurrences_apply_f", reader, None, CALLBACK(note))
        self._call("record_reader_dispose", reader)

    def _call(self, name: str, *arguments: object) -> object:
        return getattr(self.library, f"indexstore_{name}")(*arguments)

    def _open(self, name: str, *arguments: object) -> object:
        made = self._call(name, *(item.encode() if isinstance(item, str) else item for item in arguments), byref(c_void_p()))
        if not made:
            raise OSError(f"libIndexStore cannot do {name} of {arguments[-1]}")
        return made


def _library() -> ctypes.CDLL:
    swift = shutil.which("swiftc")
    if swift is None:
        raise OSError("swiftc is not on PATH")
    library = ctypes.CDLL(str(Path(swift).resolve().parent.parent / "lib" / "libIndexStore.so"))
    for name, (result, arguments) in FUNCTIONS.items():
        function = getattr(library, f"indexstore_{name}")
        function.restype, function.argtypes = result, arguments
    return library
