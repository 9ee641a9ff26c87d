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
        let sentence = code.sentence
        #expect(Self.steps.contains { sentence.contains($0) }, "\(sentence)")
        #expect(!sentence.hasSuffix(".") && sentence.first?.isUppercase == true, "\(sentence)")
    }

    @Test(arguments: ofData)
    func `says that nothing here is lost, where a person would fear it`(code: ServerError.Code.Known) {
        let words = ["Nothing is lost", "on this device is lost", "nothing was sent", "on this device stays"]
        #expect(words.contains { code.sentence.contains($0) }, "\(code.sentence)")
    }
}
