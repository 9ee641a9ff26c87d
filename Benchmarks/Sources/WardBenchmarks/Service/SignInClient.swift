import Foundation
import WardTesting
import WardWebAuthn

/// A browser in which several people sign in one after the other, each with one passkey.
final class SignInClient {
    private let connection: HTTPConnection
    private var people: [VirtualAuthenticator]
    private var next = 0
    /// Turns the answer of an authenticator into that of another one with the same key.
    private let replacing: (AuthenticationResponse) -> AuthenticationResponse

    init(
        _ connection: HTTPConnection,
        _ people: [VirtualAuthenticator],
        replacing: @escaping (AuthenticationResponse) -> AuthenticationResponse = { $0 }
    ) {
        self.connection = connection
        self.people = people
        self.replacing = replacing
    }

    /// Creates an account with a passkey.
    ///
    /// - Returns: What holds the passkey.
    static func register(_ name: String, origin: String, on connection: HTTPConnection) throws -> VirtualAuthenticator {
        let client = SignInClient(connection, [VirtualAuthenticator(origin: origin)])
        let body = try JSONSerialization.data(withJSONObject: ["username": name])
        let (ceremony, options) = try client.start("registration", Array(body))
        let credential = try client.people[0].create(PublicKeyCredentialCreationOptions(json: options))
        _ = try client.finish("registration", ceremony, credential.json, expecting: 201)
        return client.people[0]
    }

    /// Begins a sign-in.
    @discardableResult
    func options() throws -> (ceremony: String, options: [UInt8]) {
        try start("sign-in", Array("{}".utf8))
    }

    /// The next person signs in.
    ///
    /// - Returns: The session's cookie.
    @discardableResult
    func signIn() throws -> String {
        let (ceremony, options) = try options()
        next = (next + 1) % people.count
        let credential = replacing(try people[next].get(PublicKeyCredentialRequestOptions(json: options)))
        return try finish("sign-in", ceremony, credential.json, expecting: 200).cookie
    }

    private func start(_ kind: String, _ body: [UInt8]) throws -> (ceremony: String, options: [UInt8]) {
        let answer = try connection.send("POST", "/api/v1/\(kind)/options", body)
        guard answer.status == 200,
            let object = try JSONSerialization.jsonObject(with: Data(answer.body)) as? [String: Any],
            let ceremony = object["ceremony"] as? String, let options = object["publicKey"]
        else { throw Command.Failed(description: "\(kind) does not begin: \(Self.text(answer))") }
        return (ceremony, Array(try JSONSerialization.data(withJSONObject: options)))
    }

    private func finish(_ kind: String, _ ceremony: String, _ credential: [UInt8], expecting status: Int) throws
        -> HTTPConnection.Response
    {
        let body = Array("{\"ceremony\":\"\(ceremony)\",\"credential\":".utf8) + credential + Array("}".utf8)
        let answer = try connection.send("POST", "/api/v1/\(kind)/verify", body)
        guard answer.status == status else {
            throw Command.Failed(description: "\(kind) is refused: \(Self.text(answer))")
        }
        return answer
    }

    private static func text(_ answer: HTTPConnection.Response) -> String {
        "\(answer.status) \(String(decoding: answer.body, as: UTF8.self))"
    }
}
