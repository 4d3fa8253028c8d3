// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
// Tests every kernel of one path on one backend with random products, and checks all memory around the
// operands.
#include "program.hpp"

int main(int argc, char** argv) {
  return rooftile::testing::run(argc, argv, {ROOFTILE_TEST_PATH, ROOFTILE_TEST_BACKEND, ROOFTILE_TEST_CASES});
}
