#include "stance/io/urdf_lint.h"

#include <algorithm>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "stance/io/urdf_schema.h"
#include "stance/io/xml_text.h"
#include "stance/kernel/names.h"

namespace stance::io {
namespace {

using tinyxml2::XMLAttribute;
using tinyxml2::XMLElement;
using tinyxml2::XMLNode;

constexpr std::size_t kLongestName = 1024;  // bytes

// Long names are cut in messages, not in the model.
std::string shorten(std::string_view text) {
  constexpr std::size_t kShown = 80;
  return text.size() <= kShown ? std::string(text) : std::string(text.substr(0, kShown)) + "...";
}

std::string tag_of(const XMLElement& element) {
  const char* name = element.Attribute("name");
  return name ? fmt::format("<{} name=\"{}\">", element.Name(), shorten(name))
              : fmt::format("<{}>", element.Name());
}

std::string suggest(std::string_view wrong, const std::vector<std::string_view>& known,
                    const char* form) {
  const std::string_view nearest = kernel::find_nearest_name(wrong, known);
  return nearest.empty() ? std::string()
                         : "; did you mean " + fmt::format(fmt::runtime(form), nearest) + "?";
}

// Elements and attributes with a prefix belong to other programs.
bool is_foreign(std::string_view name) {
  return name.find(':') != std::string_view::npos || name == "xmlns";
}

void refuse_xacro(const XMLElement& element, const std::string& file) {
  if (std::string_view(element.Name()).starts_with("xacro:"))
    throw Error(place_of(element, file),
                "this is a xacro file, which is a program that writes a URDF; run it first: "
                "xacro robot.urdf.xacro > robot.urdf");
}

// One pass over one document.
class Lint {
 public:
  Lint(const std::string& file, Findings& findings) : file_(file), findings_(findings) {}

  // Recursion is as deep as the table, five levels.
  void check_element(XMLElement& element, const ElementRule& rule) {
    check_attributes(element, rule);
    check_children(element, rule);
  }

 private:
  void error(const XMLElement& element, std::string what) {
    findings_.error(place_of(element, file_), std::move(what));
  }
  void warn(const XMLElement& element, std::string what) {
    findings_.warn(place_of(element, file_), std::move(what));
  }

  void check_attributes(XMLElement& element, const ElementRule& rule) {
    std::vector<std::string> unknown;
    for (const XMLAttribute* a = element.FirstAttribute(); a; a = a->Next()) {
      const std::string_view name = a->Name();
      const auto known = std::find_if(rule.attributes.begin(), rule.attributes.end(),
                                      [&](const AttributeRule& r) { return r.name == name; });
      if (known != rule.attributes.end()) continue;
      unknown.emplace_back(name);
      if (is_foreign(name)) continue;
      std::vector<std::string_view> names;
      for (const AttributeRule& r : rule.attributes) names.push_back(r.name);
      warn(element, fmt::format("the attribute {} is not known and is passed over{}", shorten(name),
                                suggest(name, names, "{}")));
    }
    for (const AttributeRule& attribute : rule.attributes) check_attribute(element, attribute);
    for (const std::string& name : unknown) element.DeleteAttribute(name.c_str());
  }

  void check_attribute(XMLElement& element, const AttributeRule& rule) {
    const std::string name(rule.name);
    const char* text = element.Attribute(name.c_str());
    if (!text) {
      if (rule.required)
        error(element, fmt::format("the attribute {0} is missing; write <{1} {0}=\"...\">", name,
                                   element.Name()));
      return;
    }
    if (rule.kind == ValueKind::kName) return check_name(element, name, text);
    if (rule.kind != ValueKind::kQuantity) return;
    const Reading reading = read_quantity(rule.quantity, text);
    if (!reading.error.empty())
      return error(element, fmt::format("{}=\"{}\": {}", name, shorten(text), reading.error));
    if (!reading.warning.empty())
      warn(element, fmt::format("{}=\"{}\": {}", name, shorten(text), reading.warning));
    element.SetAttribute(name.c_str(), write_numbers(reading).c_str());
  }

  void check_name(const XMLElement& element, const std::string& name, std::string_view text) {
    if (text.find_first_not_of(" \t\r\n") == std::string_view::npos)
      error(element, fmt::format("{}=\"\" is empty; fill it in", name));
    else if (text.size() > kLongestName)
      error(element, fmt::format("{} is longer than {} characters", name, kLongestName));
    else if (!is_clean_utf8(text))
      error(element, fmt::format("{} contains control characters or broken Unicode", name));
    else if (text.find("${") != std::string_view::npos || text.find("$(") != std::string_view::npos)
      error(element, fmt::format("{}=\"{}\" is an expression that xacro was to fill in; expand the "
                                 "file first: xacro robot.urdf.xacro > robot.urdf",
                                 name, shorten(text)));
    else if (text.front() == ' ' || text.back() == ' ')
      warn(element,
           fmt::format("{}=\"{}\" has spaces at its ends, and they count", name, shorten(text)));
  }

