// The last resort for exceptions on I/O threads.
#ifndef SWITCHBOARD_HTTP_LOG_EXCEPTION_H_
#define SWITCHBOARD_HTTP_LOG_EXCEPTION_H_

namespace switchboard::http {

// Logs the exception being handled. Nothing of ours throws: what arrives here is a bug of a handler
// or memory that has run out, and it is to cost one connection, never the process. REQUIRES: called
// from a catch block.
void LogException() noexcept;

}  // namespace switchboard::http

#endif  // SWITCHBOARD_HTTP_LOG_EXCEPTION_H_
