#include "http/io_thread.h"

#include <gtest/gtest.h>

#include <boost/asio/post.hpp>
#include <future>
#include <optional>
#include <stdexcept>

#include "tests/unit/http/scripted_handler.h"

namespace switchboard::http {
namespace {

class IoThreadTest : public testing::Test {
 protected:
  // Whether the thread still runs what it is given.
  bool Works() {
    std::promise<void> ran;
    boost::asio::post(thread_.context(), [&ran] { ran.set_value(); });
    return ran.get_future().wait_for(std::chrono::seconds(10)) == std::future_status::ready;
  }

  const ServerOptions options_;
  FunctionHandler handler_{[](Request) { return ReplyText("unused"); }};
  IoThread thread_{&options_, &handler_, std::make_shared<ByteBudget>(1)};
};

TEST_F(IoThreadTest, OutlivesAnException) {
  thread_.Start();
  boost::asio::post(thread_.context(), [] { throw std::runtime_error("a bug"); });
  EXPECT_TRUE(Works());
}

TEST_F(IoThreadTest, OutlivesWhatIsNoException) {
  thread_.Start();
  boost::asio::post(thread_.context(), [] { throw 42; });
  EXPECT_TRUE(Works());
}

TEST_F(IoThreadTest, ASeatIsLetGoWhenItsThreadEndsBeforeTheSessionBegins) {
  bool taken = true;
  {
    IoThread other(&options_, &handler_, std::make_shared<ByteBudget>(1));
    std::shared_ptr<void> seat(nullptr, [&taken](void*) { taken = false; });
    boost::asio::ip::tcp::socket socket(other.context(), boost::asio::ip::tcp::v4());
    other.Adopt(std::move(socket), std::nullopt, std::move(seat));
    EXPECT_TRUE(taken);
  }
  EXPECT_FALSE(taken);
}

}  // namespace
}  // namespace switchboard::http
