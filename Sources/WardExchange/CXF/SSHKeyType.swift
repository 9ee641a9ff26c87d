internal import WardCOSE

/// The name of an SSH key's type, from the key itself.
enum SSHKeyType {
    /// 1.2.840.113549.1.1.1.
    private static let rsa: [UInt8] = [0x06, 0x09, 0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x01, 0x01]

    /// The name of a private key in PKCS#8, RFC 4253 and its successors; `nil` for a key of another kind.
    static func name(ofPrivateKey der: [UInt8]) -> String? {
        switch PasskeyAlgorithm.of(privateKey: der) {
        case .edDSA: "ssh-ed25519"
        case .es256: "ecdsa-sha2-nistp256"
        case .es384: "ecdsa-sha2-nistp384"
        case .es512: "ecdsa-sha2-nistp521"
        default: der.prefix(40).firstRange(of: rsa) != nil ? "ssh-rsa" : nil
        }
    }
}
