// Bullet as a simulator of scenes of loose bodies; see scene_protocol.h for what it answers. The
// option is how a floor is made: plane, or box (a large one, its top at the floor). All else is as
// Bullet has it by default: 10 sweeps, single precision; bodies do not fall asleep.
#include <btBulletDynamicsCommon.h>

#include <cmath>

#include "scene_protocol.h"

namespace stance::bench {
namespace {

constexpr btScalar kFloorHalf = 20, kFloorDepth = 1;  // m

btMatrix3x3 to_matrix(const std::array<double, 9>& R) {
  const auto x = [&R](int k) { return static_cast<btScalar>(R[k]); };
  return {x(0), x(1), x(2), x(3), x(4), x(5), x(6), x(7), x(8)};
}
btVector3 to_vector(const double* p) {
  return {static_cast<btScalar>(p[0]), static_cast<btScalar>(p[1]), static_cast<btScalar>(p[2])};
}

class BulletScene final : public ScenePeer {
 public:
  BulletScene(const PeerScene& scene, const std::string& floor) : scene_(scene), floor_(floor) {
    for (const PeerBody& b : scene.model.bodies) {
      if (b.type != "free" || b.parent >= 0) throw PeerError("only loose bodies are supported");
      if (b.com != std::array<double, 3>{} || b.inertia[1] != 0 || b.inertia[2] != 0 ||
          b.inertia[4] != 0)
        throw PeerError("a body's centre and axes must be those of its frame");
      const std::array<double, 9> identity{1, 0, 0, 0, 1, 0, 0, 0, 1};
      if (b.R_PJ != identity || b.p_PJ != std::array<double, 3>{})
        throw PeerError("a body's joint must be at the world's origin");
    }
    if (!scene.apart.empty()) throw PeerError("pairs that never meet are unsupported");
  }
  ~BulletScene() override { clear(); }

  std::string library() const override {
    const int version = btGetVersion();
    return "bullet " + std::to_string(version / 100) + "." + std::to_string(version % 100);
  }

  // All is made anew: Bullet keeps manifolds and impulses.
  void start(const std::vector<double>& q, const std::vector<double>& v) override {
    clear();
    configuration_ = std::make_unique<btDefaultCollisionConfiguration>();
    dispatcher_ = std::make_unique<btCollisionDispatcher>(configuration_.get());
    broad_phase_ = std::make_unique<btDbvtBroadphase>();
    solver_ = std::make_unique<btSequentialImpulseConstraintSolver>();
    world_ = std::make_unique<btDiscreteDynamicsWorld>(dispatcher_.get(), broad_phase_.get(),
                                                       solver_.get(), configuration_.get());
    world_->setGravity(to_vector(scene_.model.gravity.data()));
    for (const PeerGeometry& g : scene_.geometries)
      if (g.body < 0) add_fixed(g);
    for (std::size_t i = 0; i < scene_.model.bodies.size(); ++i)
      add_body(static_cast<int>(i), &q[7 * i], &v[6 * i]);
  }

  // No substeps: one step of this size.
  void step() override { world_->stepSimulation(static_cast<btScalar>(scene_.step), 0); }

  std::vector<double> find_q() override {
    std::vector<double> q;
    for (const btRigidBody* body : moving_) {
      const btTransform& X = body->getWorldTransform();
      const btQuaternion r = X.getRotation().normalized();
      for (const double x : {r.w(), r.x(), r.y(), r.z()}) q.push_back(x);
      for (int i = 0; i < 3; ++i) q.push_back(X.getOrigin()[i]);
    }
    return q;
  }

  int count_contacts() override {
    int count = 0;
    for (int k = 0; k < dispatcher_->getNumManifolds(); ++k)
      count += dispatcher_->getManifoldByIndexInternal(k)->getNumContacts();
    return count;
  }

