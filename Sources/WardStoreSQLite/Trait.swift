// Without the trait, packages do not fetch the libraries of the service.
#if !Server
#error("WardStoreSQLite needs the trait Server of Ward. Where you depend on Ward, write traits: [\"Server\"]")
#endif
