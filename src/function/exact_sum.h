// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

namespace keepone {

// A sum of doubles without any rounding until it is asked for, so that it does not depend on the
// order of the terms nor on how they are split: the exact sum is kept as a list of doubles that do
// not overlap, from the smallest to the largest. Two of them nearly always do.
// Infinities and NaN follow IEEE: inf + -inf is NaN.
class ExactSum {
 public:
  void Add(double term) {
    // Terms from 2^960 on are kept scaled, so that no sum of 2^63 terms overflows on its way.
    if (term < kHuge && term > -kHuge) [[likely]] {
      AddSmall(term);
    } else {
      AddSpecial(term);
    }
  }
  // Adds a * b without rounding the product. REQUIRES: the product does not under- or overflow.
  void AddProduct(double a, double b);
  // Adds a term that AppendHugeTerms gave.
  void AddHugeTerm(double scaled);

  // The exact sum, rounded once to the nearest double.
  double Round() const;
  // The parts, whose exact sum is the value. REQUIRES: all terms were below 2^960.
  std::vector<double> Parts() const;
  // Terms that, added to another sum, have the effect of this one: those of the first by Add (they
  // may be infinities and NaN), those of the second, scaled by 2^-128, by AddHugeTerm.
  void AppendTerms(std::vector<double>* terms) const;
  void AppendHugeTerms(std::vector<double>* terms) const;
  bool IsSpecial() const {
    return more_ != nullptr && (more_->specials != 0 || !more_->huge.empty());
  }
  // Whether the sum holds memory of its own: about kBytesOutside.
  bool HoldsMemory() const { return more_ != nullptr; }
  static constexpr int64_t kBytesOutside = 128;

 private:
  static constexpr double kHuge = 0x1p960;
  struct More {
    std::vector<double> middle;  // larger than low_, smaller than high_: none, when absent
    std::vector<double> huge;    // a list of its own, scaled by 2^-128
    uint8_t specials = 0;        // 1: +inf, 2: -inf, 4: NaN
  };

  void AddSmall(double term);
  void AddSpecial(double term);
  void AddToMany(double term);
  More& EnsureMore();

  double low_ = 0;
  double high_ = 0;
  // While `more_->middle` is not empty it holds all parts, and low_ and high_ are 0.
  std::unique_ptr<More> more_;
};

}  // namespace keepone
