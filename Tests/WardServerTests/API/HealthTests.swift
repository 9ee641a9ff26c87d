import HTTPTypes
import Testing

@Suite struct `Health` {
    @Test func `the service says that it is there`() async throws {
        try await withService { world in
            let answer = try await world.visitor().get("/healthz")
            #expect(answer.status == .ok)
            #expect(answer.text == #"{"status":"ok"}"#)
        }
    }
}