  void check_children(XMLElement& element, const ElementRule& rule) {
    std::vector<int> count(rule.children.size(), 0);
    XMLNode* next = nullptr;
    for (XMLNode* node = element.FirstChild(); node; node = next) {
      next = node->NextSibling();
      if (const tinyxml2::XMLText* text = node->ToText()) check_stray_text(element, *text);
      XMLElement* child = node->ToElement();
      const ChildRule* known = child ? find_child_rule(*child, rule) : nullptr;
      if (!known || !known->rule) {
        element.DeleteChild(node);
        continue;
      }
      const int k = static_cast<int>(known - rule.children.data());
      if (++count[k] > known->most)
        error(*child, fmt::format("<{}> stands here {}; one is allowed", known->name,
                                  count[k] == 2 ? "twice" : "many times"));
      check_element(*child, *known->rule);
    }
    for (std::size_t k = 0; k < count.size(); ++k)
      if (count[k] < rule.children[k].fewest)
        error(element,
              fmt::format("there is no <{}> in it, and it needs one", rule.children[k].name));
  }

  // The rule of a child, or null (after a warning) when it is not in the table.
  const ChildRule* find_child_rule(const XMLElement& child, const ElementRule& rule) {
    refuse_xacro(child, file_);
    const std::string_view name = child.Name();
    for (const ChildRule& known : rule.children)
      if (known.name == name) return &known;
    if (is_foreign(name)) return nullptr;
    std::vector<std::string_view> names;
    for (const ChildRule& known : rule.children) names.push_back(known.name);
    warn(child, fmt::format("the element <{}> is not known here and is passed over{}",
                            shorten(name), suggest(name, names, "<{}>")));
    return nullptr;
  }

  void check_stray_text(const XMLElement& element, const tinyxml2::XMLText& text) {
    std::string_view value = text.Value() ? text.Value() : "";
    if (value.find_first_not_of(" \t\r\n") == std::string_view::npos) return;
    value.remove_prefix(value.find_first_not_of(" \t\r\n"));
    value.remove_suffix(value.size() - 1 - value.find_last_not_of(" \t\r\n"));
    Place place = place_of(element, file_);
    place.line = text.GetLineNum();
    findings_.warn(std::move(place), fmt::format("the text \"{}\" stands between the elements and "
                                                 "is passed over",
                                                 shorten(value)));
  }

  const std::string& file_;
  Findings& findings_;
};

// What a file with another root element probably is.
std::string describe_root(std::string_view name) {
  if (name == "sdf" || name == "gazebo")
    return "this is an SDF file (Gazebo), not a URDF; give the URDF that it was made from";
  if (name == "mujoco")
    return "this is an MJCF file (MuJoCo), not a URDF; give the URDF that it was made from";
  if (name == "COLLADA") return "this is a COLLADA mesh, not a robot description";
  if (name == "launch") return "this is a ROS launch file, not a robot description";
  if (name == "html") return "this is a web page, not a robot description";
  return fmt::format(
      "the outermost element is <{}>, but a robot description has <robot "
      "name=\"...\"> there",
      shorten(name));
}

}  // namespace

Place place_of(const XMLElement& element, const std::string& file) {
  // links, joints and materials stand in <robot>, everything else belongs to one of them
  const XMLElement* owner = &element;
  while (owner->Parent() && owner->Parent()->ToElement() &&
         owner->Parent()->ToElement()->Parent() != element.GetDocument())
    owner = owner->Parent()->ToElement();
  return {file, element.GetLineNum(),
          owner == &element ? tag_of(element) : tag_of(element) + " in " + tag_of(*owner)};
}

XMLElement& find_robot(tinyxml2::XMLDocument& document, const std::string& file) {
  XMLElement* robot = document.RootElement();
  if (!robot)
    throw Error(Place{file},
                "there is no element in this file; a robot description starts with "
                "<robot name=\"...\">");
  refuse_xacro(*robot, file);
  if (std::string_view(robot->Name()) != "robot")
    throw Error(place_of(*robot, file), describe_root(robot->Name()));
  for (XMLNode* node = document.FirstChild(); node; node = node->NextSibling()) {
    if (node->ToText())
      throw Error(Place{file, node->GetLineNum()}, "text stands outside of <robot>; remove it");
    if (node->ToElement() && node != robot)
      throw Error(place_of(*node->ToElement(), file),
                  "a second element stands beside <robot>; a file describes one robot");
  }
  return *robot;
}

void lint_urdf(XMLElement& robot, const std::string& file, Findings& findings) {
  const char* version = robot.Attribute("version");
  if (version && std::string_view(version) != "1.0")
    findings.warn(place_of(robot, file),
                  fmt::format("version \"{}\" is read as version 1.0", shorten(version)));
  Lint(file, findings).check_element(robot, kRobotRule);
  robot.DeleteAttribute("version");
}

}  // namespace stance::io
