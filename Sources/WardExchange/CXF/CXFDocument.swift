internal import WardText
internal import WardVault

extension ImportFormat {
    /// The Credential Exchange Format of the FIDO Alliance, version 1.0, also as single accounts without a header.
    static let cxf = ImportFormat(id: CXFExport.id, title: CXFExport.title) { source in
        let names = ImportedJSON.memberNames(source.bytes)
        guard !names.contains("encrypted") else { return false }
        return names.contains("accounts")
            && !names.isDisjoint(with: ["exporterRpId", "exporterDisplayName", "version"])
            || names.isSuperset(of: ["items", "collections"]) && !names.isDisjoint(with: ["email", "username"])
    } read: { (source) throws(ImportError) in
        let document = try ImportedJSON.document(source.bytes)
        if let major = document["version"]?["major"]?.wholeNumber, major > 1 {
            throw ImportError(.unsupported, "the file has version \(major) of the format; Ward reads version 1")
        }
        // Some programs write one account and nothing around it.
        let accounts = document["accounts"]?.arrayValue ?? [document]
        var file = ImportedFile()
        for account in accounts {
            guard let items = account["items"]?.arrayValue else {
                throw ImportError(.malformed, "an account of the file has no list of items")
            }
            let place = ItemTitle.clean(account["email"]?.shownText ?? account["username"]?.shownText ?? "account")
            let collections = CXFCollections(account["collections"])
            var others = account.members(
                except: ["id", "username", "userName", "email", "fullName", "collections", "items"]
            )
            others += collections.others
            if !others.isEmpty {
                let names = others.prefix(5).map { ItemTitle.clean(String($0.name.prefix(40))) }.joined(separator: ", ")
                let text = "data of the account or its collections that Ward has no place for is left out: \(names)"
                file.notices.append(ImportNotice(place: place, .skipped, text))
            }
            let linked = CXFCollections.referenced(by: items)
            for json in items {
                var reading = CXFItemReading(
                    json,
                    index: file.items.count,
                    collections: collections,
                    isLinked: json["id"]?.stringValue.map(linked.contains) ?? false,
                    now: source.now
                )
                for draft in reading.read() {
                    file.notices += draft.notices
                    file.items.append(draft.finished())
                }
            }
        }
        return file
    }
}

/// The collections of an account: their paths, and the items in them.
struct CXFCollections {
    private var paths: [String: [String]] = [:]
    /// Members of collections that are not understood.
    private(set) var others: [JSONValue.Member] = []

    init(_ collections: JSONValue?) {
        for collection in collections?.elements ?? [] { add(collection, in: "") }
    }

    private mutating func add(_ collection: JSONValue, in parent: String) {
        let title = ItemTitle.clean(collection["title"]?.shownText ?? "")
        let path = parent.isEmpty ? title : title.isEmpty ? parent : "\(parent)/\(title)"
        for link in collection["items"]?.elements ?? [] {
            // Early drafts have the ID itself.
            guard let id = link["item"]?.stringValue ?? link.stringValue, !path.isEmpty else { continue }
            paths[id, default: []].append(path)
        }
        others += collection.members(
            except: ["id", "creationAt", "modifiedAt", "title", "subtitle", "items", "subCollections"]
        )
        for inner in collection["subCollections"]?.elements ?? [] { add(inner, in: path) }
    }

    /// The paths of the collections of an item.
    subscript(item: String?) -> [String] { item.flatMap { paths[$0] } ?? [] }

    /// The IDs of items that a credential of another item names.
    static func referenced(by items: [JSONValue]) -> Set<String> {
        var ids: Set<String> = []
        for credential in items.flatMap({ $0["credentials"]?.elements ?? [] }) {
            if let id = credential["reference"]?["item"]?.stringValue { ids.insert(id) }
        }
        return ids
    }
}
