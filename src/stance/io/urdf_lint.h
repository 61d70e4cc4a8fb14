#pragma once

// Checks an XML document against the table of URDF (urdf_schema.h) and cleans it on the way:
// afterwards it contains only elements and attributes of the table, numbers that are finite and in
// range, and no comments, so that urdfdom can be given it without surprises.

#include <string>

#include <tinyxml2.h>

#include "stance/io/findings.h"

namespace stance::io {

// Where an element stands; for a part of a link or joint "<mass> in <link name="hand">".
Place place_of(const tinyxml2::XMLElement& element, const std::string& file);

// The <robot> of the document. Throws when this is no URDF, naming what it seems to be instead.
tinyxml2::XMLElement& find_robot(tinyxml2::XMLDocument& document, const std::string& file);

// Walks the whole robot. Throws only at xacro, which makes all further findings pointless.
void lint_urdf(tinyxml2::XMLElement& robot, const std::string& file, Findings& findings);

}  // namespace stance::io
