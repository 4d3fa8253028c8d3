// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
// Every command reports lost output, and misreads no option as another one.
#include <filesystem>
#include <fstream>
#include <sstream>

#include <sys/resource.h>

#include "program.hpp"

namespace rooftile::testing {
namespace {

/// The help of the program and of each command that it lists, and output of commands that measure nothing.
std::vector<std::string> all_runs() {
  std::vector<std::string> runs = {"--help",
                                   "--version",
                                   "devices",
                                   "experiment",
                                   "devices H200 --json",
                                   "occupancy --device H200 --threads 256 --sweep regs",
                                   "roofline --device A100 --m 64 --n 64 --k 64",
                                   "explain --m 64 --n 64 --k 64",
                                   "divergence --m 64 --n 64 --k 64",
                                   "latency --cycles 200",
                                   "memory",
                                   "suites"};
  const std::string help = run_program("--help").text, heading = "Subcommands:\n";
  REQUIRE_THAT(help, ContainsSubstring(heading));
  std::istringstream lines(help.substr(help.find(heading) + heading.size()));
  for (std::string command, question; lines >> command && std::getline(lines, question);)
    runs.push_back(command + " --help");
  return runs;
}

/// The shortest run of `bench`.
const std::string bench =
    "bench --samples 1 --path portable --backend openmp serial --kernel naive --math fp32 ";

void skip_without_host() {
  if (run_program(bench + "--shape 8").status == 2) SKIP("no portable path on the host");
}

TEST_CASE("standard output that is full or closed is an error of every command", "[model]") {
  for (const std::string& command : all_runs()) {
    CAPTURE(command);
    const Ran full = run_redirected(command + " 2>&1 >/dev/full");
    CHECK(full.status == 1);
    CHECK(
        full.text ==
        "rooftile: standard output was lost (No space left on device): give a file on which there is space, "
        "or a pipe\n");
    const Ran closed = run_redirected(command + " 2>&1 >&-");
    CHECK(closed.status == 1);
    CHECK(closed.text ==
          "rooftile: standard output was lost (it is closed): give a file on which there is space, or a "
          "pipe\n");
    CHECK(run_redirected(command + " >/dev/null").status == 0);
  }
  skip_without_host();
  const Ran full = run_redirected(bench + "--shape 8 2>&1 >/dev/full");
  CHECK(full.status == 1);
  CHECK_THAT(full.text, ContainsSubstring("No space left on device"));
}

/// While an object exists, the process and its children can write at most `bytes` bytes per file.
class FileLimit {
 public:
  explicit FileLimit(rlim_t bytes) {
    getrlimit(RLIMIT_FSIZE, &before_);
    const rlimit limit{bytes, before_.rlim_max};
    setrlimit(RLIMIT_FSIZE, &limit);
  }
  ~FileLimit() { setrlimit(RLIMIT_FSIZE, &before_); }
  FileLimit(const FileLimit&) = delete;
  FileLimit& operator=(const FileLimit&) = delete;

