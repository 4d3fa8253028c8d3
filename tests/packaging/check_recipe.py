# SPDX-FileCopyrightText: The Rooftile authors
# SPDX-License-Identifier: Apache-2.0
"""Checks Spack's recipe without Spack: check_recipe.py RECIPE OPTIONS

The recipe compiles, the options that it sets are all in OPTIONS, cmake/RooftileOptions.cmake, and the variants that it asks
are its own or those of CudaPackage and ROCmPackage.
"""
import ast
import re
import sys

recipe_file, options_file = sys.argv[1:]
with open(recipe_file, encoding="utf-8") as file:
    text = file.read()
tree = ast.parse(text, recipe_file)
compile(tree, recipe_file, "exec")
with open(options_file, encoding="utf-8") as file:
    options = set(re.findall(r"ROOFTILE_[A-Z_]+", file.read()))


def first_arguments(function):
    """The constant that is the first argument of each call of a function or method, and the second where there is one."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and getattr(node.func, "attr", getattr(node.func, "id", None)) == function:
            yield [argument.value for argument in node.args if isinstance(argument, ast.Constant)]


variants = {arguments[0] for arguments in first_arguments("variant")} | {"cuda", "cuda_arch", "rocm", "amdgpu_target"}
set_options = [arguments[0] for name in ("define", "define_from_variant") for arguments in first_arguments(name)]
asked = [arguments[1] for arguments in first_arguments("define_from_variant")]
for arguments in first_arguments("satisfies"):
    asked += re.findall(r"[+~](\w+)", arguments[0])

wrong = [f"no such option ({name}): take one of {options_file}" for name in set_options
         if name.startswith("ROOFTILE_") and name not in options]
wrong += [f"no such variant ({name}): declare it, or take one of {', '.join(sorted(variants))}" for name in asked
          if name not in variants]
if not set_options or not asked:
    wrong.append(f"nothing found in {recipe_file}")
for line in wrong:
    print(line)
sys.exit(1 if wrong else 0)
