// `stance view`: a scene in the browser.

#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <memory>
#include <optional>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "stance/cli/app.h"
#include "stance/cli/arguments.h"
#include "stance/cli/commands.h"
#include "stance/cli/live_device.h"
#include "stance/cli/live_recorder.h"
#include "stance/cli/robot_options.h"
#include "stance/cli/scene_options.h"
#include "stance/cli/terminal.h"
#include "stance/haptics/check/make_device.h"
#include "stance/io/scene.h"
#include "stance/view/server.h"

namespace stance::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::uint16_t kFirstPort = 8080;
constexpr const char* kFirstScene = "humanoid_stand.yaml";

struct ViewOptions {
  SceneWords scene;
  std::string listen = "127.0.0.1";
  std::optional<std::uint16_t> port;
  std::vector<std::string> devices;
  std::string hold;
  bool is_paused = false;
};

// ---- scenes -------------------------------------------------------------------------------------

// The scenes that came with the program: beside it where it is installed, else in its sources.
fs::path find_shipped_scenes() {
  std::error_code code;
  const fs::path self = fs::read_symlink("/proc/self/exe", code).parent_path();
  for (const fs::path& folder :
       {self / "../share/stance/scenes", fs::path(STANCE_DATA_DIR) / "scenes",
        fs::path(STANCE_SOURCE_DIR) / "scenes"})
    if (fs::exists(folder / kFirstScene, code)) return fs::weakly_canonical(folder, code);
  return {};
}

// What a scene says of itself, without reading all of it.
std::string find_about(const fs::path& file) {
  std::ifstream stream(file);
  std::string line;
  for (int k = 0; k < 200 && std::getline(stream, line); ++k) {
    if (!line.starts_with("about:")) continue;
    std::string out = line.substr(6);
    const auto is_quote = [](char c) { return c == '"' || c == '\'' || c == ' '; };
    while (!out.empty() && is_quote(out.front())) out.erase(0, 1);
    while (!out.empty() && is_quote(out.back())) out.pop_back();
    return out;
  }
  return "";
}

void offer_folder(const fs::path& folder, std::vector<view::OfferedScene>& out) {
  constexpr std::size_t kMost = 500;
  std::error_code code;
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(folder, code))
    if (entry.path().extension() == ".yaml" && entry.is_regular_file(code))
      files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  for (const fs::path& file : files) {
    const std::string label = (folder.filename() / file.filename()).string();
    const auto is_same = [&](const view::OfferedScene& known) {
      return known.entry.file == label || fs::equivalent(known.path, file, code);
    };
    if (out.size() >= kMost || std::any_of(out.begin(), out.end(), is_same)) continue;
    out.push_back({{label, find_about(file)}, file.string()});
  }
}

// The scene to begin with, and all that can be chosen in the page: the folder of that scene, and
// what came with the program.
void choose_scenes(const ViewOptions& options, view::HubOptions& out) {
  const fs::path shipped = find_shipped_scenes();
  std::error_code code;
  fs::path first = options.scene.settings.file;
  if (options.scene.settings.file.empty()) {
    if (shipped.empty())
      throw Error(
          fmt::format("the scenes included with Stance are not found (neither beside this "
                      "program nor in {}); name one: stance view FILE",
                      STANCE_SOURCE_DIR));
    first = shipped / kFirstScene;
  } else if (fs::is_directory(first, code)) {
    throw Error({options.scene.settings.file},
                "this is a folder; name a scene (.yaml) or a robot (.urdf) in it");
  } else if (!fs::is_regular_file(first, code)) {
    throw Error({options.scene.settings.file}, "there is no such file");
  }
  out.first.settings.file = first.string();
  const bool is_robot = !io::is_scene_file(first.string());
  const fs::path folder = fs::weakly_canonical(first, code).parent_path();
  if (is_robot || first.extension() != ".yaml") {
    out.first.label = options.scene.settings.file;
    out.scenes.push_back(
        {{options.scene.settings.file, is_robot ? "A robot on a floor" : ""}, first.string()});
  } else {
    out.first.label = (folder.filename() / first.filename()).string();
    offer_folder(folder, out.scenes);
  }
  if (!shipped.empty()) offer_folder(shipped, out.scenes);
}

// ---- the command --------------------------------------------------------------------------------

void tell_address(const view::Server& server, const ViewOptions& options) {
  const Style style = find_style(stdout);
  const bool is_local = view::is_loopback(options.listen);
  const bool is_any = options.listen == "0.0.0.0" || options.listen == "::";
  char name[256] = "this-machine";
  if (is_any) gethostname(name, sizeof name - 1);
  std::string host = is_any ? name : options.listen;
  if (host.find(':') != std::string::npos) host = "[" + host + "]";
  fmt::print("Open {}http://{}:{}/{}{} in a browser. Ctrl-C ends it.\n", style.bold, host,
             server.port(), server.token().empty() ? "" : "?token=" + server.token(), style.plain);
  if (is_local)
    fmt::print(
        "From another machine: ssh -L {0}:127.0.0.1:{0} THIS_MACHINE, then open "
        "http://127.0.0.1:{0}/ there.\n",
        server.port());
  else
    fmt::print("Whoever has this address can use the simulator; what is sent is not encrypted.\n");
  std::fflush(stdout);
}

