import Crypto
import Testing
import WardCBOR
import WardCOSE
import WardRelyingParty
import WardTesting
import WardWebAuthn

/// One service, one person with an authenticator under one of its pages, and a clock that stands still.
struct RelyingPartyFixture: Sendable {
    static let origin = "https://login.example.com"
    static let otherOrigin = "https://www.example.com"

    var relyingParty: RelyingParty
    var authenticator: VirtualAuthenticator
    let world: TestEffects
    var user: PublicKeyCredentialUserEntity

    init(
        id: String = "example.com",
        origins: [String] = [RelyingPartyFixture.origin, RelyingPartyFixture.otherOrigin],
        behaviour: VirtualAuthenticator.Behaviour = .init(),
        seed: String = "scene",
        _ policy: (inout RelyingPartyPolicy) -> Void = { _ in }
    ) throws {
        world = TestEffects(seed: seed)
        var decided = RelyingPartyPolicy()
        policy(&decided)
        relyingParty = try RelyingParty(
            id: id,
            name: "Example",
            origins: origins,
            policy: decided,
            effects: world.effects
        )
        authenticator = VirtualAuthenticator(origin: origins[0], behaviour: behaviour, effects: world.effects)
        user = RelyingPartyFixture.person(1)
    }

    /// Somebody with an account.
    static func person(_ number: UInt8) -> PublicKeyCredentialUserEntity {
        .init(
            id: UserHandle([UInt8](repeating: number, count: 64))!,
            name: "person\(number)",
            displayName: "Person \(number)"
        )
    }

    // MARK: Without a store

    mutating func answerRegistration(
        _ request: RegistrationRequest = .init()
    ) throws -> (ceremony: Ceremony, response: RegistrationResponse) {
        let (options, ceremony) = relyingParty.registrationOptions(for: user, request: request)
        return (ceremony, try authenticator.create(options))
    }

    mutating func register(_ request: RegistrationRequest = .init()) throws -> VerifiedRegistration {
        let (ceremony, response) = try answerRegistration(request)
        return try relyingParty.verify(response, for: ceremony)
    }

    mutating func answerSignIn(
        allowing: [CredentialRecord] = [],
        of user: UserHandle? = nil,
        _ request: AuthenticationRequest = .init()
    ) throws -> (ceremony: Ceremony, response: AuthenticationResponse) {
        let (options, ceremony) = relyingParty.authenticationOptions(
            allowing: allowing.map(\.descriptor),
            user: user,
            request: request
        )
        return (ceremony, try authenticator.get(options))
    }

    /// Signs in with the record's own credential, where the authenticator holds it, whatever else it holds.
    mutating func signIn(
        with record: CredentialRecord,
        allowing: [CredentialRecord] = [],
        of user: UserHandle? = nil,
        _ request: AuthenticationRequest = .init()
    ) throws -> VerifiedAuthentication {
        let (asked, ceremony) = relyingParty.authenticationOptions(
            allowing: allowing.map(\.descriptor),
            user: user,
            request: request
        )
        var options = asked
        if authenticator.credentials.contains(where: { $0.id == record.id }) {
            options.allowCredentials = [record.descriptor]
        }
        return try relyingParty.verify(try authenticator.get(options), for: ceremony, record: record)
    }
}

/// Keeps what a body is about to check: the code and the step of the error, as one text.
func refusal(_ body: () throws -> Void) -> String {
    do {
        try body()
        return "accepted"
    } catch let error as VerificationError {
        return "\(error.code.name) at \(error.step)"
    } catch {
        return "\(error)"
    }
}

/// The code and the step of a refused result, as one text.
func refusal<Success>(_ result: Result<Success, VerificationError>) -> String {
    refusal { _ = try result.get() }
}

/// How `refusal` writes an error.
func refused(_ code: VerificationError.Code, _ step: VerificationStep) -> String { "\(code.name) at \(step)" }

extension Ceremony {
    /// The same ceremony but for what is given.
    func changed(
        kind: Kind? = nil,
        rpID: String? = nil,
        requiresUserVerification: Bool? = nil,
        isConditional: Bool? = nil,
        algorithms: [COSEAlgorithmIdentifier]? = nil,
        user: PublicKeyCredentialUserEntity?? = nil
    ) -> Ceremony {
        Ceremony(
            id: id,
            kind: kind ?? self.kind,
            challenge: challenge,
            rpID: rpID ?? self.rpID,
            requiresUserVerification: requiresUserVerification ?? self.requiresUserVerification,
            isConditional: isConditional ?? self.isConditional,
            algorithms: algorithms ?? self.algorithms,
            boundOrigin: boundOrigin,
            user: user ?? self.user,
            userHandle: userHandle,
            allowedCredentials: allowedCredentials,
            appID: appID,
            expiresAt: expiresAt,
            context: context
        )
    }
}

extension CollectedClientData {
    /// The same client data but for what is given.
    func changed(
        type: String? = nil,
        challenge: String? = nil,
        origin: String? = nil,
        crossOrigin: Bool?? = nil,
        topOrigin: String?? = nil
    ) -> CollectedClientData {
        CollectedClientData(
            type: type ?? self.type,
            challenge: challenge ?? self.challenge,
            origin: origin ?? self.origin,
            crossOrigin: crossOrigin ?? self.crossOrigin,
            topOrigin: topOrigin ?? self.topOrigin
        )
    }
}

// MARK: Bytes

/// Bytes written in code; a typing error shows at once.
func hex(_ text: String) -> [UInt8] { TestVectors.bytes(hex: text)! }

func sha256(_ bytes: [UInt8]) -> [UInt8] { Array(SHA256.hash(data: bytes)) }

extension [UInt8] {
    /// A JSON object with more before its closing brace.
    func extended(_ members: String) -> [UInt8] { extended(Array(members.utf8)) }

    /// A JSON object with more before its closing brace.
    func extended(_ members: [UInt8]) -> [UInt8] { Array(dropLast()) + members + [0x7d] }

    /// The bytes with one bit changed.
    func flipped(at index: Int, mask: UInt8 = 1) -> [UInt8] {
        var copy = self
        copy[index] ^= mask
        return copy
    }

    /// Where other bytes begin in these.
    func index(of other: [UInt8]) -> Int? {
        guard !other.isEmpty, count >= other.count else { return nil }
        return (0...(count - other.count)).first {
            self[$0] == other[0] && Array(self[$0..<($0 + other.count)]) == other
        }
    }

    /// The bytes with the first such part replaced.
    func replacing(_ part: [UInt8], with other: [UInt8]) -> [UInt8] {
        guard let start = index(of: part) else { return self }
        return Array(self[..<start]) + other + Array(self[(start + part.count)...])
    }
}

extension CBORValue {
    /// A map of integer or text keys.
    static func of(_ pairs: [(CBORValue, CBORValue)]) -> CBORValue {
        .map(pairs.map { CBORPair(key: $0.0, value: $0.1) })
    }
}

/// Every way in which bytes are damaged in one place.
enum Damage {
    /// Each byte changed by each mask, left out, or doubled, and every beginning that is not the whole.
    static func everywhere(in bytes: [UInt8], masks: [UInt8]) -> [[UInt8]] {
        var damaged: [[UInt8]] = []
        for index in bytes.indices {
            for mask in masks { damaged.append(bytes.flipped(at: index, mask: mask)) }
            var without = bytes
            without.remove(at: index)
            damaged.append(without)
            var doubled = bytes
            doubled.insert(bytes[index], at: index)
            damaged.append(doubled)
            damaged.append(Array(bytes[..<index]))
        }
        return damaged
    }
}
