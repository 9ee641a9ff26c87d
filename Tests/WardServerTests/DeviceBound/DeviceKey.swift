import Crypto
import CryptoExtras
import Foundation
import HTTPTypes
import Testing
import WardTesting
import WardText

/// The key of a device, which signs proofs as Chromium does.
struct DeviceKey: Sendable {
    private enum Key {
        case ec(P256.Signing.PrivateKey)
        case rsa(_RSA.Signing.PrivateKey)
    }

    /// The parts of a proof, before they are signed.
    struct Parts {
        var header: [String: JSONValue]
        var payload: [String: JSONValue]
    }

    private let key: Key

    init() { key = .ec(P256.Signing.PrivateKey()) }

    /// - Parameter bits: The length of an RSA key.
    init(rsa bits: Int) throws { key = .rsa(try _RSA.Signing.PrivateKey(unsafeKeySize: .init(bitCount: bits))) }

    var algorithm: JSONValue {
        if case .rsa = key { "RS256" } else { "ES256" }
    }

    var jwk: JSONValue {
        switch key {
        case .ec(let key):
            let point = Array(key.publicKey.rawRepresentation)
            return [
                "kty": "EC", "crv": "P-256", "x": .string(Base64URL.encode(Array(point.prefix(32)))),
                "y": .string(Base64URL.encode(Array(point.suffix(32)))),
            ]
        case .rsa(let key):
            guard let numbers = try? key.publicKey.getKeyPrimitives() else { return .null }
            return [
                "kty": "RSA", "n": .string(Base64URL.encode(Array(numbers.modulus))),
                "e": .string(Base64URL.encode(Array(numbers.publicExponent))),
            ]
        }
    }

    /// A proof; a registration has the public key in it.
    func proof(
        _ challenge: String,
        registers: Bool = false,
        _ spoil: (inout Parts) -> Void = { _ in }
    ) throws -> String {
        var parts = Parts(header: ["typ": "dbsc+jwt", "alg": algorithm], payload: ["jti": .string(challenge)])
        if registers { parts.header["jwk"] = jwk }
        spoil(&parts)
        return try signed(parts)
    }

    func signed(_ parts: Parts) throws -> String {
        let texts = [parts.header, parts.payload].map { members in
            let sorted = members.sorted { $0.key < $1.key }.map { JSONValue.Member($0.key, $0.value) }
            return Base64URL.encode(JSONValue.object(sorted).serialized)
        }
        let message = Array(texts.joined(separator: ".").utf8)
        return (texts + [Base64URL.encode(try signature(of: message))]).joined(separator: ".")
    }

    private func signature(of message: [UInt8]) throws -> [UInt8] {
        switch key {
        case .ec(let key): Array(try key.signature(for: message).rawRepresentation)
        case .rsa(let key):
            Array(try key.signature(for: SHA256.hash(data: message), padding: .insecurePKCS1v1_5).rawRepresentation)
        }
    }
}

extension Visitor {
    /// What the answer to a sign-in says to a browser that can bind sessions.
    func challenge(in answer: Answer) throws -> String {
        let field = try #require(HTTPField.Name("Secure-Session-Registration"))
        let value = try #require(answer.headers[field])
        return try #require(value.firstMatch(of: /challenge="([^"]+)"/)).output.1.description
    }

    /// Sends a proof to the address where browsers register keys.
    @discardableResult
    func registerDevice(_ proof: String) async throws -> Answer {
        try await send(.post, "/device-session/registration", nil, HTTPFields("Secure-Session-Response", proof))
    }

    /// Binds the session of a sign-in, and waits until requests without the cookie count no more.
    @discardableResult
    func bind(_ key: DeviceKey, after signIn: Answer, in world: ServiceFixture) async throws -> Answer {
        let answer = try await registerDevice(key.proof(challenge(in: signIn), registers: true))
        #expect(answer.status == .ok, "\(answer.text)")
        world.effects.advance(by: 10)
        return answer
    }

    /// Asks for a new cookie.
    func refresh(_ session: String, _ proof: String? = nil) async throws -> Answer {
        var fields = HTTPFields("Sec-Secure-Session-Id", "\"\(session)\"")
        if let proof { for field in HTTPFields("Secure-Session-Response", proof) { fields.append(field) } }
        return try await send(.post, "/device-session/refresh", nil, fields)
    }

    /// The challenge that a browser gets that asks for a new cookie.
    func refreshChallenge(_ session: String) async throws -> String {
        let answer = try await refresh(session)
        #expect(answer.refusal == "403 device_challenge")
        return try answer.refreshChallenge
    }

    /// Gets a new cookie, as a browser does.
    @discardableResult
    func renew(_ key: DeviceKey, _ session: String) async throws -> Answer {
        try await refresh(session, key.proof(refreshChallenge(session)))
    }
}

extension Answer {
    /// The challenge of an answer to a refresh.
    var refreshChallenge: String {
        get throws {
            let field = try #require(HTTPField.Name("Secure-Session-Challenge"))
            let value = try #require(headers[field])
            return try #require(value.firstMatch(of: /^"([^"]+)";id="[^"]+"$/)).output.1.description
        }
    }

    /// The ID of the session that a browser is told.
    var deviceSession: String { self["session_identifier"]?.stringValue ?? "" }
}

extension HTTPFields {
    /// A field whose name is a valid one.
    init(_ name: String, _ value: String) {
        self.init()
        if let name = HTTPField.Name(name) { self[name] = value }
    }
}
