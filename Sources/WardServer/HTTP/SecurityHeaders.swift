import HTTPTypes
import Hummingbird

/// The header fields of every response.
package struct SecurityHeaders: Sendable {
    private let fields: [HTTPField]

    /// - Parameter isSecure: Whether the service is served over https, so that browsers may be told to require it.
    package init(isSecure: Bool) {
        var fields = [
            HTTPField(name: .contentSecurityPolicy, value: Self.policy),
            HTTPField(name: .permissionsPolicy, value: Self.permissions),
            HTTPField(name: .referrerPolicy, value: "same-origin"),
            HTTPField(name: .xContentTypeOptions, value: "nosniff"),
            HTTPField(name: .openerPolicy, value: "same-origin"),
            HTTPField(name: .resourcePolicy, value: "same-origin"),
        ]
        if isSecure { fields.append(HTTPField(name: .strictTransportSecurity, value: "max-age=63072000")) }
        self.fields = fields
    }

    /// Adds the fields.
    ///
    /// A policy of the response's own stays. It also forbids caching, unless the response has a rule for caching.
    func apply(to headers: inout HTTPFields) {
        for field in fields where field.name != .contentSecurityPolicy || !headers.contains(field.name) {
            headers[field.name] = field.value
        }
        if !headers.contains(.cacheControl) { headers[.cacheControl] = "no-store" }
    }

    /// Allows only the service's own files: no inline script or style, no frames, no script from text.
    private static let policy = [
        "default-src 'none'", "script-src 'self'", "style-src 'self'", "img-src 'self'", "connect-src 'self'",
        "form-action 'self'", "base-uri 'none'", "frame-ancestors 'none'", "require-trusted-types-for 'script'",
        "trusted-types 'none'",
    ].joined(separator: "; ")

    /// For images that the service's owner brings: shown by their own address, they run no script and load nothing.
    static let imagePolicy = "default-src 'none'; style-src 'unsafe-inline'; sandbox"

    private static let permissions = [
        "publickey-credentials-create=(self)", "publickey-credentials-get=(self)", "camera=()", "geolocation=()",
        "microphone=()", "payment=()", "usb=()",
    ].joined(separator: ", ")
}

extension HTTPField.Name {
    /// A header name that is always valid, so the fallback is never used.
    static func known(_ name: String) -> Self { Self(name) ?? .contentSecurityPolicy }

    static let contentDisposition = known("Content-Disposition")
    static let permissionsPolicy = known("Permissions-Policy")
    static let referrerPolicy = known("Referrer-Policy")
    static let openerPolicy = known("Cross-Origin-Opener-Policy")
    static let resourcePolicy = known("Cross-Origin-Resource-Policy")
}
