#include "commands/site.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "commands/start.h"
#include "router/topic_names.h"

namespace postrider::commands {
namespace {

// The topics of values that the routing column has now.
absl::Status AddEventTopics(const config::Config& config, Site& site) {
  auto names = router::TopicNames::Make(config);
  if (!names.ok()) return names.status();
  for (const std::string& route : site.database.routes()) {
    const auto topic = names->Resolve(route);
    if (!topic.ok()) {
      site.routes.push_back(Warning(
          "topic", absl::StrCat("rows are in the table whose events would be held: ", topic.status().message())));
    } else if (topic->has_value() && std::none_of(site.topics.begin(), site.topics.end(),
                                                  [&](const auto& use) { return use.name == **topic; })) {
      site.topics.push_back({.name = **topic});
    }
  }
  return absl::OkStatus();
}

void AddOtherTopics(const config::Config& config, Site& site) {
  if (const std::string& dead = config.relay.poison.dead_letter_topic; !dead.empty())
    site.topics.push_back({.name = dead, .finding = "dead_letter_topic"});
  if (config.heartbeat.interval_ms > 0 && !config.heartbeat.topic.empty())
    site.topics.push_back({.name = config.heartbeat.topic, .finding = "heartbeat_topic", .needed = false});
}

// A topic that holds the record is made by being read, so only one that is there is.
postgres::Survey::Record ReadRecord(const config::Config& config, const kafka::ClusterFacts& cluster,
                                    evidence::Place& place, const Wakeup& stop) {
  using Presence = kafka::TopicFacts::Presence;
  if (config.evidence.topic.empty()) return place.Read(stop);
  if (!cluster.reached.ok()) return absl::UnavailableError("Kafka is not reached");
  const kafka::TopicFacts& topic = cluster.topics.back();
  if (topic.presence == Presence::kMissing) return std::optional<evidence::Record>();
  return place.Read(stop);
}

}  // namespace

absl::StatusOr<Site> LookAtSite(const config::Config& config, const Wakeup& stop) {
  absl::StatusOr<kafka::TopicRules> rules = kafka::TopicRules::Make(config.producer);
  if (!rules.ok()) return rules.status();
  absl::StatusOr<postgres::Survey> database = postgres::Survey::Read(config, &stop);
  if (!database.ok()) return database.status();
  Site site{.database = *std::move(database),
            .cluster = {},
            .rules = *std::move(rules),
            .topics = {},
            .routes = {},
            .record = std::optional<evidence::Record>(),
            .place = ""};
  if (absl::Status status = AddEventTopics(config, site); !status.ok()) return status;
  AddOtherTopics(config, site);

  std::vector<std::string> names;
  for (const kafka::TopicUse& use : site.topics) names.push_back(use.name);
  if (!config.evidence.topic.empty()) names.push_back(config.evidence.topic);
  site.cluster = kafka::ReadCluster(config.producer, names, &stop);
  const auto place = EvidencePlace(config);
  site.place = place->name();
  site.record = ReadRecord(config, site.cluster, *place, stop);
  return site;
}

}  // namespace postrider::commands
