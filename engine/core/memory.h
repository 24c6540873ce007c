// How much memory there is for what is about to be made, and running out of it as an error.
//
// Not for how much a run takes: cost_of() in variants/.
#pragma once

#include <filesystem>
#include <new>
#include <stdexcept>
#include <string>
#include <system_error>

#include "engine/base/result.h"

namespace headlight {

// "1.1 GiB", "640 KiB".
std::string bytes_text(double bytes);

// Bytes that may still be taken: free_system_memory() (core/system/memory.h) with what large_blocks.h keeps.
double free_memory();

// Refuses what takes more than is free, before it is made; the error begins with what it is made of, if that is said.
// What is small is not looked into.
Status check_memory(double bytes, const std::string& of = {});

// Checks for `bytes` before calling a library that ends the program when out of memory (cairo, HarfBuzz, fontconfig).
Status check_room(double bytes);

// For programs, before they begin: what was held for arrays too small for large_blocks.h goes back to the system once
// 64 MiB of it are free (glibc; elsewhere nothing). Left to itself glibc learns from the first such arrays to keep all
// that follow, in pieces that stay taken: 25 to 40 MB more beside a model of GPT-2 small.
void configure_allocator();

// What memory ran out for, as an error.
tl::unexpected<Error> out_of_memory();

// What the file system refused, as an error that names the file: a missing right is not a lack of memory.
tl::unexpected<Error> refused_by_file_system(const std::filesystem::filesystem_error& error);

// Calls body, which gives a Result, and turns running out of memory or threads, and what the file system refuses, into
// an error.
template <class Body>
auto within_memory(Body&& body) -> decltype(body()) {
  try {
    return body();
  } catch (const std::bad_alloc&) {
    return out_of_memory();
  } catch (const std::length_error&) {  // a container larger than any memory
    return out_of_memory();
  } catch (const std::filesystem::filesystem_error& error) {  // before system_error, which it is, too
    return refused_by_file_system(error);
  } catch (const std::system_error& error) {  // a thread that the system has no room for
    return fail("the system has no room for another thread or file ({}): raise its limits (ulimit)", error.what());
  }
}

// The same where nothing may be thrown further, as at the end of a thread: every other exception is an error as well.
template <class Body>
auto catch_all(Body&& body) -> decltype(body()) {
  try {
    return within_memory(body);
  } catch (const std::exception& error) {
    return fail("{}: this is a mistake in the program", error.what());
  }
}

}  // namespace headlight
