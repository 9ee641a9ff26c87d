internal import Foundation
package import HTTPTypes
package import NIOCore

/// The proxies that the service trusts to report a client's address.
///
/// Without any proxies, or with `none`, the client is the other end of the connection.
package struct TrustedProxies: Sendable {
    /// The values of the setting: addresses and prefixes, `unix` for the peers of a Unix socket, or `none`.
    private enum Entry: Sendable {
        case prefix(IPAddress, bits: Int)
        case unixSocket
        case none
    }

    /// The maximum number of hops that are read.
    private static let mostHops = 64

    /// Whether the service knows the addresses of its clients: the setting lists proxies, or says that there are none.
    package let knowsClients: Bool
    private let prefixes: [(address: IPAddress, bits: Int)]
    private let trustsUnixSocket: Bool

    /// Reads the setting.
    ///
    /// - Parameter settings: Its texts, each with one entry or several separated by commas.
    /// - Throws: ``ServerConfigurationError`` that names the wrong entry.
    package init(_ settings: [String]) throws(ServerConfigurationError) {
        var entries: [Entry] = []
        for text in settings.flatMap({ $0.split(separator: ",") }) {
            entries.append(try Self.entry(text.trimmingSpace()))
        }
        knowsClients = !entries.isEmpty
        let isNone = entries.contains { if case .none = $0 { true } else { false } }
        guard !isNone || entries.count == 1 else {
            throw ServerConfigurationError("the trusted proxies must be none or a list of proxies, not both")
        }
        prefixes = entries.compactMap { if case .prefix(let address, let bits) = $0 { (address, bits) } else { nil } }
        trustsUnixSocket = entries.contains { if case .unixSocket = $0 { true } else { false } }
    }

    private static func entry(_ text: Substring) throws(ServerConfigurationError) -> Entry {
        if text == "none" { return .none }
        if text == "unix" { return .unixSocket }
        let parts = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        guard let address = parts.first.flatMap({ IPAddress(String($0)) }) else { throw refusal(text) }
        guard parts.count == 2 else { return .prefix(address, bits: address.bits) }
        guard let bits = UInt8(parts[1]), String(bits) == parts[1], (1...address.bits).contains(Int(bits)) else {
            throw refusal(text)
        }
        return .prefix(address, bits: Int(bits))
    }

    private static func refusal(_ text: Substring) -> ServerConfigurationError {
        ServerConfigurationError(
            "a trusted proxy must be an address such as 127.0.0.1, a prefix such as 10.0.0.0/8, unix or none, not \"\(text)\""
        )
    }

    // MARK: The client

    /// The client of a request.
    ///
    /// A trusted proxy reports who connected to it. If that is a trusted proxy too, its report counts next, and so on. The
    /// first address that is not trusted is the client. Addresses left of it are the client's own claims. If a proxy reports
    /// text that is not an address, or if `Forwarded` and `X-Forwarded-For` lead to different clients, the trusted proxy itself
    /// counts as the client: a proxy usually writes one of the fields and forwards the other one as the client sent it.
    ///
    /// - Parameters:
    ///   - peer: The other end of the connection.
    ///   - fields: The request's header fields.
    /// - Returns: The client, or `nil` if it has no address.
    package func client(peer: SocketAddress?, _ fields: HTTPFields) -> ClientAddress? {
        let address = peer?.ipAddress.flatMap { IPAddress($0) }
        return client(from: address, fields).map { ClientAddress(packed: $0.bytes) }
    }

    /// Whether a connection comes from a trusted proxy.
    package func trusts(peer: SocketAddress?) -> Bool { trusts(peer?.ipAddress.flatMap { IPAddress($0) }) }

    private func trusts(_ address: IPAddress?) -> Bool {
        guard let address else { return trustsUnixSocket }
        return prefixes.contains { address.isInside($0.address, bits: $0.bits) }
    }

    private func client(from peer: IPAddress?, _ fields: HTTPFields) -> IPAddress? {
        guard trusts(peer) else { return peer }
        let forwarded = fields[values: .forwarded]
        let forwardedFor = fields[values: .xForwardedFor]
        if forwardedFor.isEmpty { return walk(ForwardedField.hops(forwarded), from: peer) }
        let client = walk(forwardedFor.flatMap(ForwardedField.listed), from: peer)
        guard !forwarded.isEmpty, walk(ForwardedField.hops(forwarded), from: peer) != client else { return client }
        return peer
    }

    private func walk(_ hops: [IPAddress?], from peer: IPAddress?) -> IPAddress? {
        var client = peer
        for hop in hops.reversed().prefix(Self.mostHops) {
            guard let hop else { return client }
            client = hop
            guard trusts(hop) else { return hop }
        }
        return client
    }
}

extension HTTPField.Name {
    /// `Forwarded` (RFC 7239).
    ///
    /// The name is valid, so the fallback is never used.
    fileprivate static let forwarded = Self("Forwarded") ?? .via
    /// `X-Forwarded-For`.
    ///
    /// The name is valid, so the fallback is never used.
    fileprivate static let xForwardedFor = Self("X-Forwarded-For") ?? .via
}
