// Numbers as people read them, each with where it comes from, so that whatever is printed can be held to the trace.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "engine/trace/trace.h"

namespace headlight::app {

// "3.279", "−0.101", "1.20e−05", "−∞", "NaN": digits that people can read and compare. No more than a float holds.
std::string number_text(double value, int digits = 3);

// The least of 1, 2 and 5 times a power of ten that is no less than a number above 0: where axes end and step.
double round_number_from(double number);

// A number as it is printed, and where it comes from: a cell of the trace, or a rule carried out on such.
struct Printed {
  std::string text;   // "3.464"
  double value = 0;   // in full precision
  std::string array;  // step or source; empty: `rule` made it
  Index cell = -1;    // flat
  std::string rule;   // "√12", "sum of 8 products"
};

Printed printed_cell(const Operand& operand, const Trace& trace);
Printed printed_rule(double value, std::string rule);

// What numbers give, in their order.
using Evaluator = std::function<double(const std::vector<double>&)>;

// Gives the numbers as many digits as it takes for them to give the printed result once they are rounded as it is, or
// one in its last digit beside it where the run's own rounding leaves no more. Where none suffice, as beside an
// infinity, they stay as they are.
void choose_digits(std::vector<Printed>& numbers, Printed& result, Evaluator evaluate, int digits = 3);

// The pattern with a number in place of each {}: "0.5 − (−0.3)".
std::string fill_in_numbers(const std::string& pattern, const std::vector<Printed>& numbers);

// "1.258 − 2.177 + 0.002"
std::string sum_text(const std::vector<Printed>& numbers);

// The number that a text says; NaN where it says none.
double parsed_number(const std::string& text);
// One in the last digit that is printed: 0.001 of "3.279".
double last_digit(const std::string& text);

}  // namespace headlight::app
