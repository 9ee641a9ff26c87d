internal import CTSS2
internal import Foundation

/// The reason why a call of the TPM failed.
enum TPMError: Error, Hashable {
    /// tpm2-tss is not installed.
    case libraryMissing
    /// There is no TPM, or this user has no access to it.
    case unreachable
    /// The PIN is wrong. The TPM counts wrong PINs.
    case wrongPIN
    /// There were too many wrong PINs. The TPM refuses all PINs for a while.
    case lockedOut
    /// The secret was sealed for another state of the machine: the machine was restarted, the time has passed, or it starts
    /// with other software.
    case otherState
    /// The secret was sealed by another TPM, or is damaged.
    case foreign
    /// Any other error, with the TPM's error number.
    case failed(UInt32)

    fileprivate init(_ code: TSS2_RC) {
        // Error numbers of TPM 2.0, part 2, section 6.6.3, without the number of the parameter, handle or session.
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

/// The machine's TPM.
///
/// It encrypts (seals) secrets that only it can open, and only under a given rule.
///
/// Each value is one session with the TPM, and is used by one thread only.
@safe final class TPM {
    /// The device of the TPM, with the kernel's resource manager.
    static let standard = "device:/dev/tpmrm0"

    /// The rule for opening a sealed secret.
    ///
    /// In addition, the machine must have started with the same software.
    enum Rule: Hashable, Sendable {
        /// A PIN as 32 bytes. The TPM counts wrong PINs towards its own lock-out.
        case pin([UInt8])
        /// The machine was not restarted since, and the TPM's clock has not reached a given time.
        case run(resets: UInt32, until: UInt64)
    }

    private var state = unsafe ward_tpm()

    /// Opens a TPM by its name in tpm2-tss.
    ///
    /// - Throws: `TPMError`.
    init(_ name: String) throws(TPMError) {
        // tpm2-tss would load any library whose name is given here.
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

    /// The number of restarts of the machine, and the TPM's clock in milliseconds.
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

    /// Opens a secret that was sealed under the same rule.
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
