// Whoever imports the framework has Foundation with it on Apple's platforms, so sources leave that import out.
@_exported public import Foundation
