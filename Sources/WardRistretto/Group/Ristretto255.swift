internal import CSodium

/// The group ristretto255 ([RFC 9496](https://www.rfc-editor.org/rfc/rfc9496)), with libsodium.
///
/// All elements are in their encoded form. The order of the group is a prime, so there is no element of a small order but the identity.
package enum Ristretto255 {
    /// The length of an element, in bytes.
    package static let elementLength = 32
    /// The length of a scalar, in bytes.
    package static let scalarLength = 32
    /// The length of the uniform bytes from which an element is derived.
    package static let hashLength = 64

    /// The identity, which no party may send.
    package static let identity = [UInt8](repeating: 0, count: elementLength)

    /// Draws a scalar from 1 to the order of the group less 1, all equally likely.
    ///
    /// - Throws: ``RistrettoError/unavailable`` if there is no memory.
    static func randomScalar() throws(RistrettoError) -> SecretBytes {
        try unsafe SecretBytes(count: scalarLength) { (buffer) throws(RistrettoError) in
            guard let start = buffer.baseAddress else { throw .unavailable }
            unsafe crypto_core_ristretto255_scalar_random(start.assumingMemoryBound(to: UInt8.self))
        }
    }

    /// Derives an element from 64 uniform bytes (RFC 9496, section 4.3.4).
    ///
    /// - Throws: ``RistrettoError/notAnElement`` for another length.
    static func element(from hash: SecretBytes) throws(RistrettoError) -> SecretBytes {
        guard hash.count == hashLength else { throw .notAnElement }
        return try unsafe SecretBytes(count: elementLength) { (buffer) throws(RistrettoError) in
            guard let target = unsafe buffer.baseAddress?.assumingMemoryBound(to: UInt8.self) else {
                throw .unavailable
            }
            let result = unsafe hash.withBytes { bytes in
                guard let source = unsafe bytes.baseAddress?.assumingMemoryBound(to: UInt8.self) else {
                    return Int32(-1)
                }
                return unsafe crypto_core_ristretto255_from_hash(target, source)
            }
            guard result == 0 else { throw .notAnElement }
        }
    }

    /// Multiplies an element by a scalar.
    ///
    /// The element is checked: bytes in another form than the one of RFC 9496 are refused, and so are the identity and a
    /// product that is the identity.
    ///
    /// - Throws: ``RistrettoError/notAnElement``.
    static func multiply(_ element: Span<UInt8>, by scalar: SecretBytes) throws(RistrettoError) -> SecretBytes {
        guard element.count == elementLength, scalar.count == scalarLength else { throw .notAnElement }
        var bits: UInt8 = 0
        for index in element.indices { bits |= element[index] }
        // libsodium 1.0.18 ignores the highest bit, so it takes each element in a second form.
        guard bits != 0, element[elementLength - 1] & 0x80 == 0 else { throw .notAnElement }
        return try unsafe SecretBytes(count: elementLength) { (buffer) throws(RistrettoError) in
            guard let target = unsafe buffer.baseAddress?.assumingMemoryBound(to: UInt8.self) else {
                throw .unavailable
            }
            let result = unsafe element.withUnsafeBufferPointer { element in
                unsafe scalar.withBytes { scalar in
                    guard let element = element.baseAddress,
                        let scalar = unsafe scalar.baseAddress?.assumingMemoryBound(to: UInt8.self),
                        unsafe crypto_core_ristretto255_is_valid_point(element) == 1
                    else { return Int32(-1) }
                    return unsafe crypto_scalarmult_ristretto255(target, scalar, element)
                }
            }
            guard result == 0 else { throw .notAnElement }
        }
    }

    /// The same for an element that is secret.
    ///
    /// - Throws: ``RistrettoError/notAnElement``.
    static func multiply(_ element: SecretBytes, by scalar: SecretBytes) throws(RistrettoError) -> SecretBytes {
        try unsafe element.withBytes { (bytes) throws(RistrettoError) in
            try unsafe multiply(bytes.assumingMemoryBound(to: UInt8.self).span, by: scalar)
        }
    }
}
