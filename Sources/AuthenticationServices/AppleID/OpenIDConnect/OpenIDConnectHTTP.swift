internal import WardDownload

/// Sends requests to an issuer over HTTP.
///
/// An answer must be JSON of at most 256 KiB. Redirects are not followed, and each request has a time limit.
struct OpenIDConnectHTTP: Sendable {
    private let download: BoundedDownload

    /// - Parameter timeout: Time limit for one request.
    init(timeout: Duration) {
        var download = BoundedDownload(maximumSize: 256 * 1024, timeout: timeout)
        download.isAccepted = { $0.hasSuffix("json") }
        self.download = download
    }

    /// Fetches a document.
    ///
    /// - Parameters:
    ///   - url: The address.
    ///   - accessToken: The token that opens the document, if it is not public.
    ///   - what: The document, for errors.
    /// - Returns: The document's bytes.
    /// - Throws: ``ASAuthorizationError``.
    func get(
        _ url: String,
        accessToken: String? = nil,
        _ what: String
    ) async throws(ASAuthorizationError) -> [UInt8] {
        let answer = try await answer(url, nil, accessToken, what)
        guard answer.status == 200 else {
            throw .unreachable("the issuer answered \(answer.status) when asked for \(what)")
        }
        return answer.body
    }

    /// Sends a form.
    func post(
        _ url: String,
        form: [(String, String)],
        authorization: String?,
        _ what: String
    ) async throws(ASAuthorizationError) -> BoundedDownload.Answer {
        try await answer(url, .init(body: OpenIDConnectAddress.form(form), authorization: authorization), nil, what)
    }

    private func answer(
        _ url: String,
        _ form: BoundedDownload.Payload?,
        _ accessToken: String?,
        _ what: String
    ) async throws(ASAuthorizationError) -> BoundedDownload.Answer {
        var download = download
        // RFC 6750, section 2.1.
        if let accessToken { download.headers["authorization"] = "Bearer \(accessToken)" }
        do {
            return try await download.answer(at: url, sending: form)
        } catch is CancellationError {
            throw .issuerCancelled
        } catch BoundedDownload.Failure.contentType {
            throw .refused("the answer for \(what) is not JSON")
        } catch BoundedDownload.Failure.tooLarge {
            throw .refused("the answer for \(what) is larger than \(download.maximumSize / 1024) KiB")
        } catch BoundedDownload.Failure.redirect {
            throw .unreachable("the issuer redirects when asked for \(what), and the app does not follow redirects")
        } catch {
            if Task.isCancelled { throw .issuerCancelled }
            throw .unreachable(
                "the issuer could not be reached for \(what): check the network and the issuer's address"
            )
        }
    }
}

extension ASAuthorizationError {
    static var issuerCancelled: Self { Self(.canceled, "the sign-in was cancelled") }
}
