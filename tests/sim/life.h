// One simulated life: a database, a Kafka, and the relay through all its processes, driven by one seed.
//
// First applications write and faults strike, from a set that the seed chooses (so that some lives know only a few
// faults, and those often). Then everything is mended, and the relay must catch up: every event in Kafka, the slot at
// the end of the log. Then it is stopped, which must be clean, and started again, which must repeat nothing.
//
//   Life life(seed, &census, /*traces=*/false);
//   if (std::string violation = life.Run(); !violation.empty()) ...
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "relay/relay.h"
#include "sim/broker.h"
#include "sim/connector.h"
#include "sim/evidence.h"
#include "sim/producer.h"
#include "sim/server.h"
#include "sim/world.h"
#include "unit/relay/fake_router.h"

namespace postrider::sim {

class Life {
 public:
  Life(uint64_t seed, Census* census, bool traces);
  ~Life();

  // Empty, or the first thing that went wrong.
  std::string Run();

 private:
  // What a seed decides before anything happens.
  struct Traits {
    WalTraits wal;
    ServerTraits server;
    bool skips = false;
    bool parks = false;
    bool evidence = false;      // the relay keeps an evidence record
    size_t commits_before = 0;  // the relay starts, at the most
    int64_t commit_every_us = 0;
    int64_t fault_every_us = 0;
    int64_t troubled_us = 0;
    std::vector<size_t> faults;  // indexes into the table of faults
  };
  struct Fault {
    const char* name;
    void (Life::*strike)();
  };
  struct Process;

  static Traits Draw(Random& random, config::Config& config);
  static const std::vector<Fault>& Faults();

  // ---- applications and faults
  void PlanCommits();
  void PlanFaults();
  void Mend();
  int64_t Long() { return world_.random.Skewed(500 * kMs, 25 * kSecond); }
  void KillRelay();
  void StopRelay();
  void FreezeRelay();
  void SlowRelay();
  void CutConnection();
  void StallLink();
  void BlockWriting();
  void LoseLink();
  void CrashServer() { server_.Crash(); }
  void StopServer() { server_.StopFast(); }
  void Failover() { server_.Failover(); }
  void HoldSlot();
  void AlterTable() { server_.AlterTable(); }
  void FailLookups();
  void FreezeBroker();
  void SlowBroker();
  void RemoveTopic();
  void RefusePoison();
  void RefuseLogins() { broker_.RefuseLogins(Long() / 4); }
  void FaultyDeliveries();
  void FatalProducers();
  void FailMaking() { broker_.FailMaking(Long()); }
  void StickReports();
  void LoseAcknowledgements() { broker_.LoseAcknowledgements(Long() / 4); }

  // ---- the host
  void JumpWallClock() { world_.clock.JumpWall(world_.random.Between(-86'400'000, 86'400'000)); }
  void SlowEvidence() { evidence_.SlowDown(Long()); }

  // ---- the relay's processes
  void StartProcess();
  void EndProcess();
  bool Wakes() const;
  void StepProcess();
  void NoteState();
  // `breaks`: of the server's connections, before the step in which it ended.
  void NoteExit(int breaks);
  // Lets things happen until `done`, for `limit_us` at the most; whether it came to that.
  template <typename Done>
  bool RunUntil(int64_t limit_us, Done done);
  void Turn();

  config::Config config_;
  Traits traits_;
  World world_;
  Server server_;
  Broker broker_;
  EvidenceStore evidence_;
  std::unique_ptr<Process> process_;
  uint64_t processes_ = 0;
  bool troubled_ = true;
  bool applications_write_ = true;
  bool stop_asked_ = false;
  int64_t stop_deadline_us_ = 0;
  int64_t paused_until_us_ = 0;
  std::optional<int> last_exit_code_;

  // Wakes by nothing but the relay's own deadlines, in the present second.
  int64_t spin_second_ = 0;
  int spins_ = 0;
};

}  // namespace postrider::sim
