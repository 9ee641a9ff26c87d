import HTTPTypes
import Hummingbird
import WardAccounts
import WardText

extension AdminAPI {
    /// Sets the groups of an account.
    func setGroups(_ request: Request, _ context: WardRequestContext) async throws -> Response {
        let groups = try Self.groups(of: JSONFields(await request.jsonBody()))
        return try await changing(request, .writeAccounts, context) { actions, tx in
            _ = try await actions.setGroups(groups, of: try await account(context, in: tx), in: tx)
            return Response(status: .noContent)
        }
    }

    private static func groups(of fields: JSONFields) throws(APIError) -> Set<GroupName> {
        guard let names = fields["groups"]?.arrayValue, names.count <= GroupName.maximumCount else {
            throw APIError(
                .malformedRequest,
                "\"groups\" must be an array of at most \(GroupName.maximumCount) names."
            ).at("groups")
        }
        var groups: Set<GroupName> = []
        for name in names {
            guard let text = name.stringValue else {
                throw APIError(.malformedRequest, "\"groups\" must be an array of texts.").at("groups")
            }
            do { groups.insert(try GroupName(text)) } catch {
                throw APIError(.groupNotAllowed, error.description).at("groups")
            }
        }
        return groups
    }
}
