import Crypto
import CryptoExtras
import Foundation
import NIOHTTP1
import WardText

extension Lie {
    private static var now: Double { Date().timeIntervalSince1970 }
    private static let padding = [UInt8](repeating: 0x20, count: 300 * 1024)

    /// Each is refused for what it says alone: everything else in it is true.
    static let refused: [Lie] = [
        // The identity token.
        Lie(testDescription: "another nonce", refusal: "another sign-in", claims: { $0["nonce"] = "another" }),
        Lie(testDescription: "no nonce", refusal: "another sign-in", claims: { $0["nonce"] = nil }),
        Lie(testDescription: "another audience", refusal: "another app", claims: { $0["aud"] = "another" }),
        Lie(testDescription: "no audience at all", refusal: "another app", claims: { $0["aud"] = [] }),
        Lie(
            testDescription: "two audiences and nobody in charge",
            refusal: "another app",
            claims: { $0["aud"] = ["shiny", "another"] }
        ),
        Lie(testDescription: "another party in charge", refusal: "another app", claims: { $0["azp"] = "another" }),
        Lie(
            testDescription: "another issuer",
            refusal: "from another issuer",
            claims: { $0["iss"] = "https://id.example.com" }
        ),
        Lie(testDescription: "expired", refusal: "has expired", claims: { $0["exp"] = .number(now - 3600) }),
        Lie(testDescription: "no end", refusal: "cannot be verified", claims: { $0["exp"] = nil }),
        Lie(
            testDescription: "made tomorrow",
            refusal: "too old, or its time is in the future",
            claims: { $0["iat"] = .number(now + 86_400) }
        ),
        Lie(
            testDescription: "made long ago",
            refusal: "too old, or its time is in the future",
            claims: { $0["iat"] = .number(now - 86_400) }
        ),
        Lie(
            testDescription: "not before tomorrow",
            refusal: "too old, or its time is in the future",
            claims: { $0["nbf"] = .number(now + 86_400) }
        ),
        Lie(testDescription: "nobody", refusal: "no valid subject", claims: { $0["sub"] = "" }),
        Lie(
            testDescription: "a name without end",
            refusal: "no valid subject",
            claims: { $0["sub"] = .string(String(repeating: "a", count: 256)) }
        ),
        // Its signature.
        Lie(
            testDescription: "no signature",
            refusal: "not accepted",
            header: { $0["alg"] = "none" },
            token: Self.unsigned
        ),
        Lie(
            testDescription: "no signature, in capitals",
            refusal: "not accepted",
            header: { $0["alg"] = "NONE" },
            token: Self.unsigned
        ),
        Lie(testDescription: "no signature under a good name", refusal: "cannot be verified", token: Self.unsigned),
        Lie(testDescription: "a keyed hash", refusal: "not accepted", header: { $0["alg"] = "HS256" }),
        Lie(
            testDescription: "another algorithm than the key's",
            refusal: "another algorithm",
            header: { $0["alg"] = "RS256" }
        ),
        Lie(testDescription: "an unknown key", refusal: "no key with the key ID", header: { $0["kid"] = "unknown" }),
        Lie(testDescription: "no key", refusal: "has no key ID", header: { $0["kid"] = nil }),
        Lie(testDescription: "a key for another use", refusal: "no key with the key ID", key: { $0["use"] = "enc" }),
        Lie(testDescription: "a key for another algorithm", refusal: "another algorithm", key: { $0["alg"] = "ES384" }),
        Lie(
            testDescription: "another key of the name",
            refusal: "signature",
            key: { members in
                let other = Issuer.Key.p256(.init()).members
                members["x"] = other["x"]
                members["y"] = other["y"]
            }
        ),
        Lie(
            testDescription: "a key that is not a point",
            refusal: "cannot be verified",
            key: { $0["x"] = .string(Base64URL.encode([UInt8](repeating: 1, count: 32))) }
        ),
        Lie(
            testDescription: "an extension that must be understood",
            refusal: "needs an unknown extension",
            header: { $0["crit"] = ["b64"] }
        ),
        Lie(testDescription: "a signature with one bit changed", refusal: "signature", token: Self.spoiled),
        Lie(testDescription: "half a token", refusal: "cannot be read", token: { String($0.prefix($0.count / 2)) }),
        Lie(testDescription: "four parts", refusal: "cannot be read", token: { $0 + ".more" }),
        // The way back.
        Lie(
            testDescription: "another issuer's answer",
            refusal: "comes from another issuer",
            answer: { $0["iss"] = "https://id.example.com" }
        ),
        Lie(testDescription: "nobody's answer", refusal: "comes from another issuer", answer: { $0["iss"] = nil }),
        Lie(testDescription: "an answer without a code", refusal: "has no code", answer: { $0["code"] = nil }),
        Lie(testDescription: "another code", refusal: "status 400", answer: { $0["code"] = "stolen" }),
        Lie(
            testDescription: "that it failed",
            refusal: "server_error",
            answer: {
                $0["code"] = nil
                $0["error"] = "server_error"
            }
        ),
        // What it says of itself.
        Lie(
            testDescription: "that it is another",
            refusal: "for another issuer",
            discovery: { document, _ in document["issuer"] = "https://id.example.com" }
        ),
        Lie(
            testDescription: "that challenges are shown",
            refusal: "S256",
            discovery: { document, _ in document["code_challenge_methods_supported"] = ["plain"] }
        ),
        Lie(
            testDescription: "that it knows no codes",
            refusal: "authorization code flow",
            discovery: { document, _ in document["response_types_supported"] = ["id_token"] }
        ),
        Lie(
            testDescription: "that its tokens are elsewhere in the clear",
            refusal: "does not begin with https",
            discovery: { document, _ in document["token_endpoint"] = "http://id.example.com/token" }
        ),
        Lie(
            testDescription: "that it tells names in the clear",
            refusal: "does not begin with https",
            discovery: { document, _ in document["userinfo_endpoint"] = "http://id.example.com/userinfo" }
        ),
        Lie(
            testDescription: "the name of somebody else",
            refusal: "about another person",
            discovery: { $0["userinfo_endpoint"] = .string($1 + "/userinfo") },
            claims: { $0["email"] = nil },
            instead: {
                $0 == "userinfo" ? .json(["sub": "grace", "name": "Grace", "email": "grace@example.com"]) : nil
            }
        ),
        Lie(
            testDescription: "that its keys are a file",
            refusal: "does not begin with https",
            discovery: { document, _ in document["jwks_uri"] = "file:///etc/passwd" }
        ),
        Lie(
            testDescription: "a configuration too large",
            refusal: "256 KiB",
            instead: { $0 == "discovery" ? .init(body: padding) : nil }
        ),
        Lie(
            testDescription: "tokens too large",
            refusal: "256 KiB",
            instead: { $0 == "token" ? .init(body: padding) : nil }
        ),
        Lie(
            testDescription: "keys too large",
            refusal: "256 KiB",
            instead: { $0 == "keys" ? .init(body: padding) : nil }
        ),
        Lie(
            testDescription: "keys that are not keys",
            refusal: "keys cannot be read",
            instead: { $0 == "keys" ? .init(body: Array("[]".utf8)) : nil }
        ),
        Lie(
            testDescription: "a configuration that is a page",
            refusal: "not JSON",
            instead: {
                $0 == "discovery" ? .init(headers: [("content-type", "text/html")], body: Array("<p>".utf8)) : nil
            }
        ),
        Lie(
            testDescription: "that its configuration is elsewhere",
            refusal: "redirects when asked for its configuration",
            instead: { $0 == "discovery" ? .init(status: .found, headers: [("location", "/keys")]) : nil }
        ),
        Lie(
            testDescription: "that the code is not good",
            refusal: "status 400",
            instead: { $0 == "token" ? .init(status: .badRequest) : nil }
        ),
    ]

