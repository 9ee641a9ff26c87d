import HTTPTypes
import Testing
import WardText

@Suite struct `Refusals are problem documents` {
    /// A refused call with the member at fault.
    struct Fault: Sendable, CustomTestStringConvertible {
        let call: String
        let body: JSONValue
        let refusal: String
        let pointer: String?
        var testDescription: String { "\(call) \(refusal)" }
    }

    private static let password: JSONValue = "rotating teapot 41 lanterns"

    @Test(arguments: [
        Fault(call: "account", body: ["username": "ada"], refusal: "400 malformed_request", pointer: "#/password"),
        Fault(
            call: "account",
            body: ["username": 1, "password": password],
            refusal: "400 malformed_request",
            pointer: "#/username"
        ),
        Fault(
            call: "account",
            body: ["username": "two words", "password": password],
            refusal: "422 username_not_allowed",
            pointer: "#/username"
        ),
        Fault(
            call: "account",
            body: ["username": "admin", "password": password],
            refusal: "422 username_reserved",
            pointer: "#/username"
        ),
        Fault(
            call: "account",
            body: ["username": "taken", "password": password],
            refusal: "409 username_taken",
            pointer: "#/username"
        ),
        Fault(
            call: "account",
            body: ["username": "ada", "password": password, "displayName": " "],
            refusal: "422 display_name_not_allowed",
            pointer: "#/displayName"
        ),
        Fault(
            call: "account",
            body: ["username": "ada", "password": "short"],
            refusal: "422 password_too_short",
            pointer: "#/password"
        ),
        Fault(
            call: "account",
            body: ["username": "ada", "password": "passwordpassword"],
            refusal: "422 password_too_common",
            pointer: "#/password"
        ),
        Fault(
            call: "registration/options",
            body: ["username": "ada", "mediation": "silent"],
            refusal: "400 malformed_request",
            pointer: "#/mediation"
        ),
        Fault(
            call: "sign-in/password",
            body: ["username": "ada", "password": "wrong"],
            refusal: "401 sign_in_failed",
            pointer: nil
        ),
    ])
    func `with the code, and the member of the body that is at fault`(fault: Fault) async throws {
        try await withService { world in
            try await world.visitor().register("taken")
            let answer = try await world.visitor().post(fault.call, fault.body)
            #expect(answer.refusal == fault.refusal)
            #expect(answer["pointer"]?.stringValue == fault.pointer)
        }
    }

    @Test func `and name the way to sign in where nobody is signed in`() async throws {
        try await withService { world in
            let answer = try await world.visitor().get("account")
            #expect(answer.refusal == "401 not_signed_in")
            #expect(answer.headers[.wwwAuthenticate] == "Bearer")
            let missing = try await world.visitor().get("nothing")
            #expect(missing.refusal == "404 not_found")
            #expect(missing.headers[.wwwAuthenticate] == nil)
        }
    }

    @Test func `and the name of a passkey is at fault where the call has it`() async throws {
        try await withService { world in
            let ada = world.visitor()
            try await ada.register("ada")
            let id = try #require(try await ada.passkeys().first)
            let answer = try await ada.send(.patch, "account/passkeys/\(id)", Array("{\"name\":\"\"}".utf8))
            #expect(answer.refusal == "422 passkey_name_not_allowed")
            #expect(answer["pointer"] == "#/name")
        }
    }
}
