import Foundation
import LocalServing
import NIOHTTP1
import Testing

@testable import WardAgent
import WardAgentClient
import WardDomains
import WardDownload

@Suite(.timeLimit(.minutes(15))) struct `The file in which a domain names its apps` {
    private let domain: RelyingPartyID
    init() throws { domain = try RelyingPartyID("example.com") }

    private static let good = Array("{\"webcredentials\":{\"apps\":[\"com.example.shiny\"]}}".utf8)

    private func fetch(_ server: LocalServer, timeout: Duration = .seconds(600)) -> AssociationFetch {
        let base = server.base
        return AssociationFetch(BoundedDownload(maximumSize: AssociationFetch.maximumSize, timeout: timeout)) { _ in
            base + "/.well-known/apple-app-site-association"
        }
    }

    private func refusal(_ answer: LocalServer.Answer, timeout: Duration = .seconds(600)) async throws -> AgentError? {
        try await LocalServer.with({ _ in answer }) { (server) -> AgentError? in
            do {
                _ = try await AssociatedDomains(fetch: fetch(server, timeout: timeout)).apps(namedBy: domain)
                return nil
            } catch {
                return error as? AgentError
            }
        }
    }

    @Test func `is read from its one place, and nothing tells who reads it`() async throws {
        try await LocalServer.with({ _ in .init(body: Self.good) }) { server in
            #expect(try await AssociatedDomains(fetch: fetch(server)).apps(namedBy: domain) == ["com.example.shiny"])
            let request = try #require(server.seen.first)
            #expect(request.uri == "/.well-known/apple-app-site-association")
            #expect(Set(request.headers.keys).isSubset(of: ["host", "accept", "connection", "accept-encoding"]))
        } as Void
        #expect(
            AssociationFetch.address(domain) == "https://example.com/.well-known/apple-app-site-association"
        )
    }

    private struct Refusal: CustomTestStringConvertible, Sendable {
        let testDescription: String
        let words: String
        let answer: LocalServer.Answer

        init(_ testDescription: String, _ words: String, _ answer: LocalServer.Answer) {
            self.testDescription = testDescription
            self.words = words
            self.answer = answer
        }

        init(_ json: String) {
            self.init(json, "malformed", .init(body: Array(json.utf8)))
        }
    }

    private static let refusals: [Refusal] = [
        Refusal("404", "is missing", .init(status: .notFound, body: good)),
        Refusal("410", "is missing", .init(status: .gone, body: good)),
        Refusal("500", "status 500", .init(status: .internalServerError, body: good)),
        Refusal("204", "status 204", .init(status: .noContent)),
        Refusal("text/html", "type", .init(headers: [("content-type", "text/html")], body: good)),
        Refusal("no type", "type", .init(headers: [], body: good)),
        Refusal("a redirect", "redirect", .init(status: .found, headers: [("location", "https://example.com/x")])),
        Refusal("a redirect to itself", "redirect", .init(status: .movedPermanently, headers: [("location", "/x")])),
        Refusal("a redirect to nowhere", "redirect", .init(status: .temporaryRedirect, headers: [])),
        Refusal(
            "more than 128 KiB by its header",
            "too large",
            .init(headers: [("content-type", "application/json"), ("content-length", "131073")], body: good)
        ),
        Refusal(
            "more than 128 KiB without saying so",
            "too large",
            .init(body: good + [UInt8](repeating: 0x20, count: 131_072))
        ),
        Refusal(""), Refusal("<html>"), Refusal("[]"), Refusal("{} x"), Refusal("{\"webcredentials\":{}}"),
        Refusal("{\"webcredentials\":[\"com.example.shiny\"]}"),
        Refusal("{\"webcredentials\":{\"apps\":\"com.example.shiny\"}}"),
        Refusal("{\"webcredentials\":{\"apps\":[\"com.example.shiny\",7]}}"),
        Refusal("{\"webcredentials\":{\"apps\":[]},\"webcredentials\":{\"apps\":[\"com.example.shiny\"]}}"),
        Refusal(String(repeating: "[", count: 100)),
        Refusal("{\"webcredentials\":{\"apps\":[" + String(repeating: "\"a\",", count: 5000) + "\"a\"]}}"),
    ]

    @Test(arguments: refusals)
    private func `is refused with the reason`(_ refusal: Refusal) async throws {
        let error = try #require(try await self.refusal(refusal.answer))
        #expect(error.code == .notAssociated)
        #expect(error.message.contains(refusal.words), "\(error.message)")
        #expect(error.message.hasPrefix("https://example.com/.well-known/"))
    }

    @Test func `names nobody when it is about other things`() async throws {
        let file = LocalServer.Answer(body: Array("{\"applinks\":{\"apps\":[\"com.example.shiny\"]}}".utf8))
        try await LocalServer.with({ _ in file }) { server in
            let apps = try await AssociatedDomains(fetch: fetch(server)).apps(namedBy: domain)
            #expect(apps.isEmpty)
        } as Void
    }

    @Test func `is not waited for longer than it may take`() async throws {
        let error = try await refusal(.init(body: Self.good, isSilent: true), timeout: .milliseconds(300))
        #expect(error?.message.contains("too slow") == true)
    }

    @Test func `is refused when nobody is there`() async throws {
        let base = try await LocalServer.with({ _ in .init() }) { $0.base }
        let fetch = AssociationFetch(BoundedDownload(maximumSize: 1000, timeout: .seconds(600))) { _ in base }
        let error = await #expect(throws: AgentError.self) {
            try await AssociatedDomains(fetch: fetch).apps(namedBy: domain)
        }
        #expect(error?.message.contains("cannot be reached") == true)
    }
}

