// Without the trait, packages do not fetch the libraries of the credential manager.
#if !Manager
#error("WardClient needs the trait Manager of Ward. Where you depend on Ward, write traits: [\"Manager\"]")
#endif
