// A refused request as a table row, and what became of it.
#ifndef SWITCHBOARD_TESTS_UNIT_GATEWAY_OPENAI_ERROR_CASE_H_
#define SWITCHBOARD_TESTS_UNIT_GATEWAY_OPENAI_ERROR_CASE_H_

#include <gtest/gtest.h>

#include <string>

#include "base/check.h"
#include "base/json.h"
#include "gateway/openai/error.h"

namespace switchboard::openai {

struct ErrorCase {
  const char* fields;  // members of the body, as JSON
  const char* param;
  const char* code;
  int status = 400;
};

// "400 code param" of an error; "ok" for none.
inline std::string Verdict(const absl::Status& status) {
  if (status.ok()) return "ok";
  const ErrorReply reply = ToErrorReply(status);
  const absl::StatusOr<Json> body = ParseJson(reply.body);
  CHECK(body.ok());
  const JsonObject& error = body->at("error").as_object();
  CHECK(error.at("message").as_string().size() > 0);
  const Json& param = error.at("param");
  return std::to_string(reply.status) + " " + std::string(ToAbsl(error.at("code").as_string())) +
         " " + (param.is_null() ? "-" : std::string(ToAbsl(param.as_string())));
}

inline std::string Expected(const ErrorCase& c) {
  return std::to_string(c.status) + " " + c.code + " " + c.param;
}

inline JsonObject ParseObject(absl::string_view text) {
  const absl::StatusOr<Json> value = ParseJson(text);
  CHECK(value.ok());
  return value->as_object();
}

// `base` with the members of `fields` on top; null removes nothing, it stays null.
inline JsonObject With(absl::string_view base, absl::string_view fields) {
  JsonObject body = ParseObject(base);
  for (const auto& [key, value] : ParseObject(fields)) body[key] = value;
  return body;
}

}  // namespace switchboard::openai

#endif  // SWITCHBOARD_TESTS_UNIT_GATEWAY_OPENAI_ERROR_CASE_H_