// Loads the first scene once before anything is served: words of the command line that do not fit
// it are told here. A mistake in the file itself, with its line, is told by the page too, which
// loads it again once it is mended. Returns what it says of devices.
scene::InteractionSpec check_first(const view::SceneSource& first, const ViewOptions& options) {
  std::optional<scene::Scene> loaded;
  try {
    scene::Settings settings = first.settings;
    settings.law.clear();
    loaded.emplace(io::load_scene(settings));
  } catch (const Error& error) {
    if (error.place().line == 0) throw;
    return {};
  }
  const model::Model& model = loaded->first.scene.world.model;
  const model::FrameIndex held = model.find_frame(options.hold);
  if (!options.hold.empty() && (!held.valid() || model.frames[held].body == model::BodyIndex(0)))
    throw Error(fmt::format("--hold {}: the scene has no object or link of this name that can move",
                            options.hold));
  return loaded->spec().interaction;
}

int run_view(const ViewOptions& options) {
  view::ServerOptions server_options;
  server_options.address = options.listen;
  server_options.port = options.port.value_or(kFirstPort);
  server_options.takes_next_port = !options.port;
  view::HubOptions& hub = server_options.hub;
  hub.version = STANCE_VERSION;
  choose_scenes(options, hub);
  SceneWords words = options.scene;
  words.settings.file = hub.first.settings.file;
  hub.first.settings = make_settings(words);
  hub.session.is_paused = options.is_paused;
  hub.log = [](const std::string& text) {
    fmt::print(stderr, "stance: {}\n", text);
    std::fflush(stderr);
  };
  hub.session.log = hub.log;
  hub.make_recording = make_live_recordings("");
  if (!options.hold.empty() && options.devices.empty())
    throw CLI::ValidationError("--hold", "there is no device to hold it; name one by --device");
  const scene::InteractionSpec interaction = check_first(hub.first, options);
  std::vector<std::unique_ptr<LiveDevice>> devices;  // they outlive the server
  for (const std::string& what : options.devices) {
    const int number = static_cast<int>(devices.size()) + 1;
    devices.push_back(std::make_unique<LiveDevice>(what, number, number == 1 ? options.hold : "",
                                                   interaction, hub.log));
    hub.session.modules.push_back(devices.back()->module());
  }
  view::Server server(std::move(server_options));
  server.stop_on_signals();
  tell_address(server, options);
  server.run();
  const view::Lateness& late = server.hub().session().lateness();
  if (late.steps > 0)
    fmt::print(
        "\n99.9 % of {} steps began less than {:g} us late, the worst {:.3g} ms; more than 1 ms "
        "late: {} after steps that took too long, {} because the machine was busy "
        "otherwise\n",
        late.steps, late.quantile(0.999), 1e-6 * static_cast<double>(late.worst),
        late.too_late[view::Lateness::kWork],
        late.too_late[view::Lateness::kTaken] + late.too_late[view::Lateness::kSleep]);
  return kExitOk;
}

}  // namespace

void add_view(CLI::App& app, int& status) {
  const auto options = std::make_shared<ViewOptions>();
  CLI::App* command = app.add_subcommand(
      "view", "Look at a scene, or a robot standing on a floor, in a browser, and pull at it");
  command
      ->add_option("FILE", options->scene.settings.file,
                   "A scene (.yaml), or a robot (.urdf) to put on a floor; else the humanoid")
      ->type_name("");
  command
      ->add_option("--port", options->port,
                   "Port to listen on; else 8080, or the next one that is free")
      ->check(whole_number_in(1, 65535))
      ->type_name("N");
  command
      ->add_option("--listen", options->listen,
                   "Address to listen on; other machines then need the token that is printed")
      ->type_name("ADDRESS");
  add_scene_options(*command, options->scene);
  repeat(command->add_option("--device", options->devices,
                             std::string("A haptic device: ") + haptics::kDeviceHelp),
         "DEVICE");
  command
      ->add_option(
          "--hold", options->hold,
          "OBJECT or ROBOT/LINK that the first device holds from the start; else it touches")
      ->type_name("NAME");
  command->add_flag("--paused", options->is_paused, "Wait for the play button");
  command->footer(
      "\nRuns the scene in real time and serves a page that shows it; opens no window. In the "
      "page,\n"
      "Ctrl + left drag pulls at a body, ? lists all keys. Only the scenes in the folder of FILE "
      "and\n"
      "those included with Stance can be loaded from there. See docs/viewer.md.\n\n"
      "Examples:\n"
      "  stance view\n"
      "  stance view scenes/stack.yaml --port 8099\n"
      "  stance view models/humanoid.urdf --paused\n"
      "  stance view scenes/brick_on_ramp.yaml --set friction=0.3 --law penalty_fbl\n"
      "  stance view --listen 0.0.0.0\n"
      "  stance view scenes/humanoid_follows.yaml --device haply --hold beam\n");
  command->callback([options, &status] { status = run_view(*options); });
}

}  // namespace stance::cli
