internal import WardAgentClient
internal import WardClient

/// Who asks the agent for something, as far as the agent checked it.
enum Requester: Sendable {
    /// An app. It may use the domains that name it.
    case app(AppProgram)
    /// A page, for which one of the manager's programs speaks. It may use the RP IDs of its origin.
    case page(PageProgram)
    /// A person who uses one of the manager's own programs.
    case person(ManagerProgram)

    /// The app, if one asks.
    var app: AppProgram? { if case .app(let app) = self { app } else { nil } }

    /// The manager's program that asks, for itself or for a page; `nil` for an app.
    var manager: ManagerProgram? {
        switch self {
        case .app: nil
        case .page(let page): page.browser
        case .person(let program): program
        }
    }

    /// Where prompts for it appear; `nil` for an app, which has no say in it.
    var place: PromptPlace? { manager?.place }
}

/// An app that asks for something.
///
/// The agent makes this value from what the kernel shows of the process, once for each request.
struct AppProgram: Sendable {
    /// Who it is.
    let identity: AppIdentity.Result
    /// The process that connected.
    let pid: Int32
}

/// A page that asks for a passkey.
struct PageProgram: Sendable {
    /// The page's origin, and that of the page around it.
    let caller: Caller
    /// The program that says so: a browser, or `ward passkey`.
    let browser: ManagerProgram
}

/// One of the credential manager's own programs.
///
/// The agent makes this value for a program that passed ``AppPolicy/isManager``, and for no other.
struct ManagerProgram: Sendable {
    /// The process that connected.
    let peer: Peer
    /// Where its person is, as the program said and the agent checked.
    let place: PromptPlace
}
