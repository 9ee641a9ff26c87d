internal import CArgon2

/// Argon2 (RFC 9106) with any number of lanes.
///
/// libsodium, which the vault uses, has only one lane.
package struct Argon2: Sendable {
    /// Argon2id, or Argon2d.
    var isID: Bool
    var salt: [UInt8]
    /// In KiB.
    var memory: UInt32
    var passes: UInt32
    var lanes: UInt32
    var version: UInt32 = 0x13
    var secret: [UInt8] = []
    var associated: [UInt8] = []

    package init(isID: Bool = true, salt: [UInt8], memory: UInt32, passes: UInt32, lanes: UInt32) {
        self.isID = isID
        self.salt = salt
        self.memory = memory
        self.passes = passes
        self.lanes = lanes
    }

    /// The hash of a passphrase or key: 32 bytes.
    ///
    /// - Throws: ``ImportError`` with `tooLarge` if there is not enough memory.
    func hash(_ key: [UInt8]) throws(ImportError) -> [UInt8] {
        var (output, key, salt, secret, associated) = ([UInt8](repeating: 0, count: 32), key, salt, secret, associated)
        let status = unsafe output.withUnsafeMutableBufferPointer { output in
            unsafe key.withUnsafeMutableBufferPointer { key in
                unsafe salt.withUnsafeMutableBufferPointer { salt in
                    unsafe secret.withUnsafeMutableBufferPointer { secret in
                        unsafe associated.withUnsafeMutableBufferPointer { associated in
                            var context = unsafe argon2_context()
                            unsafe (context.out, context.outlen) = (output.baseAddress, UInt32(output.count))
                            unsafe (context.pwd, context.pwdlen) = (key.baseAddress, UInt32(key.count))
                            unsafe (context.salt, context.saltlen) = (salt.baseAddress, UInt32(salt.count))
                            if !secret.isEmpty {
                                unsafe (context.secret, context.secretlen) = (secret.baseAddress, UInt32(secret.count))
                            }
                            if !associated.isEmpty {
                                unsafe (context.ad, context.adlen) = (associated.baseAddress, UInt32(associated.count))
                            }
                            unsafe context.t_cost = passes
                            unsafe context.m_cost = memory
                            unsafe context.lanes = lanes
                            unsafe context.threads = min(lanes, 8)
                            unsafe context.version = version
                            return unsafe argon2_ctx(&context, isID ? Argon2_id : Argon2_d)
                        }
                    }
                }
            }
        }
        guard status == ARGON2_OK.rawValue else {
            throw ImportError(.tooLarge, "there is not enough memory to derive the key of the file")
        }
        return output
    }
}
