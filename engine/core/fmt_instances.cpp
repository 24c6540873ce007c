// Clang writes the name of one function of fmt 9 otherwise than GCC, by which Debian's library was compiled: here it is
// once more, for programs that Clang compiles.
#include <fmt/core.h>

#if defined(__clang__) && FMT_VERSION < 100000
#include <fmt/format-inl.h>

template FMT_API void fmt::detail::vformat_to(buffer<char>&, string_view,
                                              basic_format_args<FMT_BUFFER_CONTEXT(type_identity_t<char>)>, locale_ref);
#endif
