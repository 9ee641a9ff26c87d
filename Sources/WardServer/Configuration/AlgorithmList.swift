package import WardCOSE
import WardRelyingParty

/// The signature algorithms that a service asks for in new passkeys, best first.
///
/// Passkeys that exist sign in with any algorithm, also with one that is not in the list.
public struct AlgorithmList: Hashable, Sendable {
    /// The list; never empty, and each algorithm once.
    package let algorithms: [COSEAlgorithmIdentifier]

    /// ES256, EdDSA and RS256.
    public static let standard = Self(RelyingPartyPolicy().algorithms)

    private init(_ algorithms: [COSEAlgorithmIdentifier]) { self.algorithms = algorithms }

    /// Reads names with commas between them, such as `ML-DSA-65,ES256,RS256`.
    ///
    /// - Parameter text: The setting's text. Spaces and the case of letters do not matter.
    /// - Throws: ``ServerConfigurationError`` if a name is not known, comes twice, or is missing. It says which names there are.
    public init(settingText text: String) throws(ServerConfigurationError) {
        var algorithms: [COSEAlgorithmIdentifier] = []
        for part in text.split(separator: ",", omittingEmptySubsequences: false) {
            let name = part.filter { $0 != " " }
            let found = COSEAlgorithmIdentifier.supported.first { $0.name.lowercased() == name.lowercased() }
            guard let algorithm = found else {
                let known = COSEAlgorithmIdentifier.supported.map(\.name).joined(separator: ", ")
                throw ServerConfigurationError(
                    "\"\(name)\" is not a known signature algorithm: use some of \(known), with commas between them"
                )
            }
            guard !algorithms.contains(algorithm) else {
                throw ServerConfigurationError(
                    "the signature algorithm \(algorithm.name) is in the list twice: name it once"
                )
            }
            algorithms.append(algorithm)
        }
        self.algorithms = algorithms
    }
}
