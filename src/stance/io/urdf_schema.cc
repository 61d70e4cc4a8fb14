#include "stance/io/urdf_schema.h"

namespace stance::io {
namespace {

constexpr int kMany = 1 << 30;
constexpr ValueKind kName = ValueKind::kName;
constexpr ValueKind kText = ValueKind::kText;
constexpr ValueKind kNumbers = ValueKind::kQuantity;

// ---- pieces that several elements share -----------------------------------------------------

constexpr AttributeRule kOriginAttributes[] = {
    {"xyz", false, kNumbers, Quantity::kPosition3},
    {"rpy", false, kNumbers, Quantity::kAngle3},
};
constexpr ElementRule kOrigin{kOriginAttributes, {}};

constexpr AttributeRule kColourAttributes[] = {{"rgba", true, kNumbers, Quantity::kColour4}};
constexpr ElementRule kColour{kColourAttributes, {}};
constexpr AttributeRule kTextureAttributes[] = {{"filename"}};
constexpr ElementRule kTexture{kTextureAttributes, {}};
constexpr AttributeRule kMaterialAttributes[] = {{"name"}};
constexpr ChildRule kMaterialChildren[] = {{"color", &kColour, 0, 1}, {"texture", &kTexture, 0, 1}};
constexpr ElementRule kMaterial{kMaterialAttributes, kMaterialChildren};

// ---- geometry ---------------------------------------------------------------------------------

constexpr AttributeRule kBoxAttributes[] = {{"size", true, kNumbers, Quantity::kSize3}};
constexpr ElementRule kBox{kBoxAttributes, {}};
constexpr AttributeRule kSphereAttributes[] = {{"radius", true, kNumbers, Quantity::kSize}};
constexpr ElementRule kSphere{kSphereAttributes, {}};
constexpr AttributeRule kCylinderAttributes[] = {
    {"radius", true, kNumbers, Quantity::kSize},
    {"length", true, kNumbers, Quantity::kSize},
};
constexpr ElementRule kCylinder{kCylinderAttributes, {}};  // capsules have the same
constexpr AttributeRule kMeshAttributes[] = {
    {"filename", true, kName},
    {"scale", false, kNumbers, Quantity::kScale3},
};
constexpr ElementRule kMesh{kMeshAttributes, {}};
constexpr ChildRule kGeometryChildren[] = {
    {"box", &kBox, 0, 1},          {"cylinder", &kCylinder, 0, 1}, {"sphere", &kSphere, 0, 1},
    {"capsule", &kCylinder, 0, 1}, {"mesh", &kMesh, 0, 1},
};
constexpr ElementRule kGeometry{{}, kGeometryChildren};

// ---- link -------------------------------------------------------------------------------------

constexpr AttributeRule kMassAttributes[] = {{"value", true, kNumbers, Quantity::kMass}};
constexpr ElementRule kMass{kMassAttributes, {}};
constexpr AttributeRule kInertiaAttributes[] = {
    {"ixx", true, kNumbers, Quantity::kMoment},  {"ixy", true, kNumbers, Quantity::kProduct},
    {"ixz", true, kNumbers, Quantity::kProduct}, {"iyy", true, kNumbers, Quantity::kMoment},
    {"iyz", true, kNumbers, Quantity::kProduct}, {"izz", true, kNumbers, Quantity::kMoment},
};
constexpr ElementRule kInertia{kInertiaAttributes, {}};
constexpr ChildRule kInertialChildren[] = {
    {"origin", &kOrigin, 0, 1}, {"mass", &kMass, 1, 1}, {"inertia", &kInertia, 1, 1}};
constexpr ElementRule kInertial{{}, kInertialChildren};

constexpr AttributeRule kShapeAttributes[] = {{"name"}, {"group"}};
constexpr ChildRule kVisualChildren[] = {
    {"origin", &kOrigin, 0, 1}, {"geometry", &kGeometry, 1, 1}, {"material", &kMaterial, 0, 1}};
constexpr ElementRule kVisual{kShapeAttributes, kVisualChildren};
constexpr ChildRule kCollisionChildren[] = {{"origin", &kOrigin, 0, 1},
                                            {"geometry", &kGeometry, 1, 1},
                                            {"material"},
                                            {"verbose"},
                                            {"contact_coefficients"}};
constexpr ElementRule kCollision{kShapeAttributes, kCollisionChildren};

constexpr AttributeRule kLinkAttributes[] = {{"name", true, kName}, {"type"}};
constexpr ChildRule kLinkChildren[] = {{"inertial", &kInertial, 0, 1},
                                       {"visual", &kVisual, 0, kMany},
                                       {"collision", &kCollision, 0, kMany},
                                       {"gazebo"},
                                       {"sensor"},
                                       {"contact"},
                                       {"self_collision_checking"}};
constexpr ElementRule kLink{kLinkAttributes, kLinkChildren};

// ---- joint ------------------------------------------------------------------------------------

constexpr AttributeRule kEndAttributes[] = {{"link", true, kName}};
constexpr ElementRule kEnd{kEndAttributes, {}};
constexpr AttributeRule kAxisAttributes[] = {{"xyz", true, kNumbers, Quantity::kDirection3}};
constexpr ElementRule kAxis{kAxisAttributes, {}};
constexpr AttributeRule kLimitAttributes[] = {
    {"lower", false, kNumbers, Quantity::kLimit},
    {"upper", false, kNumbers, Quantity::kLimit},
    {"effort", true, kNumbers, Quantity::kMagnitude},
    {"velocity", true, kNumbers, Quantity::kMagnitude},
};
constexpr ElementRule kLimit{kLimitAttributes, {}};
constexpr AttributeRule kDynamicsAttributes[] = {
    {"damping", false, kNumbers, Quantity::kLoss},
    {"friction", false, kNumbers, Quantity::kLoss},
    {"rotor_inertia", false, kNumbers, Quantity::kLoss},
};
constexpr ElementRule kDynamics{kDynamicsAttributes, {}};
constexpr AttributeRule kMimicAttributes[] = {
    {"joint", true, kName},
    {"multiplier", false, kNumbers, Quantity::kFactor},
    {"offset", false, kNumbers, Quantity::kFactor},
};
constexpr ElementRule kMimic{kMimicAttributes, {}};

constexpr AttributeRule kJointAttributes[] = {{"name", true, kName}, {"type", true, kText}};
constexpr ChildRule kJointChildren[] = {{"origin", &kOrigin, 0, 1},
                                        {"parent", &kEnd, 1, 1},
                                        {"child", &kEnd, 1, 1},
                                        {"axis", &kAxis, 0, 1},
                                        {"limit", &kLimit, 0, 1},
                                        {"dynamics", &kDynamics, 0, 1},
                                        {"mimic", &kMimic, 0, 1},
                                        {"safety_controller"},
                                        {"calibration"},
                                        {"gazebo"},
                                        {"sensor"}};
constexpr ElementRule kJoint{kJointAttributes, kJointChildren};

// ---- robot ------------------------------------------------------------------------------------

constexpr AttributeRule kRobotAttributes[] = {{"name", true, kName}, {"version"}};
constexpr ChildRule kRobotChildren[] = {{"link", &kLink, 1, kMany},
                                        {"joint", &kJoint, 0, kMany},
                                        {"material", &kMaterial, 0, kMany},
                                        {"transmission"},
                                        {"gazebo"},
                                        {"sensor"},
                                        {"ros2_control"},
                                        {"mujoco"}};

}  // namespace

const ElementRule kRobotRule{kRobotAttributes, kRobotChildren};

}  // namespace stance::io
