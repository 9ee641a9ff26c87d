import Testing

@testable import WardAgent

@Suite(.timeLimit(.minutes(15))) struct `Answers of credential managers` {
    @Test func `end when every manager has answered`() async throws {
        let answers = ProviderAnswers([], ProviderQuery(domains: ["example.com"], kinds: [.password]))
        let first = try await answers.first { try await Task.sleep(for: .seconds(600)) }
        #expect(first.pending == 0)
        #expect(await answers.next() == nil)
    }
}
