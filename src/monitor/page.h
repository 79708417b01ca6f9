// The status page for people: page.html, which asks /status every two seconds and needs nothing from any other host.
// Static. Tested by tests/e2e/test_page.py in a browser.
#pragma once

#include <string_view>

namespace postrider::monitor {

std::string_view StatusPage();

}  // namespace postrider::monitor
