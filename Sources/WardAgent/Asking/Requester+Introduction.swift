internal import WardAgentClient

extension Requester {
    /// The requester, for the end of a prompt.
    var introduction: [[PromptSentence]] {
        switch self {
        case .app(let app): app.identity.introduction(speakingFor: [])
        case .page(let page): page.shown?.browser.introduction ?? page.askedForApp ?? page.peer.introduction
        case .browser(let browser): browser.introduction
        case .person(let program): program.peer.introduction
        }
    }
}

extension BrowserProgram {
    fileprivate var introduction: [[PromptSentence]] {
        [[.askedByProgram(path: .path(identity.path), pid: process.pid)]]
    }
}

extension PageProgram {
    /// The app for which a portal of the desktop asks.
    fileprivate var askedForApp: [[PromptSentence]]? {
        portal?.app.map { app in
            [[.askedByApp(name: .label(app), identifier: .domain(app), path: .path(peer.executable))]]
        }
    }
}

extension Peer {
    fileprivate var introduction: [[PromptSentence]] { [[.askedByProgram(path: .path(executable), pid: pid)]] }
}

extension AppIdentity.Result {
    /// The requester, for the end of a prompt: first a warning, then the name and how it was identified, then the program.
    ///
    /// - Parameter domains: What it speaks for. The warning says that `localhost` is this machine and names nobody.
    /// - Returns: One or two lines.
    func introduction(speakingFor domains: [String]) -> [[PromptSentence]] {
        let local = domains.first { $0 == "localhost" || $0.hasSuffix(".localhost") }
        let warning = local.map { [PromptSentence.isThisMachine(domain: .domain($0))] } ?? []
        switch kind {
        case .flatpak: return [warning + [.askedByFlatpak(name: .label(displayName))]]
        case .registered:
            let asked = PromptSentence.askedByApp(
                name: .label(displayName),
                identifier: .domain(identifier),
                path: .path(executable)
            )
            return [warning + [asked]]
        case .unknown: return [[.nobodyVouches] + warning, [.program(path: .path(executable))]]
        }
    }
}
