internal import CNSS
internal import WardVault

/// The keys of a profile of Firefox, opened by NSS.
///
/// NSS has one state for the whole process, so only one value of this type exists at a time.
@safe final class NSSKeys {
    private let functions: UnsafePointer<ward_nss>
    private let slot: OpaquePointer
    private var isOpen = true

    /// Opens the keys of a profile for reading.
    ///
    /// - Throws: ``ImportError`` with `unsupported` if no library can be loaded, `malformed` if the profile has no keys, and
    ///   `passphraseNeeded` or `wrongPassphrase`.
    init(folder: String, libraries: [String], passphrase: SecretText?) throws(ImportError) {
        guard let functions = unsafe libraries.lazy.compactMap({ unsafe ward_nss_load($0) }).first else {
            throw ImportError(.unsupported, "NSS, which decrypts the passwords of Firefox, is missing: install libnss3")
        }
        // The new form of the files; the old one has not been written since 2018.
        guard unsafe functions.pointee.NSS_Initialize("sql:" + folder, "", "", "", UInt32(WARD_NSS_FLAGS)) == 0 else {
            throw ImportError(.malformed, "NSS cannot open the keys of the profile (key4.db)")
        }
        guard let slot = unsafe functions.pointee.PK11_GetInternalKeySlot() else {
            _ = unsafe functions.pointee.NSS_Shutdown()
            throw ImportError(.malformed, "NSS cannot open the keys of the profile (key4.db)")
        }
        unsafe (self.functions, self.slot) = (functions, slot)
        try logIn(passphrase)
    }

    deinit { close() }

    private func logIn(_ passphrase: SecretText?) throws(ImportError) {
        guard unsafe functions.pointee.PK11_NeedUserInit(slot) == 0 else {
            throw ImportError(.malformed, "the profile has no keys (key4.db)")
        }
        // A profile without a primary password opens with the empty one.
        if unsafe functions.pointee.PK11_CheckUserPassword(slot, "") == 0 { return }
        guard let passphrase else {
            throw ImportError(.passphraseNeeded, "the profile has a primary password")
        }
        guard unsafe functions.pointee.PK11_CheckUserPassword(slot, passphrase.revealed) == 0 else {
            throw ImportError(.wrongPassphrase, "the primary password is wrong")
        }
    }

    /// Decrypts a value; `nil` if it is not one of this profile.
    func decrypt(_ sealed: [UInt8]) -> [UInt8]? {
        guard isOpen, !sealed.isEmpty, let count = UInt32(exactly: sealed.count) else { return nil }
        var sealed = sealed
        return unsafe sealed.withUnsafeMutableBufferPointer { buffer in
            var data = unsafe ward_nss_bytes(kind: 0, data: buffer.baseAddress, length: count)
            var result = unsafe ward_nss_bytes(kind: 0, data: nil, length: 0)
            guard unsafe functions.pointee.PK11SDR_Decrypt(&data, &result, nil) == 0 else { return nil }
            let plain = unsafe [UInt8](UnsafeBufferPointer(start: result.data, count: Int(result.length)))
            unsafe functions.pointee.SECITEM_ZfreeItem(&result, 0)
            return plain
        }
    }

    /// Closes the keys.
    ///
    /// NSS wipes its own copies.
    func close() {
        guard isOpen else { return }
        isOpen = false
        unsafe functions.pointee.PK11_FreeSlot(slot)
        _ = unsafe functions.pointee.NSS_Shutdown()
    }
}