@Suite(.timeLimit(.minutes(15))) struct `What domains say is remembered` {
    private let domain: RelyingPartyID
    init() throws { domain = try RelyingPartyID("example.com") }
    private static let good = Array("{\"webcredentials\":{\"apps\":[\"com.example.shiny\"]}}".utf8)

    @Test func `for a day when it is a list`() async throws {
        let (count, clock) = (Count(), ManualClock())
        let domains = AssociatedDomains(
            fetch: AssociationFetch { _ in
                count.up()
                return Self.good
            },
            now: { clock.now }
        )
        for (advance, expected) in [(Duration.zero, 1), (.seconds(86_399), 1), (.seconds(1), 2)] {
            clock.advance(advance)
            _ = try await domains.apps(namedBy: domain)
            #expect(count.value == expected)
        }
    }

    @Test func `for a minute when it is a refusal`() async throws {
        let (count, clock) = (Count(), ManualClock())
        let domains = AssociatedDomains(
            fetch: AssociationFetch { _ in
                guard count.up() > 1 else { throw BoundedDownload.Failure.status(404) }
                return Self.good
            },
            now: { clock.now }
        )
        for advance in [Duration.zero, .seconds(59)] {
            clock.advance(advance)
            await #expect(throws: AgentError(.notAssociated, "")) { try await domains.apps(namedBy: domain) }
            #expect(count.value == 1)
        }
        clock.advance(.seconds(1))
        #expect(try await domains.apps(namedBy: domain) == ["com.example.shiny"])
    }

    @Test func `and asked once, however many want to know`() async throws {
        let count = Count()
        let (gate, open) = AsyncStream<Void>.makeStream()
        let domains = AssociatedDomains(
            fetch: AssociationFetch { _ in
                count.up()
                for await _ in gate {}
                return Self.good
            }
        )
        try await withThrowingTaskGroup(of: Set<String>.self) { group in
            for _ in 0..<20 { group.addTask { try await domains.apps(namedBy: domain) } }
            while count.value == 0 { await Task.yield() }
            open.finish()
            for try await apps in group { #expect(apps == ["com.example.shiny"]) }
        }
        #expect(count.value == 1)
    }

    @Test func `and the question ends with the last who wants to know, which is not a refusal`() async throws {
        let count = Count()
        let domains = AssociatedDomains(
            fetch: AssociationFetch { _ in
                if count.up() == 1 { try await Task.sleep(for: .seconds(600)) }
                return Self.good
            }
        )
        let asking = Task { try await domains.apps(namedBy: domain) }
        while count.value == 0 { await Task.yield() }
        asking.cancel()
        await #expect(throws: AgentError(.denied, "")) { try await asking.value }
        #expect(try await domains.apps(namedBy: domain) == ["com.example.shiny"])
    }

    @Test func `for so many domains and no more, and so many are asked at a time`() async throws {
        let count = Count()
        let domains = AssociatedDomains(
            fetch: AssociationFetch { domain in
                count.up()
                if domain.description.hasPrefix("slow") { try await Task.sleep(for: .seconds(600)) }
                return Self.good
            }
        )
        for number in 0...AssociatedDomains.maximumEntries {
            _ = try await domains.apps(namedBy: RelyingPartyID("n\(number).example.com"))
        }
        let before = count.value
        // The first was forgotten for the last.
        _ = try await domains.apps(namedBy: RelyingPartyID("n\(AssociatedDomains.maximumEntries).example.com"))
        #expect(count.value == before)
        _ = try await domains.apps(namedBy: RelyingPartyID("n0.example.com"))
        #expect(count.value == before + 1)
        let asking = (0..<AssociatedDomains.maximumDownloads).map { number in
            Task { try await domains.apps(namedBy: RelyingPartyID("slow\(number).example.com")) }
        }
        while count.value < before + 1 + asking.count { await Task.yield() }
        let error = await #expect(throws: AgentError.self) {
            try await domains.apps(namedBy: RelyingPartyID("more.example.com"))
        }
        #expect(error?.message.contains("too many") == true)
        for task in asking { task.cancel() }
    }
}
