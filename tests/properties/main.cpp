// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
// Every kernel of one path on one backend on random products, all of whose memory is looked at.
#include "program.hpp"

int main(int argc, char** argv) {
  return rooftile::testing::run(argc, argv, {ROOFTILE_TEST_PATH, ROOFTILE_TEST_BACKEND, ROOFTILE_TEST_CASES});
}
