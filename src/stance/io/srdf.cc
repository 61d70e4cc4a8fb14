#include "stance/io/srdf.h"

#include <fmt/format.h>
#include <tinyxml2.h>

#include "stance/io/xml_text.h"
#include "stance/kernel/names.h"

namespace stance::io {
namespace {

// The link that an attribute names.
std::string read_link(const tinyxml2::XMLElement& element, const char* attribute,
                      const Place& place, const Robot& robot) {
  const char* name = element.Attribute(attribute);
  if (!name || !*name)
    throw Error(place, fmt::format("needs {}=\"...\", the name of a link", attribute));
  if (robot.model.find_frame(name).valid()) return name;
  std::vector<std::string_view> names;
  for (const model::Frame& frame : robot.model.frames) names.push_back(frame.name);
  const std::string_view nearest = kernel::find_nearest_name(name, names);
  throw Error(
      place,
      fmt::format("the robot '{}' has no link '{}'{}", robot.model.name, make_printable(name),
                  nearest.empty() ? std::string() : fmt::format("; did you mean '{}'?", nearest)));
}

}  // namespace

LinkPairs load_srdf(const std::string& path, const Robot& robot) {
  return parse_srdf(read_text_file(path), path, robot);
}

LinkPairs parse_srdf(std::string_view text, const std::string& file, const Robot& robot) {
  text = check_xml_text(text, file);
  tinyxml2::XMLDocument xml;
  parse_xml(text, file, xml);
  const tinyxml2::XMLElement* root = xml.RootElement();
  if (!root || std::string_view(root->Name()) != "robot")
    throw Error({file, root ? root->GetLineNum() : 0},
                "an SRDF file has one root element <robot name=\"...\">");
  LinkPairs pairs;
  for (const tinyxml2::XMLElement* e = root->FirstChildElement("disable_collisions"); e;
       e = e->NextSiblingElement("disable_collisions")) {
    const Place place{file, e->GetLineNum(), "<disable_collisions>"};
    std::string a = read_link(*e, "link1", place, robot), b = read_link(*e, "link2", place, robot);
    pairs.emplace_back(std::move(a), std::move(b));
  }
  return pairs;
}

}  // namespace stance::io
