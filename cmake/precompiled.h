#pragma once

// Headers that most files include anyway; nothing of our own, so that an edit rebuilds little.
// Every file still includes what it uses.
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include <arrow/api.h>
#include <arrow/compute/api.h>
