// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#include <plan/choose.hpp>
#include <rooftile/version.hpp>

int main() {
  const rooftile::Target target{rooftile::Path::native, {1024, 49152}, rooftile::Math::fp32};
  const rooftile::Choice choice = rooftile::choose({64, 64, 64}, {}, target);
  return choice.kernel == rooftile::Kernel::pipelined && rooftile::version[0] != '\0' ? 0 : 1;
}
