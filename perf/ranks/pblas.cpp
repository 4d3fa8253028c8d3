// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
// Libraries with the PBLAS interface, opened at run time. They must use the MPI library of this program.
#include <filesystem>
#include <limits>

#include <dlfcn.h>
#include <mpi.h>

#include "../providers/openblas_core.hpp"
#include "peer.hpp"
#include "rooftile/error.hpp"

namespace rooftile::perf {
namespace {

/// The name of a library, and the file names that the loader tries.
struct Known {
  const char* name;
  std::vector<const char*> files;
};
const std::vector<Known>& known() {
  static const std::vector<Known> libraries = {
      {"scalapack",
       {"libscalapack-openmpi.so.2.2", "libscalapack-openmpi.so.2.1", "libscalapack-mpich.so.2.2",
        "libscalapack-mpich.so.2.1", "libscalapack.so"}},
      {"cosma", {"libcosma_pxgemm.so"}}};
  return libraries;
}

/// The file that contains a symbol; empty: not known.
std::string file_with(void* symbol) {
  Dl_info found{};
  if (symbol == nullptr || dladdr(symbol, &found) == 0 || found.dli_fname == nullptr) return {};
  return std::filesystem::path(found.dli_fname).filename().string();
}

class Pblas : public Peer {
 public:
  /// Opens the library and never closes it. @throws Error if it is not a PBLAS library or uses another MPI
  Pblas(std::string name, const std::string& file)
      : name_(std::move(name)), library_(dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL)) {
    if (library_ == nullptr) throw Error(dlerror());
    void* const mpi = dlsym(library_, "MPI_Comm_size");
    if (mpi != nullptr && mpi != reinterpret_cast<void*>(&MPI_Comm_size)) {
      throw Error(file + ": of another MPI, " + file_with(mpi));
    }
    for (const char* const gemm : {"psgemm_", "pdgemm_", "pcgemm_", "pzgemm_"}) find<Gemm>(gemm);
    get_ = find<Get>("Cblacs_get"), make_ = find<Make>("Cblacs_gridinit");
    leave_ = find<Leave>("Cblacs_gridexit");
  }
  ~Pblas() override {
    if (context_ >= 0) leave_(context_);
  }
  Pblas(const Pblas&) = delete;
  Pblas& operator=(const Pblas&) = delete;

  std::string name() const override { return name_; }
  void use(distributed::Grid grid) override {
    get_(0, 0, &context_);
    make_(&context_, "Row", grid.rows, grid.cols);
  }
  std::string files() const override {
    const std::string core = openblas_core(blas());
    return name_ + ' ' + file_with(dlsym(library_, "pdgemm_")) + ", BLAS " +
           file_with(dlsym(blas(), "dgemm_")) + (core.empty() ? "" : " for " + core);
  }
  std::string warning() const override { return openblas_warning(openblas_core(blas())); }
  std::function<void()> call(const AnySharedArgs& args) override {
    return std::visit([this](const auto& of_type) { return call_of(of_type); }, args);
  }

 private:
  using Gemm = void(const char*, const char*, const int*, const int*, const int*, const void*, const void*,
                    const int*, const int*, const int*, const void*, const int*, const int*, const int*,
                    const void*, void*, const int*, const int*, const int*);
  using Get = void(int, int, int*);
  using Make = void(int*, const char*, int, int);
  using Leave = void(int);

  /// A `dlsym` handle for the BLAS that the library calls: the program's, if it has one.
  void* blas() const { return dlsym(RTLD_DEFAULT, "dgemm_") == nullptr ? library_ : RTLD_DEFAULT; }

  template <class F>
  F* find(const char* name) const {
    if (void* const found = dlsym(library_, name)) return reinterpret_cast<F*>(found);
    throw Error(detail::text(name_, " lacks ", name));
  }

  static int count(Index x) {
    if (x > std::numeric_limits<int>::max()) {
      throw Error(detail::text("too large for PBLAS (", x, "): take a smaller product"));
    }
    return static_cast<int>(x);
  }

  struct Descriptor {
    int words[9];
  };
  template <class T>
  Descriptor descriptor(const distributed::DistributedMatrix<T>& X) const {
    const auto& [rows, cols] = X.layout;
    return {{1, context_, count(rows.extent), count(cols.extent), count(rows.block), count(cols.block), 0, 0,
             std::max(count(X.local.col_stride), 1)}};
  }

  template <class T>
  std::function<void()> call_of(const SharedArgs<T>& args) const {
    const char letter = "sdcz"[AnySharedArgs(args).index()];
    Gemm* const gemm = find<Gemm>((std::string("p") + letter + "gemm_").c_str());
    const Descriptor a = descriptor(args.A), b = descriptor(args.B), c = descriptor(args.C);
    const int m = c.words[2], n = c.words[3], k = a.words[3];
    return [=, this] {
      if (context_ < 0) return;  // this process is outside the grid
      const int first = 1;
      gemm("N", "N", &m, &n, &k, &args.alpha, args.A.local.data, &first, &first, a.words, args.B.local.data,
           &first, &first, b.words, &args.beta, args.C.local.data, &first, &first, c.words);
    };
  }

  std::string name_;
  void* library_;
  int context_ = -1;  ///< BLACS context; -1: outside its grid
  Get* get_ = nullptr;
  Make* make_ = nullptr;
  Leave* leave_ = nullptr;
};

}  // namespace

std::vector<std::unique_ptr<Peer>> find_pblas(const std::vector<std::string>& files,
                                              std::vector<Absent>& absent) {
  std::vector<std::unique_ptr<Peer>> peers;
  // Uses the first file that can be opened.
  const auto add = [&](const std::string& name, const auto& names_of_files) {
    std::string why;
    for (const auto& file : names_of_files) {
      try {
        peers.push_back(std::make_unique<Pblas>(name, file));
        return;
      } catch (const Error& error) {
        why += (why.empty() ? "" : "; ") + std::string(error.what());
      }
    }
    absent.push_back({name, why});
  };
  for (const std::string& file : files) {
    const bool is_cosma = file.find("cosma") != file.npos;
    add(known()[is_cosma ? 1 : 0].name, std::vector{file});
  }
  if (files.empty()) {
    for (const Known& library : known()) add(library.name, library.files);
  }
  return peers;
}

}  // namespace rooftile::perf
