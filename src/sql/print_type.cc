// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <string>

#include "sql/printer.h"

namespace keepone::ast {

void Printer::PrintType(const TypeName& type) {
  switch (type.kind) {
    case TypeNameKind::kNamed:
      break;
    case TypeNameKind::kList:
      PrintType(type.children[0]);
      return Put("[]");
    case TypeNameKind::kFixedList:
      PrintType(type.children[0]);
      return Put("[" + std::to_string(type.fixed_size) + "]");
    case TypeNameKind::kStruct:
      Put("STRUCT(");
      for (size_t i = 0; i < type.children.size(); ++i) {
        PutIf(i > 0, ", ");
        PutIdentifier(type.field_names[i]);
        Put(" ");
        PrintType(type.children[i]);
      }
      return Put(")");
    case TypeNameKind::kMap:
      Put("MAP(");
      PrintType(type.children[0]);
      Put(", ");
      PrintType(type.children[1]);
      return Put(")");
  }
  if (type.modifiers.empty()) {
    return PutIdentifier(type.name);
  }
  std::string modifiers;
  for (const int64_t modifier : type.modifiers) {
    modifiers += (modifiers.empty() ? "(" : ", ") + std::to_string(modifier);
  }
  modifiers += ")";
  if (type.name.quoted) {
    PutIdentifier(type.name);
    return Put(modifiers);
  }
  // TIMESTAMP(3) WITH TIME ZONE and CHARACTER VARYING(20): of the names with blanks only the first
  // has three words after the modifiers.
  const std::string& name = type.name.text;
  const bool has_zone = std::count(name.begin(), name.end(), ' ') == 3;
  const size_t place = has_zone ? name.find(' ') : name.size();
  Put(name.substr(0, place) + modifiers + name.substr(place));
}

}  // namespace keepone::ast
