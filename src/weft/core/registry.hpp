// Named things that register themselves, one line in the file which implements them:
//
//   static const Registry<CollectiveWriter>::Entry ring{"ring", "neighbours in a cycle", {write_ring}};
//
// T must be a type of its own per concept (a struct around a std::function, say): the registry is found by type.
// The same table gives `list`, error candidates and documentation.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "weft/core/error.hpp"
#include "weft/core/suggest.hpp"

namespace weft {

struct Parameter {
  std::string name;
  std::string description;
  std::string fallback = {};
};

template <class T>
class Registry {
 public:
  struct Item {
    std::string name;
    std::string description;
    T payload;
    std::vector<Parameter> parameters = {};
  };
  struct Entry {
    Entry(std::string name, std::string description, T payload, std::vector<Parameter> parameters = {}) {
      instance().add({std::move(name), std::move(description), std::move(payload), std::move(parameters)});
    }
  };

  static Registry& instance() {
    static Registry registry;
    return registry;
  }

  // A second item of a name is a fault of ours. It is raised at the first look-up, where it can be reported, because
  // this runs before main.
  void add(Item item) {
    std::string name = item.name;
    if (!items_.emplace(name, std::move(item)).second) duplicate_ = std::move(name);
  }

  // Throws a usage Error "unknown <kind> 'x'" with the nearest name.
  const Item& item(std::string_view name, std::string_view kind = "name") const {
    const Item* found = try_find(name);
    if (found != nullptr) return *found;
    throw usage_error("unknown " + std::string(kind) + " '" + std::string(name) + "'", did_you_mean(name, names()));
  }
  const T& find(std::string_view name, std::string_view kind = "name") const { return item(name, kind).payload; }
  const Item* try_find(std::string_view name) const {
    check();
    const auto found = items_.find(name);
    return found == items_.end() ? nullptr : &found->second;
  }

  // By name.
  std::vector<const Item*> sorted() const {
    check();
    std::vector<const Item*> result;
    result.reserve(items_.size());
    for (const auto& [name, item] : items_) result.push_back(&item);
    return result;
  }
  std::vector<std::string> names() const {
    check();
    std::vector<std::string> result;
    result.reserve(items_.size());
    for (const auto& [name, item] : items_) result.push_back(name);
    return result;
  }

 private:
  void check() const {
    if (!duplicate_.empty()) internal_error("'" + duplicate_ + "' is registered twice");
  }

  std::map<std::string, Item, std::less<>> items_;
  std::string duplicate_;
};

}  // namespace weft
