// `stance view` on the command line. What it serves is tested in tests/view.

#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>

#include <gtest/gtest.h>

#include "run_program.h"

namespace stance::io::testing {
namespace {

// Starts the program and ends it as Ctrl-C does once it has told its address, and this too.
Outcome run_for_a_while(const std::string& arguments, const std::string& told = "http") {
  const TemporaryFolder folder;
  const std::string out = folder.path("out"), err = folder.path("err");
  const std::string command =
      "cd '" + folder.path("") + "' && { '" STANCE_PROGRAM "' " + arguments +
      " >out 2>err & pid=$!; for k in $(seq 1200); do grep -q http out && "
      "grep -q '" +
      told + "' out err && break; sleep 0.1; done; kill -INT $pid; wait $pid; }";
  const int status = std::system(command.c_str());
  return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, read_file(out), read_file(err)};
}

TEST(ViewCommand, TellsItsAddressAndEndsCleanly) {
  for (const char* arguments : {"", "view " STANCE_SOURCE_DIR "/scenes/stack.yaml --paused",
                                "view " STANCE_SOURCE_DIR "/models/humanoid.urdf"}) {
    const Outcome outcome = run_for_a_while(arguments);
    EXPECT_EQ(outcome.code, 0) << outcome.errors;
    EXPECT_TRUE(contains(outcome.output, "Open http://127.0.0.1:")) << outcome.output;
    EXPECT_TRUE(contains(outcome.output, "ssh -L")) << outcome.output;
    EXPECT_FALSE(contains(outcome.output, "token"));
  }
}

TEST(ViewCommand, OthersGetAToken) {
  const Outcome outcome =
      run_for_a_while("view " STANCE_SOURCE_DIR "/scenes/stack.yaml --listen 0.0.0.0");
  EXPECT_TRUE(contains(outcome.output, "/?token=")) << outcome.output;
}

// A first scene with mistakes is told on the terminal and in the page, which waits until it is
// mended.
TEST(ViewCommand, ServesAFirstSceneWithMistakes) {
  const TemporaryFolder folder;
  const Outcome broken =
      run_for_a_while("view " + folder.write("bad.yaml", "version: 1\nobjets: {}\n"), "objets");
  EXPECT_EQ(broken.code, 0);
  EXPECT_TRUE(contains(broken.output, "Open http://127.0.0.1:")) << broken.output;
  EXPECT_TRUE(contains(broken.errors + broken.output, "bad.yaml:2:1: there is no key 'objets'"))
      << broken.errors;
}

// Nothing listens on port 1.
TEST(ViewCommand, TellsThatADeviceDoesNotAnswer) {
  const Outcome outcome = run_for_a_while("view " STANCE_SOURCE_DIR
                                          "/scenes/stack.yaml --paused --device haply:127.0.0.1:1",
                                          "cannot reach");
  EXPECT_EQ(outcome.code, 0);
  EXPECT_TRUE(contains(outcome.errors, "cannot reach the Haply service at 127.0.0.1:1"))
      << outcome.errors;
}

TEST(ViewCommand, SaysWhatItCannotDo) {
  const std::string scene = "view " STANCE_SOURCE_DIR "/scenes/stack.yaml ";
  EXPECT_EQ(run("view nothing.yaml").code, 1);
  EXPECT_TRUE(contains(run("view nothing.yaml").errors, "nothing.yaml: there is no such file"));
  EXPECT_TRUE(contains(run(scene + "--listen nowhere").errors, "'nowhere' is not an address"));
  EXPECT_EQ(run(scene + "--port 99999").code, 2);
  EXPECT_EQ(run(scene + "--set count").code, 2);
  EXPECT_TRUE(contains(run(scene + "--law exakt").errors, "exact"));
  const TemporaryFolder folder;
  EXPECT_TRUE(contains(run(scene + "--set cuont=3").errors, "did you mean 'count'?"));
  EXPECT_TRUE(contains(run(scene + "--device emulator --hold cube99").errors,
                       "--hold cube99: the scene has no object or link of this name"));
  EXPECT_TRUE(contains(run("view " + folder.path("")).errors, "this is a folder"));
  const Outcome help = run("view --help");
  EXPECT_EQ(help.code, 0);
  EXPECT_TRUE(contains(help.output, "Examples:"));
}

// A port of this machine that is in use as long as this lives.
class TakenPort {
 public:
  TakenPort() : socket_(socket(AF_INET, SOCK_STREAM, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    auto* plain = reinterpret_cast<sockaddr*>(&address);
    EXPECT_EQ(bind(socket_, plain, size), 0);
    EXPECT_EQ(listen(socket_, 1), 0);
    EXPECT_EQ(getsockname(socket_, plain, &size), 0);
    port_ = std::to_string(ntohs(address.sin_port));
  }
  ~TakenPort() { close(socket_); }
  TakenPort(const TakenPort&) = delete;
  TakenPort& operator=(const TakenPort&) = delete;
  const std::string& port() const { return port_; }

 private:
  int socket_;
  std::string port_;
};

TEST(ViewCommand, APortThatIsTakenIsTold) {
  const TakenPort taken;
  const Outcome outcome =
      run("view " STANCE_SOURCE_DIR "/scenes/stack.yaml --port " + taken.port());
  EXPECT_EQ(outcome.code, 1);
  EXPECT_TRUE(contains(outcome.errors, "port " + taken.port() + " of 127.0.0.1 is taken"))
      << outcome.errors;
}

}  // namespace
}  // namespace stance::io::testing