 private:
  btCollisionShape* add_shape(const PeerGeometry& g) {
    const auto size = [&g](int k) { return static_cast<btScalar>(g.size[k]); };
    btCollisionShape* shape = nullptr;
    if (g.kind == "box") {
      shape = new btBoxShape(to_vector(g.size.data()));  // its margin lies inside
    } else if (g.kind == "sphere") {
      shape = new btSphereShape(size(0));
    } else if (g.kind == "capsule") {
      shape = new btCapsuleShapeZ(size(0), 2 * size(1));
    } else if (g.kind == "cylinder") {
      shape = new btCylinderShapeZ(btVector3(size(0), size(0), size(1)));
    } else if (g.kind == "plane" && floor_ == "plane") {
      shape = new btStaticPlaneShape(btVector3(0, 0, 1), 0);
    } else if (g.kind == "plane" && floor_ == "box") {
      shape = new btBoxShape(btVector3(kFloorHalf, kFloorHalf, kFloorDepth));
    } else {
      throw PeerError("no " + g.kind + " with option " + floor_);
    }
    shapes_.emplace_back(shape);
    return shape;
  }

  void add(btScalar mass, btCollisionShape* shape, const btVector3& inertia, const btTransform& X) {
    btRigidBody::btRigidBodyConstructionInfo info(mass, nullptr, shape, inertia);
    info.m_startWorldTransform = X;
    // the friction of a pair is the product
    info.m_friction = static_cast<btScalar>(std::sqrt(scene_.friction));
    bodies_.push_back(std::make_unique<btRigidBody>(info));
    bodies_.back()->setActivationState(DISABLE_DEACTIVATION);
    world_->addRigidBody(bodies_.back().get());
  }

  void add_fixed(const PeerGeometry& g) {
    btTransform X(to_matrix(g.R), to_vector(g.p.data()));
    if (g.kind == "plane" && floor_ == "box")
      X = X * btTransform(btMatrix3x3::getIdentity(), btVector3(0, 0, -kFloorDepth));
    add(0, add_shape(g), btVector3(0, 0, 0), X);
  }

  void add_body(int i, const double* q, const double* v) {
    const PeerBody& b = scene_.model.bodies[i];
    std::vector<const PeerGeometry*> own;
    for (const PeerGeometry& g : scene_.geometries)
      if (g.body == i) own.push_back(&g);
    btCollisionShape* shape = nullptr;
    const std::array<double, 9> identity{1, 0, 0, 0, 1, 0, 0, 0, 1};
    if (own.size() == 1 && own[0]->R == identity && own[0]->p == std::array<double, 3>{}) {
      shape = add_shape(*own[0]);
    } else {
      auto* compound = new btCompoundShape();
      shapes_.emplace_back(compound);
      for (const PeerGeometry* g : own)
        compound->addChildShape(btTransform(to_matrix(g->R), to_vector(g->p.data())),
                                add_shape(*g));
      shape = compound;
    }
    const auto at = [q](int k) { return static_cast<btScalar>(q[k]); };
    const double moments[3] = {b.inertia[0], b.inertia[3], b.inertia[5]};
    add(static_cast<btScalar>(b.mass), shape, to_vector(moments),
        btTransform(btQuaternion(at(1), at(2), at(3), at(0)), to_vector(q + 4)));
    moving_.push_back(bodies_.back().get());
    moving_.back()->setAngularVelocity(to_vector(v));
    moving_.back()->setLinearVelocity(to_vector(v + 3));
  }

  void clear() {
    if (world_)
      for (const auto& body : bodies_) world_->removeRigidBody(body.get());
    moving_.clear();
    bodies_.clear();
    world_.reset();
    solver_.reset();
    broad_phase_.reset();
    dispatcher_.reset();
    configuration_.reset();
    shapes_.clear();
  }

  const PeerScene scene_;
  const std::string floor_;
  std::unique_ptr<btDefaultCollisionConfiguration> configuration_;
  std::unique_ptr<btCollisionDispatcher> dispatcher_;
  std::unique_ptr<btDbvtBroadphase> broad_phase_;
  std::unique_ptr<btSequentialImpulseConstraintSolver> solver_;
  std::unique_ptr<btDiscreteDynamicsWorld> world_;
  std::vector<std::unique_ptr<btCollisionShape>> shapes_;
  std::vector<std::unique_ptr<btRigidBody>> bodies_;
  std::vector<btRigidBody*> moving_;  // in the order of the scene
};

}  // namespace
}  // namespace stance::bench

int main() {
  using namespace stance::bench;
  return serve_scene(
      [](const PeerScene& scene, const std::string& option) -> std::unique_ptr<ScenePeer> {
        return std::make_unique<BulletScene>(scene, option);
      });
}
