#!/usr/bin/env bash
# `./dev new-variant`, in a copy: what it writes compiles and is listed, and it refuses in one line what it cannot do.
# usage: new_variant.sh REPOSITORY COMPILER
set -euo pipefail
repository=$1 compiler=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$work/docs"
cp -r "$repository/dev" "$repository/engine" "$work"
cp -r "$repository/docs/examples" "$work/docs"
cd "$work"

complain() { echo "new-variant: $*"; exit 1; }
sums() { find . -type f -print0 | sort -z | xargs -0 sha256sum; }

# refused WORDS ARGUMENTS...: fails, says one line that has those words, and changes nothing.
refused() {
  local words=$1 before said status=0
  shift
  before=$(sums)
  said=$(./dev new-variant "$@" 2>&1) || status=$?
  [ $status -ne 0 ] || complain "'$*' was taken"
  [ "$(wc -l <<<"$said")" -eq 1 ] || complain "'$*' was refused in more than a line: $said"
  [[ "$said" == *"$words"* ]] || complain "'$*' was refused with: $said"
  [ "$(sums)" = "$before" ] || complain "'$*' was refused and yet changed files"
}

for id in ring_attention x2; do
  ./dev new-variant $id >said || complain "'$id' was refused"
  [ "$(wc -l <said)" -eq 1 ] || complain "more than a line was said"
  grep -q "^const Variant& $id();$" engine/variants/registry.cpp || complain "$id is not declared in the registry"
  grep -q "^ *&$id(),$" engine/variants/registry.cpp || complain "$id is not in the registry's list"
  grep -q "\"$id\"" engine/variants/$id.cpp || complain "the copy has another id"
  ! grep -qi 'distance' engine/variants/registry.cpp || complain "the registry names the example"
  ! grep -q '"distance"\|Distance\b' engine/variants/$id.cpp || complain "the copy keeps a name of the example"
  grep "^const Variant& " engine/variants/registry.cpp | LC_ALL=C sort -c || complain "the registry declares out of order"
  [ "$(grep -A1 "&$id()," engine/variants/registry.cpp | tail -n 1 | tr -d ' ')" = "&given()," ] || complain "the new one is not listed before what was given"
  for file in engine/variants/$id.cpp engine/variants/registry.cpp; do
    "$compiler" -std=c++20 -fsyntax-only -Wall -Wextra -I. "$file" || complain "$file does not compile"
  done
  # The control: a name that nobody defines is found.
  ! "$compiler" -std=c++20 -fsyntax-only -I. -x c++ - <<<"#include \"engine/variants/$id.cpp\"
    const auto& none = headlight::no_such_variant();" 2>/dev/null || complain "the compiler takes anything"
done

refused "engine/variants/ring_attention.cpp is there already" ring_attention
refused "engine/variants/multi_head.cpp is there already" multi_head
for name in "" Linear 2d linear-attention "linear attention" ../linear "a;b"; do refused "wants a name" "$name"; done
refused "wants a name"
refused "a word of C++" double
