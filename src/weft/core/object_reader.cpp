#include <algorithm>
#include <tuple>

#include <fmt/format.h>

#include "weft/core/node.hpp"
#include "weft/core/suggest.hpp"

namespace weft {

// One mapping that somebody reads, and the keys asked for so far.
struct ObjectReader::Visit {
  const Node* node = nullptr;
  Keys keys = Keys::strict;
  std::vector<std::string> known;
};

// What all readers of one file share.
struct ObjectReader::Shared {
  std::vector<Diagnostic> faults;
  std::vector<std::shared_ptr<Visit>> visits;
};

namespace {

const Node nothing;
const std::vector<Node> no_items;

}  // namespace

ObjectReader::ObjectReader(const Node& node, Keys keys) : ObjectReader(std::make_shared<Shared>(), node, keys) {
  top_ = true;
}

ObjectReader::ObjectReader(std::shared_ptr<Shared> shared, const Node& node, Keys keys)
    : shared_(std::move(shared)), visit_(std::make_shared<Visit>()), node_(&node) {
  visit_->node = &node;
  visit_->keys = keys;
  shared_->visits.push_back(visit_);
  if (&node == &nothing) {
    dead_ = true;
  } else if (!node.is_map()) {
    record(node.diagnostic(fmt::format("expected a mapping, found {}", node.kind_name())));
    dead_ = true;
  }
}

void ObjectReader::record(Diagnostic diagnostic) {
  if (!dead_) shared_->faults.push_back(std::move(diagnostic));
}

const Node* ObjectReader::node(std::string_view key) {
  if (std::find(visit_->known.begin(), visit_->known.end(), key) == visit_->known.end())
    visit_->known.emplace_back(key);
  return node_->find(key);
}

void ObjectReader::ignore(std::string_view key) {
  node(key);
}

const Node* ObjectReader::look(std::string_view key) {
  const Node* found = node(key);
  return found == nullptr || found->is_null() ? nullptr : found;
}

const Node* ObjectReader::want(std::string_view key) {
  const Node* found = look(key);
  if (found == nullptr) record(node_->diagnostic(fmt::format("missing key '{}'", key)));
  return found;
}

bool ObjectReader::has(std::string_view key) const {
  const Node* found = node_->find(key);
  return found != nullptr && !found->is_null();
}

const std::vector<Node>& ObjectReader::sequence(const Node* node) {
  if (node == nullptr) return no_items;
  if (node->is_sequence()) return node->items();
  record(node->diagnostic(fmt::format("expected a list, found {}", node->kind_name())));
  return no_items;
}

std::string ObjectReader::choice(std::string_view key, const std::vector<std::string>& allowed) {
  if (want(key) == nullptr) return {};
  return choice(key, allowed, {});
}

std::string ObjectReader::choice(std::string_view key, const std::vector<std::string>& allowed, std::string fallback) {
  const Node* found = look(key);
  if (found == nullptr) return fallback;
  auto text = convert<std::string>(*found, fallback);
  if (!found->is_scalar() || std::find(allowed.begin(), allowed.end(), text) != allowed.end()) return text;
  record(found->diagnostic(fmt::format("'{}' is not one of the choices", text), did_you_mean(text, allowed, 30)));
  return fallback;
}

ObjectReader ObjectReader::object(std::string_view key) {
  const Node* found = want(key);
  return {shared_, found == nullptr ? nothing : *found, visit_->keys};
}

std::optional<ObjectReader> ObjectReader::maybe_object(std::string_view key) {
  const Node* found = look(key);
  if (found == nullptr) return std::nullopt;
  return ObjectReader(shared_, *found, visit_->keys);
}

std::vector<ObjectReader> ObjectReader::list(std::string_view key) {
  want(key);
  return list_or_empty(key);
}

std::vector<ObjectReader> ObjectReader::list_or_empty(std::string_view key) {
  std::vector<ObjectReader> readers;
  for (const Node& item : sequence(look(key))) readers.push_back(ObjectReader(shared_, item, visit_->keys));
  return readers;
}

void ObjectReader::fault_at(std::string_view key, std::string message, std::string hint) {
  const Node* found = node(key);
  record((found != nullptr ? found : node_)->diagnostic(std::move(message), std::move(hint)));
}

void ObjectReader::fault(std::string message, std::string hint) {
  record(node_->diagnostic(std::move(message), std::move(hint)));
}

bool ObjectReader::ok() const {
  return shared_->faults.empty();
}

void ObjectReader::finish() {
  if (!top_) return;
  std::vector<Diagnostic> faults = shared_->faults;
  for (const auto& visit : shared_->visits) {
    if (visit->keys == Keys::lenient) continue;
    const std::vector<std::string>& keys = visit->node->keys();
    for (std::size_t i = 0; i < keys.size(); ++i) {
      if (std::find(visit->known.begin(), visit->known.end(), keys[i]) != visit->known.end()) continue;
      faults.push_back(visit->node->key_diagnostic(i, fmt::format("unknown key '{}'", keys[i]),
                                                   did_you_mean(keys[i], visit->known, 30)));
    }
  }
  if (faults.empty()) return;
  std::stable_sort(faults.begin(), faults.end(), [](const Diagnostic& a, const Diagnostic& b) {
    return std::tie(a.where.line, a.where.column) < std::tie(b.where.line, b.where.column);
  });
  throw Error(std::move(faults));
}

}  // namespace weft
