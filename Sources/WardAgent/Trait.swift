// Without the trait, packages do not fetch the libraries of the credential manager.
#if !Manager
#error("WardAgent needs the trait Manager of Ward. Where you depend on Ward, write traits: [\"Manager\"]")
#endif
