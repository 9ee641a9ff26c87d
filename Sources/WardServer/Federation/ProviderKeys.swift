package import WardCOSE
import WardText

/// The keys of an identity provider: a JSON Web Key Set ([RFC 7517](https://www.rfc-editor.org/rfc/rfc7517#section-5)).
package struct ProviderKeys: Sendable {
    /// The most keys that are looked at.
    private static let mostKeys = 128

    private let entries: [JSONValue]

    /// Reads a key set.
    ///
    /// Keys of unknown kinds stay in it, because a set may have keys that this service cannot use.
    ///
    /// - Throws: ``FederationRefusal/keysUnreadable``.
    package init(_ document: [UInt8]) throws(FederationRefusal) {
        guard let entries = (try? JSONValue(document))?["keys"]?.arrayValue, entries.count <= Self.mostKeys else {
            throw .keysUnreadable
        }
        self.entries = entries
    }

    /// The key that signed a token.
    ///
    /// A token without a key ID is accepted only if the set has exactly one key for its algorithm (OpenID Connect Core 1.0,
    /// [section 10.1](https://openid.net/specs/openid-connect-core-1_0.html#Signing)).
    ///
    /// - Parameters:
    ///   - id: The key ID in the token's header.
    ///   - algorithm: The algorithm in the token's header.
    /// - Returns: The key; its algorithm is the token's.
    /// - Throws: ``FederationRefusal/keyUnknown`` if no key or several keys have the ID, ``FederationRefusal/keyUnusable`` if the
    ///   key is for another algorithm or another use.
    package func key(_ id: String?, for algorithm: COSEAlgorithmIdentifier) throws(FederationRefusal) -> COSEKey {
        guard let id else {
            let usable = entries.compactMap { try? COSEKey(jwk: $0, algorithm: algorithm) }
            guard usable.count == 1, let key = usable.first else { throw .keyUnknown }
            return key
        }
        let named = entries.filter { $0["kid"]?.stringValue.map { $0.utf8.elementsEqual(id.utf8) } == true }
        guard named.count == 1, let entry = named.first else { throw .keyUnknown }
        // This also refuses private keys, keys for encryption, and keys that name another algorithm.
        guard let key = try? COSEKey(jwk: entry, algorithm: algorithm) else { throw .keyUnusable }
        return key
    }
}
