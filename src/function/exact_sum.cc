// SPDX-License-Identifier: Apache-2.0
#include "function/exact_sum.h"

#include <cmath>
#include <limits>
#include <memory>
#include <vector>

namespace keepone {

namespace {

constexpr double kHugeScale = 0x1p-128;

// sum + error is exactly a + b.
struct TwoDoubles {
  double sum;
  double error;
};

inline TwoDoubles TwoSum(double a, double b) {
  const double sum = a + b;
  const double b_part = sum - a;
  const double a_part = sum - b_part;
  return {sum, (a - a_part) + (b - b_part)};
}

// Adds a term to a list of doubles that do not overlap, smallest first, and keeps it one.
void Grow(double term, std::vector<double>* parts) {
  size_t kept = 0;
  for (const double part : *parts) {
    const TwoDoubles two = TwoSum(term, part);
    if (two.error != 0) {
      (*parts)[kept++] = two.error;
    }
    term = two.sum;
  }
  parts->resize(kept);
  if (term != 0) {
    parts->push_back(term);
  }
}

// Rounds once: the first sum with an error decides, and what lies below only breaks a tie.
double RoundParts(const std::vector<double>& parts) {
  if (parts.empty()) {
    return 0;
  }
  size_t index = parts.size() - 1;
  double high = parts[index];
  double low = 0;
  while (index > 0) {
    const double upper = high;
    const double lower = parts[--index];
    high = upper + lower;
    low = lower - (high - upper);
    if (low != 0) {
      break;
    }
  }
  if (index > 0 && ((low < 0 && parts[index - 1] < 0) || (low > 0 && parts[index - 1] > 0))) {
    const double doubled = low * 2;
    const double candidate = high + doubled;
    if (doubled == candidate - high) {
      high = candidate;
    }
  }
  return high;
}

}  // namespace

ExactSum::More& ExactSum::EnsureMore() {
  if (more_ == nullptr) {
    more_ = std::make_unique<More>();
  }
  return *more_;
}

void ExactSum::AddSmall(double term) {
  if (more_ != nullptr && !more_->middle.empty()) [[unlikely]] {
    AddToMany(term);
    return;
  }
  const TwoDoubles first = TwoSum(term, low_);
  const TwoDoubles second = TwoSum(first.sum, high_);
  if (first.error == 0) {
    low_ = second.error;
    high_ = second.sum;
  } else if (second.error == 0) {
    low_ = first.error;
    high_ = second.sum;
  } else {
    More& more = EnsureMore();
    more.middle = {first.error, second.error, second.sum};
    low_ = 0;
    high_ = 0;
  }
}

void ExactSum::AddToMany(double term) {
  std::vector<double>& parts = more_->middle;
  Grow(term, &parts);
  if (parts.size() <= 2) {
    high_ = parts.empty() ? 0 : parts.back();
    low_ = parts.size() < 2 ? 0 : parts.front();
    parts.clear();
  }
}

void ExactSum::AddSpecial(double term) {
  More& more = EnsureMore();
  if (std::isnan(term)) {
    more.specials |= 4;
  } else if (std::isinf(term)) {
    more.specials |= term > 0 ? 1 : 2;
  } else {
    Grow(term * kHugeScale, &more.huge);
  }
}

void ExactSum::AddProduct(double a, double b) {
  const double product = a * b;
  Add(product);
  if (std::isfinite(product)) {
    Add(std::fma(a, b, -product));
  }
}

void ExactSum::AddHugeTerm(double scaled) {
  Grow(scaled, &EnsureMore().huge);
}

void ExactSum::AppendTerms(std::vector<double>* terms) const {
  if (more_ == nullptr) {
    // Nearly all sums.
    terms->insert(terms->end(), {low_, high_});
    return;
  }
  const std::vector<double> parts = Parts();
  terms->insert(terms->end(), parts.begin(), parts.end());
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  if ((more_->specials & 1) != 0) {
    terms->push_back(kInfinity);
  }
  if ((more_->specials & 2) != 0) {
    terms->push_back(-kInfinity);
  }
  if ((more_->specials & 4) != 0) {
    terms->push_back(std::numeric_limits<double>::quiet_NaN());
  }
}

void ExactSum::AppendHugeTerms(std::vector<double>* terms) const {
  if (more_ != nullptr) {
    terms->insert(terms->end(), more_->huge.begin(), more_->huge.end());
  }
}

std::vector<double> ExactSum::Parts() const {
  if (more_ != nullptr && !more_->middle.empty()) {
    return more_->middle;
  }
  std::vector<double> parts;
  for (const double part : {low_, high_}) {
    if (part != 0) {
      parts.push_back(part);
    }
  }
  return parts;
}

double ExactSum::Round() const {
  if (more_ != nullptr && more_->specials != 0) {
    constexpr double kInfinity = std::numeric_limits<double>::infinity();
    if ((more_->specials & 4) != 0 || (more_->specials & 3) == 3) {
      return std::numeric_limits<double>::quiet_NaN();
    }
    return (more_->specials & 1) != 0 ? kInfinity : -kInfinity;
  }
  std::vector<double> parts = Parts();
  if (more_ == nullptr || more_->huge.empty()) {
    return RoundParts(parts);
  }
  std::vector<double> scaled = more_->huge;
  for (const double part : parts) {
    Grow(part * kHugeScale, &scaled);
  }
  return RoundParts(scaled) / kHugeScale;
}

}  // namespace keepone
