// The syntax tree of a template. Immutable once parsed, so threads may share it.
#ifndef SWITCHBOARD_TEXT_TEMPLATE_AST_H_
#define SWITCHBOARD_TEXT_TEMPLATE_AST_H_

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "text/template/runtime.h"
#include "text/template/value.h"

namespace switchboard::text::jinja {

struct Expr;
using ExprPtr = std::unique_ptr<Expr>;

// The arguments of a call, filter or test.
struct ArgumentList {
  std::vector<ExprPtr> positional;
  std::vector<std::pair<std::string, ExprPtr>> keyword;
  ExprPtr star, double_star;  // *list, **dict; null when absent
};

// An expression. Which fields count depends on the kind.
struct Expr {
  enum Kind {
    kConstant,     // constant
    kName,         // name
    kTuple,        // parts: the items
    kList,         // parts: the items
    kDict,         // parts: key, value, key, value ...
    kAttribute,    // parts[0] . name
    kItem,         // parts[0] [ parts[1] ]
    kSlice,        // parts[0] [ parts[1] : parts[2] : parts[3] ], the last three may be null
    kCall,         // parts[0] ( arguments )
    kFilter,       // parts[0] | name ( arguments ); parts[0] is null for a block's own text
    kTest,         // parts[0] is name ( arguments )
    kNegative,     // - parts[0]
    kPositive,     // + parts[0]
    kBinary,       // parts[0] name parts[1], name is + - * / // % **
    kConcat,       // parts[0] ~ parts[1] ~ ...
    kCompare,      // parts[0] operators[0] parts[1] operators[1] parts[2] ...
    kNot,          // not parts[0]
    kAnd,          // parts[0] and parts[1]
    kOr,           // parts[0] or parts[1]
    kConditional,  // parts[0] if parts[1] else parts[2], the last may be null
  };
  Kind kind = kConstant;
  int line = 0;
  int height = 1;  // 1 + that of the highest part: bounds recursion
  Value constant;
  std::string name;
  std::vector<ExprPtr> parts;
  std::vector<std::string> operators;  // kCompare: also `in`, `not in`
  ArgumentList arguments;
  Builtin builtin = nullptr;  // kFilter, kTest; null when there is none of that name
};

// What an assignment or a loop assigns to.
struct Target {
  enum Kind { kName, kAttribute, kTuple } kind = kName;  // a; namespace.attribute; a, (b, c)
  std::string name, attribute;
  std::vector<Target> parts;
};

struct Stmt;
using Body = std::vector<std::unique_ptr<Stmt>>;

// A macro, or the body of a call block.
struct MacroDefinition {
  std::string name;
  std::vector<std::string> parameters;
  std::vector<ExprPtr> defaults;  // of the last parameters
  Body body;
  // Whether the body mentions these names; only then does a call provide them.
  bool uses_varargs = false, uses_kwargs = false, uses_caller = false;
};

// A statement. Which fields count depends on the kind.
struct Stmt {
  enum Kind {
    kText,        // text
    kPrint,       // exprs[0]
    kFor,         // for target in exprs[0] [if exprs[1], may be null]; body, else_body
    kIf,          // if exprs[i]: branches[i]; else_body
    kSet,         // set target = exprs[0]
    kSetBlock,    // set target [| filters: exprs[0], may be null]; body
    kMacro,       // macro
    kCall,        // call exprs[0] (a kCall) with macro as caller
    kFilter,      // filter exprs[0]; body
    kWith,        // with targets = exprs; body
    kScope,       // a block: body with variables of its own, seeing only global ones
    kAutoescape,  // autoescape exprs[0]; body
    kGeneration,  // body
    kBreak,
    kContinue,
    kLoad,  // include, import, extends: an error when reached
  };
  Kind kind = kText;
  int line = 0;
  Value text;
  Target target;
  std::vector<Target> targets;
  std::vector<ExprPtr> exprs;
  Body body, else_body;
  std::vector<Body> branches;  // kIf
  std::unique_ptr<MacroDefinition> macro;
  bool recursive = false;  // kFor
};

struct Program {
  Body body;
};

}  // namespace switchboard::text::jinja

#endif  // SWITCHBOARD_TEXT_TEMPLATE_AST_H_
