import ArgumentParser
import Foundation
import WardInspection

/// Facts about the service.
///
/// The message is verified with them.
struct KnownOptions: ParsableArguments {
    @Option(help: "RP ID of the service. Without it nothing is verified.")
    var rpId: String?
    @Option(help: "Expected origin; repeatable.")
    var origin: [String] = []
    @Option(help: "Allowed origin of a page that has the page in a frame; repeatable.")
    var topOrigin: [String] = []
    // Base64url has hyphens: every 64th challenge begins with one.
    @Option(parsing: .unconditional, help: "Challenge that was sent, in base64url.")
    var challenge: String?
    @Option(parsing: .unconditional, help: "Public key of the credential in COSE form, in base64url or hexadecimal.")
    var publicKey: String?
    @Option(help: "Signature counter in the service's record.")
    var signCount: UInt32 = 0
    @Option(help: "Backup eligibility in the service's record: true or false.")
    var backupEligible: Bool?
    @Flag(help: "Require user verification.")
    var requireUserVerification = false
    @Flag(help: "Accept a registration without user presence, for a passkey that was created without a prompt.")
    var conditional = false
    @Option(help: "FIDO AppID that was sent.")
    var appId: String?
    @Option(help: ArgumentHelp("Trusted certificate, PEM or DER; repeatable.", valueName: "file"))
    var trustAnchor: [String] = []
    @Option(help: ArgumentHelp("BLOB of the FIDO Metadata Service.", valueName: "file"))
    var metadata: String?
    @Option(help: ArgumentHelp("Time of verification: 2026-01-31T12:00:00Z, or seconds since 1970.", valueName: "time"))
    var at: String?
    @Flag(
        help:
            "Read one JSON request per line, with \"response\" and these options as members. Print one answer per line."
    )
    var lines = false

    /// The inspection that these options describe.
    func request() throws -> InspectionRequest {
        var request = InspectionRequest()
        request.rpID = rpId
        request.origins = origin
        request.topOrigins = topOrigin
        request.challenge = try challenge.map { try Material(Array($0.utf8)).bytes }
        request.publicKey = try publicKey.map { try Material(Array($0.utf8)).bytes }
        request.signCount = signCount
        request.backupEligible = backupEligible
        request.requiresUserVerification = requireUserVerification
        request.isConditional = conditional
        request.appID = appId
        request.trustAnchors = try trustAnchor.map { try Material(try Files.read($0)).bytes }
        request.metadata = try metadata.map { try Files.read($0) }
        if let at {
            guard let seconds = Timestamp.seconds(at) else {
                throw ValidationError("--at must be a time like 2026-01-31T12:00:00Z, or seconds since 1970.")
            }
            request.at = seconds
        }
        return request
    }
}
