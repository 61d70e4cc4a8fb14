#pragma once

// Orders are carried out here, on the physics thread, and answered.

#include <memory>
#include <string>
#include <vector>

#include "stance/view/live_run.h"
#include "stance/view/outbox.h"
#include "stance/view/publisher.h"
#include "stance/view/spsc_queue.h"

namespace stance::view {

class OrderDesk {
 public:
  OrderDesk(LiveRun& live, Publisher& publisher, Outbox& outbox);

  // By the server's thread. False when there are too many orders already; then it is as it was.
  bool post(std::unique_ptr<Order>& order) { return orders_.push(order); }

  // Carries out what came. What changes a run waits while another one is being made.
  void take_orders();

 private:
  void take(std::unique_ptr<Order> order);
  void answer(std::unique_ptr<Order> order);
  void refuse(std::unique_ptr<Order> order, const std::string& problem);

  // Each throws stance::Error with what is wrong, or fills in the answer.
  void obey(const Order::Leave& leave, Order& order);
  void obey(Order::Enter& enter, Order& order);
  void obey(Order::Record& record, Order& order);
  void obey(const Order::GoOn& go_on, Order& order);
  void obey(const Order::Told& told, Order& order);

  void obey_viewer(const Ask& asked, Order& order);
  void obey(const ask::Pause& ask, Order& order);
  void obey(const ask::Play& ask, Order& order);
  void obey(const ask::Reset& ask, Order& order);
  void obey(const ask::Step& ask, Order& order);
  void obey(const ask::Speed& ask, Order& order);
  void obey(const ask::Load& ask, Order& order);
  void obey(const ask::Set& ask, Order& order);
  void obey(const ask::Law& ask, Order& order);
  void obey(const ask::Gravity& ask, Order& order);
  void obey(const ask::Drag& ask, Order& order);
  void obey(const ask::Push& ask, Order& order);
  void obey(const ask::Release& ask, Order& order);
  void obey(const ask::Select& ask, Order& order);
  void obey(const ask::Add& ask, Order& order);
  void obey(const ask::Remove& ask, Order& order);
  void obey(const ask::Target& ask, Order& order);
  void obey(const ask::Watch& ask, Order& order);
  void obey(const ask::Seek& ask, Order& order);
  void obey(const ask::Continue& ask, Order& order);
  void obey(const ask::Record& ask, Order& order);

  void check_present() const;
  void check_moving(const std::string& name) const;
  void begin_edit();
  void edit(int viewer, const scene::Edit& edit);
  const Timeline::Entry& find_past(double time) const;
  const model::Model& model() const { return live_.stage()->part->scene.world.model; }

  LiveRun& live_;
  Publisher& publisher_;
  Outbox& outbox_;
  SpscQueue<std::unique_ptr<Order>> orders_;
  std::vector<std::unique_ptr<Order>> later_;  // of a run that is being made
  int last_object_ = -1;                       // of those that viewers added
};

}  // namespace stance::view