    /// The issuer answers at once and gives no second code, or one that must not be taken.
    static let withoutSecondCode: [Lie] = [
        Lie(
            testDescription: "that the person must sign in",
            secondAnswer: {
                $0["code"] = nil
                $0["error"] = "login_required"
            }
        ),
        Lie(
            testDescription: "a refusal beside a code",
            secondAnswer: { $0["error"] = "access_denied" }
        ),
        Lie(testDescription: "another issuer's answer", secondAnswer: { $0["iss"] = "https://id.example.com" }),
        Lie(testDescription: "nobody's answer", secondAnswer: { $0["iss"] = nil }),
        Lie(testDescription: "no code", secondAnswer: { $0["code"] = nil }),
        Lie(testDescription: "an empty code", secondAnswer: { $0["code"] = "" }),
    ]

    /// No answer to the request for the second code comes back.
    static let withoutSecondAnswer: [Lie] = [
        Lie(testDescription: "nothing", secondAnswer: { $0 = [:] }),
        Lie(testDescription: "another state", secondAnswer: { $0["state"] = "guessed" }),
        Lie(testDescription: "no state", secondAnswer: { $0["state"] = nil }),
    ]

    private static let unsigned: @Sendable (String) -> String = { token in
        token.split(separator: ".").prefix(2).joined(separator: ".") + "."
    }

    private static let spoiled: @Sendable (String) -> String = { token in
        let parts = token.split(separator: ".")
        var signature = Base64URL.decode(String(parts[2])) ?? []
        signature[10] ^= 1
        return parts[0] + "." + parts[1] + "." + Base64URL.encode(signature)
    }
}
