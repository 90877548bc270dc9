// Why a request is not served: what the server itself answers instead of asking the handler.
#ifndef SWITCHBOARD_HTTP_REFUSAL_H_
#define SWITCHBOARD_HTTP_REFUSAL_H_

#include <string>

namespace switchboard::http {

struct Refusal {
  int status = 400;
  std::string message;  // one line for the client
  std::string code;     // slug of the error body; empty: null
};

}  // namespace switchboard::http

#endif  // SWITCHBOARD_HTTP_REFUSAL_H_
