import Hummingbird
import WardAccounts

/// The API of codes in text messages.
extension FactorAPI {
    func addTexts(to router: WardRouter) {
        router.put("/api/v1/account/text-codes") { try await setNumber($0, $1) }
        router.post("/api/v1/account/text-codes/confirm") { try await confirmNumber($0, $1) }
        router.delete("/api/v1/account/text-codes") { request, context in
            try await change(request, context) { change, tx in
                try await remove(
                    .textCodes,
                    change,
                    in: tx,
                    missing: "The account gets no codes in text messages."
                )
                try await tx.deleteMailLinks(of: change.account.id, .textCode)
                try await removed(.textCodes, change, in: tx)
            }
            return Response(status: .noContent)
        }
    }

    /// Sends a code to a number.
    ///
    /// The number counts for nothing until its code was typed, so a wrong number locks nobody out.
    private func setNumber(_ request: Request, _ context: WardRequestContext) async throws -> Response {
        guard let texts = deployment.texts else {
            throw APIError(.textsDisabled, "This service sends no text messages.")
        }
        let number = try PhoneNumber(of: JSONFields(await request.jsonBody()))
        guard texts.allows(number) else {
            throw APIError(.numberNotAllowed, "This service sends no text messages to this country.").at("number")
        }
        let language = PageLanguage.wanted(by: request).rawValue
        try await change(request, context) { change, tx in
            let (id, now) = (change.account.id, change.now)
            let counter = Counter(.sentCodes, of: id.bytes, deployment.tryLimits.sentCodes)
            try await counter.check(at: now, in: tx)
            try await counter.add(at: now, in: tx)
            try await deployment.countText(to: number, at: now, in: tx)
            try await tx.setFactor(TextNumber.record(number, of: id, at: now, isConfirmed: false))
            try await deployment.post(.numberCheck, change.account, to: .phone(number), in: language, at: now, in: tx)
        }
        return Response(status: .noContent)
    }

    /// Takes the code that was sent to the new number, which replaces a number from before.
    private func confirmNumber(_ request: Request, _ context: WardRequestContext) async throws -> Response {
        let typed = try JSONFields(await request.jsonBody()).string("code")
        let isRight = try await change(request, context) { change, tx in
            let (id, now) = (change.account.id, change.now)
            let counter = Counter(.wrongCodes, of: id.bytes, deployment.tryLimits.wrongCodes)
            try await counter.check(at: now, in: tx)
            guard let pending = try await tx.textNumber(of: id, isConfirmed: false) else {
                throw APIError(.notFound, "No number waits for its code. Begin again.")
            }
            guard try await deployment.acceptsText(typed, for: pending.number, of: id, at: now, in: tx) else {
                try await counter.add(at: now, in: tx)
                return false
            }
            try await counter.reset(in: tx)
            try await tx.deleteFactors(.textCodes, of: id)
            try await tx.setFactor(TextNumber.record(pending.number, of: id, at: now, isConfirmed: true))
            try await added(.textCodes, change, in: tx)
            return true
        }
        guard isRight else {
            // The session is right, so this is not 401.
            throw APIError(.typedCodeWrong, "The code is wrong, was used already, or has expired.")
        }
        return Response(status: .noContent)
    }
}

extension PhoneNumber {
    /// The member `number` of a request.
    ///
    /// - Throws: ``APIError`` with `number_not_allowed`.
    fileprivate init(of fields: JSONFields) throws(APIError) {
        let text = try fields.string("number")
        do {
            try self.init(text)
        } catch {
            throw APIError(.numberNotAllowed, error.description).at("number")
        }
    }
}
