// SPDX-License-Identifier: Apache-2.0 OR MIT
#include "base/source.h"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "base/status.h"

namespace {

/// A folder that goes away with the test.
struct Folder {
  Folder() {
    char name[] = "/tmp/nxs-source-XXXXXX";
    REQUIRE(mkdtemp(name) != nullptr);
    path = name;
  }
  ~Folder() { std::filesystem::remove_all(path); }
  std::string file(const std::string& content) const {
    std::ofstream(path + "/file", std::ios::binary) << content;
    return path + "/file";
  }
  std::string path;
};

template <typename F>
std::string io_error(F&& work) {
  try {
    work();
  } catch (const nxs::Error& e) {
    CHECK(e.status == nxs::Status::kIo);
    return e.message;
  }
  return "nothing thrown";
}

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("base/source: a file is read at any offset") {
  const Folder folder;
  std::string content;
  for (int i = 0; i < 100'000; ++i) content += std::to_string(i);
  const std::string path = folder.file(content);
  const auto source = nxs::open_file(path.c_str());
  CHECK(source->size() == content.size());
  std::string out(content.size(), '\0');
  source->read(0, out.data(), out.size());
  CHECK(out == content);
  source->read(1234, out.data(), 77);
  CHECK(out.substr(0, 77) == content.substr(1234, 77));
  source->read(content.size(), out.data(), 0);  // nothing, at the end: fine
}

TEST_CASE("base/source: reading beyond the end names path and offset") {
  const Folder folder;
  const std::string path = folder.file("0123456789");
  const auto source = nxs::open_file(path.c_str());
  char out[16];
  for (const std::string& text :
       {io_error([&] { source->read(5, out, 6); }), io_error([&] { source->read(11, out, 0); }),
        io_error([&] { source->read(UINT64_MAX, out, 2); })}) {
    CHECK(has(text, path));
    CHECK(has(text, "offset"));
  }
  CHECK(has(io_error([&] { source->read(5, out, 6); }), "offset 5"));
}

TEST_CASE("base/source: a file that shrank after opening is a short read") {
  const Folder folder;
  const std::string path = folder.file(std::string(5000, 'x'));
  const auto source = nxs::open_file(path.c_str());
  REQUIRE(truncate(path.c_str(), 4100) == 0);
  char out[1000];
  const std::string text = io_error([&] { source->read(4000, out, 1000); });
  CHECK(has(text, path));
  CHECK(has(text, "offset 4100"));
  CHECK(source->size() == 5000);
}

TEST_CASE("base/source: what is no readable file is refused by name") {
  const Folder folder;
  CHECK(has(io_error([&] { nxs::open_file(folder.path.c_str()); }), "directory"));
  CHECK(has(io_error([&] { nxs::open_file((folder.path + "/missing").c_str()); }), folder.path + "/missing"));
  const std::string pipe = folder.path + "/pipe";
  REQUIRE(mkfifo(pipe.c_str(), 0600) == 0);
  CHECK(has(io_error([&] { nxs::open_file(pipe.c_str()); }), "no regular file"));  // and does not wait for a writer
}

TEST_CASE("base/source: descriptors are closed on exec and when the source dies") {
  const Folder folder;
  const std::string path = folder.file("x");
  const int next = dup(0);  // the number that the next descriptor gets
  close(next);
  {
    const auto source = nxs::open_file(path.c_str());
    const int flags = fcntl(next, F_GETFD);
    REQUIRE(flags >= 0);
    CHECK((flags & FD_CLOEXEC) != 0);
  }
  CHECK(fcntl(next, F_GETFD) == -1);
  io_error([&] { nxs::open_file(folder.path.c_str()); });
  CHECK(fcntl(next, F_GETFD) == -1);
}

TEST_CASE("base/source: memory reads like a file") {
  const std::string content = "0123456789";
  const auto source = nxs::borrow_memory(content.data(), content.size());
  CHECK(source->size() == 10);
  char out[4] = {};
  source->read(6, out, 4);
  CHECK(std::string(out, 4) == "6789");
  CHECK(has(io_error([&] { source->read(7, out, 4); }), "offset 7"));
  CHECK(has(io_error([&] { source->read(UINT64_MAX, out, 4); }), "offset"));
  nxs::borrow_memory(nullptr, 0)->read(0, nullptr, 0);
}