 private:
  rlimit before_;
};

TEST_CASE("output beyond the process's file size limit is an error, not a signal", "[model]") {
  const ScratchFolder folder;
  const std::string file = folder / "x";
  const auto ran = [](const std::string& arguments) {
    const FileLimit limit(512);
    return run_redirected(arguments);
  };
  const Ran listed = ran("devices 2>&1 >'" + file + "'");
  CHECK(listed.status == 1);
  CHECK_THAT(listed.text, ContainsSubstring("standard output was lost (File too large)"));
  skip_without_host();
  const Ran measured = ran(bench + "--shape 8 --json '" + file + "' 2>&1 >/dev/null");
  CHECK(measured.status == 1);
  CHECK_THAT(measured.text, ContainsSubstring(file + ", File too large)"));
}

TEST_CASE("a closed stream is not replaced by another file", "[model]") {
  skip_without_host();
  const ScratchFolder folder;
  const std::string file = folder / "x.json";
  CHECK(run_redirected(bench + "--shape 8 --json '" + file + "' >&- 2>&-").status == 1);
  CHECK(folder.files() == 0);
  CHECK(run_redirected(bench + "--shape 8 --json '" + file + "' 2>&-").status == 0);
  CHECK(json::parse(text_of(file)).at("schema") == 3);
}

/// Sends a signal to a bench during its last product, of which no sample or only some samples exist.
/// @param before  shell commands to run first
std::string interrupted_by(const std::string& signal, const std::string& file, const std::string& out,
                           const std::string& before = "", const std::string& last = "1000") {
  return run_redirected("--version >/dev/null; " + before + "'" ROOFTILE_PROGRAM "' " + bench +
                        "--shape 8 --shape " + last + " --json '" + file + "' >" + out +
                        " 2>&1 & p=$!; while kill -0 $p && [ ! -e '" + file +
                        ".part' ]; do sleep 0.02; done; kill -" + signal + " $p; wait $p; echo $?")
      .text;
}

TEST_CASE("an interrupted run writes its file with the results so far", "[model]") {
  skip_without_host();
  const ScratchFolder folder;
  const std::string file = folder / "x.json", log = folder / "log";
  for (const auto& [signal, status] : {std::pair{"INT", "130\n"}, {"TERM", "143\n"}, {"HUP", "129\n"}}) {
    CAPTURE(signal);
    CHECK(interrupted_by(signal, file, log) == status);
    const json found = json::parse(text_of(file));
    CHECK(found.at("complete") == false);
    CHECK(found.at("results").at(0).at("m") == 8);
    CHECK_FALSE(std::filesystem::exists(file + ".part"));
    CHECK_THAT(text_of(log), ContainsSubstring(", in " + file));
  }
  CHECK(folder.files() == 3);  // the previous file is kept, too
  std::ofstream(file) << "a long run's";
  CHECK(interrupted_by("INT", file, "/dev/full") == "1\n");  // lost standard output; the file is written
  CHECK(json::parse(text_of(file)).at("complete") == false);
  CHECK(text_of(file + ".before") == "a long run's");
  CHECK_THAT(run_program("compare '" + file + "' '" + file + "'").text,
             ContainsSubstring("a run that did not end (" + file + ", complete): run it again, to its end"));
  const std::string page = folder / "x.html";
  CHECK(run_program("report '" + file + "' --html '" + page + "'").status == 0);
  CHECK_THAT(text_of(page), ContainsSubstring(file + ", of a run that did not end"));
}

TEST_CASE("a killed run leaves its results beside its file, which stays", "[model]") {
  skip_without_host();
  const ScratchFolder folder;
  const std::string file = folder / "x.json";
  std::ofstream(file) << "a run's before";
  CHECK(interrupted_by("KILL", file, "/dev/null") == "137\n");
  CHECK(json::parse(text_of(file + ".part")).at("complete") == false);
  CHECK(text_of(file) == "a run's before");
  CHECK(run_program("report '" + file + ".part' --html '" + (folder / "x.html").string() + "'").status == 0);
}

TEST_CASE("nohup keeps a run going when its terminal goes away", "[model]") {
  skip_without_host();
  const ScratchFolder folder;
  const std::string file = folder / "x.json";
  CHECK(interrupted_by("HUP", file, "/dev/null", "trap '' HUP; ", "300") == "0\n");
  CHECK_FALSE(json::parse(text_of(file)).contains("complete"));
}

TEST_CASE("JSON on standard output is alone there", "[model]") {
  skip_without_host();
  const ScratchFolder folder;
  const std::string out = "'" + (folder / "out").string() + "'",
                    log = " 2>'" + (folder / "log").string() + "' ";
  for (const std::string& to : {"/dev/stdout" + log + ">" + out, "/dev/stdout" + log + "| cat >" + out,
                                "-" + log + ">" + out, out + log + ">" + out}) {
    CAPTURE(to);
    CHECK(run_redirected(bench + "--shape 8 --json " + to).status == 0);
    CHECK(json::parse(text_of(folder / "out")).at("results").size() == 1);
    CHECK_THAT(text_of(folder / "log"), ContainsSubstring("GFLOP/s"));
  }
  CHECK((folder.files() == 2 && !std::filesystem::exists("-")));
}

TEST_CASE("a file may have any name that the system takes, and says how to run it again", "[model]") {
  const ScratchFolder folder;
  const std::string file = folder / "\xE9\n.json";
  skip_without_host();
  REQUIRE(run_program(bench + "--shape 8 --alpha -0.5 --beta 2 --seed 77 --json '" + file + "'").status == 0);
  const json found = json::parse(text_of(file)), &result = found.at("results").at(0);
  CHECK((result.at("alpha") == -0.5 && result.at("beta") == 2.0 && result.at("seed") == 77));
  CHECK(result.at("device") == found.at("devices").at(0).at("name"));
  CHECK(found.at("devices").at(0).at("threads") >= 1);
  const json arguments = found.at("arguments");
  CHECK(arguments.back().get<std::string>().ends_with("/\xEF\xBF\xBD\n.json"));
  for (const char* argument : {"--shape", "8", "--alpha", "-0.5", "--kernel", "naive", "--backend", "serial"})
    CHECK(std::find(arguments.begin(), arguments.end(), argument) != arguments.end());
}

TEST_CASE("nothing multiplied has no rate", "[model]") {
  const ScratchFolder folder;
  const std::string file = folder / "x.json";
  skip_without_host();
  for (const char* what : {"--shape 8 --alpha 0", "--shape 8x8x0", "--shape 0"}) {
    CAPTURE(what);
    const Ran ran = run_program(bench + "--all " + what + " --json '" + file + "'");
    CHECK(ran.status == 0);
    CHECK_THAT(ran.text, ContainsSubstring("nothing is multiplied"));
    const json result = json::parse(text_of(file)).at("results").at(0);
    for (const char* rate : {"gflops", "intensity", "bound", "roofline_fraction"})
      CHECK_FALSE(result.contains(rate));
    CHECK_THAT(run_program("portability '" + file + "'").text, ContainsSubstring("nothing is multiplied ("));
  }
}

}  // namespace
}  // namespace rooftile::testing
