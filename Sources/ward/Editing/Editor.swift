import Foundation
import WardAgentClient

/// The person's editor with an item as a text file.
enum Editor {
    /// Lets the person edit a draft.
    ///
    /// - Returns: What to change; `nil` for nothing.
    /// - Throws: ``Failure`` when no editor can be run, or when the person gives up.
    static func edit(_ draft: ItemDraft) throws -> ItemChange? {
        let folder = try PrivateFolder()
        defer { folder.wipe() }
        var text = draft.text
        while true {
            let path = try folder.write(text, to: "item")
            let status = try Foreground.run("/bin/sh", ["-c", try command() + " \"$@\"", "ward", path])
            guard status == 0 else {
                throw Failure(.denied, "The editor ended with status \(status). Nothing was changed")
            }
            text = try folder.read("item")
            do { return try draft.change(to: try ItemDraft(text: text)) } catch {
                Terminal.note("\(error.description).")
                guard try Question.confirm("Edit it again?") else { throw Failure(.denied, "Nothing was changed") }
            }
        }
    }

    /// The editor's command, as a shell runs it.
    ///
    /// Vim gets an option so that it writes no copies.
    private static func command() throws(Failure) -> String {
        let environment = ProcessInfo.processInfo.environment
        let named = [environment["VISUAL"], environment["EDITOR"]].compactMap { $0 }.first { !$0.isEmpty }
        guard let editor = named ?? ["sensible-editor", "nano", "vi"].first(where: { ProgramPath.find($0) != nil })
        else {
            throw Failure(.unavailable, "There is no editor. Set EDITOR, or leave out --editor")
        }
        let word = editor.split(separator: " ").first.map(String.init) ?? editor
        let path = ProgramPath.find(word).map { URL(fileURLWithPath: $0).resolvingSymlinksInPath().path } ?? word
        let name = path.split(separator: "/").last ?? ""
        return name.hasPrefix("vim") || name.hasPrefix("nvim") ? editor + " -n -i NONE" : editor
    }
}
