internal import CTSS2
internal import Foundation

/// Why the TPM does not do what is asked.
enum TPMError: Error, Hashable {
    /// tpm2-tss is not installed.
    case libraryMissing
    /// There is no TPM, or this user may not use it.
    case unreachable
    /// The PIN is wrong; the TPM counts.
    case wrongPIN
    /// Too many wrong PINs: the TPM refuses for a while, whatever comes.
    case lockedOut
    /// What was sealed is for another state of the machine: it was started anew, or its time is over, or it starts in another way.
    case otherState
    /// What was sealed is another TPM's, or damaged.
    case foreign
    /// Anything else, with the TPM's own number.
    case failed(UInt32)

    fileprivate init(_ code: TSS2_RC) {
        // Numbers of TPM 2.0, part 2, section 6.6.3, without the number of the parameter, handle or session.
        let isFormatOne = code & 0x80 != 0
        self =
            switch isFormatOne ? code & 0xbf : code & 0xfff {
            case 0x921: .lockedOut
            case 0x8e, 0xa2: .wrongPIN
            case 0x9d, 0x126, 0x128: .otherState
            case 0x9f, 0x95, 0x96: .foreign
            default: .failed(code)
            }
    }
}

/// The machine's TPM: seals secrets that it alone opens, and only in the state that was asked for.
///
/// Each value is one conversation, used by one thread.
@safe final class TPM {
    /// The TPM itself, behind the kernel's resource manager.
    static let standard = "device:/dev/tpmrm0"

    /// What opens a sealed secret, beside the machine having started as it did.
    enum Rule: Hashable, Sendable {
        /// A PIN, as 32 bytes. Wrong ones count towards the TPM's own lock-out.
        case pin([UInt8])
        /// That the machine was not started anew since, and that the TPM's clock has not reached a time.
        case run(resets: UInt32, until: UInt64)
    }

    private var state = unsafe ward_tpm()

    /// Opens a TPM by the name that tpm2-tss has for it.
    ///
    /// - Throws: `TPMError`.
    init(_ name: String) throws(TPMError) {
        // The loader of tpm2-tss would load any library that a name asks for.
        guard ["device:", "swtpm:"].contains(where: { name.hasPrefix($0) }) else { throw .unreachable }
        guard let library = unsafe ward_tss2_load() else { throw .libraryMissing }
        let code = unsafe ward_tpm_open(&state, library, name)
        guard code == 0 else {
            let isThere = unsafe state.esys != nil
            unsafe ward_tpm_close(&state)
            throw isThere ? TPMError(code) : .unreachable
        }
    }

    deinit { unsafe ward_tpm_close(&state) }

    /// How often the machine was started, and the TPM's clock in milliseconds.
    func clock() throws(TPMError) -> (resets: UInt32, milliseconds: UInt64) {
        var (resets, milliseconds): (UInt32, UInt64) = (0, 0)
        try check(unsafe ward_tpm_clock(&state, &resets, &milliseconds))
        return (resets, milliseconds)
    }

    /// Seals at most 64 bytes.
    func seal(_ secret: [UInt8], _ rule: Rule) throws(TPMError) -> [UInt8] {
        var blob = [UInt8](repeating: 0, count: WARD_TPM_BLOB)
        var length = 0
        try check(
            unsafe Self.with(rule) { rule in
                unsafe ward_tpm_seal(&state, rule, secret, UInt16(clamping: secret.count), &blob, &length)
            }
        )
        return Array(blob.prefix(length))
    }

    /// Opens what was sealed under the same rule.
    func unseal(_ blob: [UInt8], _ rule: Rule) throws(TPMError) -> [UInt8] {
        var secret = [UInt8](repeating: 0, count: WARD_TPM_SECRET)
        defer { for index in secret.indices { secret[index] = 0 } }
        var length: UInt16 = 0
        try check(
            unsafe Self.with(rule) { rule in
                unsafe ward_tpm_unseal(&state, rule, blob, blob.count, &secret, &length)
            }
        )
        return Array(secret.prefix(Int(length)))
    }

    private func check(_ code: TSS2_RC) throws(TPMError) { guard code == 0 else { throw TPMError(code) } }

    private static func with(_ rule: Rule, _ body: (UnsafePointer<ward_tpm_rule>) -> TSS2_RC) -> TSS2_RC {
        switch rule {
        case .pin(let pin):
            return unsafe pin.withUnsafeBufferPointer { bytes in
                var rule = unsafe ward_tpm_rule(
                    pin: bytes.baseAddress,
                    pin_length: UInt16(clamping: bytes.count),
                    resets: 0,
                    until: 0
                )
                return unsafe body(&rule)
            }
        case .run(let resets, let until):
            var rule = unsafe ward_tpm_rule(pin: nil, pin_length: 0, resets: resets, until: until)
            return unsafe body(&rule)
        }
    }
}
