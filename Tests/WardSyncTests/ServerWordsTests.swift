import Testing

@testable import WardSync

@Suite struct `What a person reads of a sync server` {
    private static let steps = [
        "Ward tries again", "ward ", "operator", "Sync your other devices", "sync it with the server",
    ]
    private static let ofData: [ServerError.Code.Known] = [
        .unreachable, .tooSlow, .redirected, .hides, .wrongData, .deviceRemoved,
    ]

    @Test(arguments: ServerError.Code.Known.allCases)
    func `says what is wrong and what to do next, for each code`(code: ServerError.Code.Known) {
        let sentence = code.sentence(for: .syncing)
        #expect(Self.steps.contains { sentence.contains($0) }, "\(sentence)")
        #expect(!sentence.hasSuffix(".") && sentence.first?.isUppercase == true, "\(sentence)")
    }

    /// After a command nothing tries again by itself, and what it was about may not be set up yet.
    @Test(arguments: ServerError.Code.Known.allCases)
    func `promises nothing after a command that has ended`(code: ServerError.Code.Known) {
        let error = ServerError(ServerError.Code(name: code.rawValue), status: 503)
        let sentence = error.endingCommand.detail
        #expect(error.endingCommand == error && error.endingCommand.status == 503)
        #expect(!["tries again", "changes wait", "ward sync status"].contains { sentence.contains($0) }, "\(sentence)")
        #expect((Self.steps + ["un the command again"]).contains { sentence.contains($0) }, "\(sentence)")
        #expect(!sentence.hasSuffix(".") && sentence.first?.isUppercase == true, "\(sentence)")
    }

    /// There is no vault, so `ward sync` says nothing else than that.
    @Test(arguments: ServerError.Code.Known.allCases)
    func `leads a device that joins to no command that needs a vault`(code: ServerError.Code.Known) {
        let sentence = ServerError(ServerError.Code(name: code.rawValue)).whileJoining.detail
        let wrong = ["tries again", "changes wait", "ward sync on", "ward sync status", "ward sync move"]
        #expect(!wrong.contains { sentence.contains($0) }, "\(sentence)")
        let steps = ["other device: ward devices", "code: ward devices add", "ward join"]
        #expect(steps.contains { sentence.contains($0) }, "\(sentence)")
        #expect(!sentence.hasSuffix(".") && sentence.first?.isUppercase == true, "\(sentence)")
    }

    @Test(arguments: ofData)
    func `says that nothing here is lost, where a person would fear it`(code: ServerError.Code.Known) {
        let words = ["Nothing is lost", "on this device is lost", "nothing was sent", "on this device stays"]
        let sentence = code.sentence(for: .syncing)
        #expect(words.contains { sentence.contains($0) }, "\(sentence)")
    }

    @Test(arguments: ServerError.Code.Known.allCases)
    func `names the command that does what the person wants`(code: ServerError.Code.Known) {
        let (on, move) = ("ward sync on", "ward sync move")
        #expect(!code.sentence(for: .syncing).contains(move))
        // The other devices would stay at the server before.
        #expect(!code.sentence(for: .moving).contains(on))
        #expect(code.sentence(for: .syncing).replacing(on, with: move) == code.sentence(for: .moving))
    }

    @Test func `puts the server right that a vault leaves, or moves to another one`() {
        #expect(ServerError(.notFound).detail(for: .leaving).hasSuffix("ward sync on ADDRESS"))
        #expect(ServerError(.hides).detail(for: .leaving).hasSuffix("ward sync move ADDRESS"))
    }
}
