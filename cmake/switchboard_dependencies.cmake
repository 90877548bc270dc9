# Third-party packages, all from Debian; what is only needed above the compute half is looked up only when that is built.

find_package(absl REQUIRED)
find_package(OpenSSL REQUIRED)
find_package(Threads REQUIRED)
find_package(Boost 1.81 EXACT REQUIRED COMPONENTS json)
find_package(PkgConfig REQUIRED)
pkg_check_modules(PCRE2 REQUIRED IMPORTED_TARGET libpcre2-8)
pkg_check_modules(ICU REQUIRED IMPORTED_TARGET icu-uc)
find_package(PNG REQUIRED)
find_package(JPEG REQUIRED)

if("proto" IN_LIST SWITCHBOARD_FOLDERS)
  find_package(Protobuf REQUIRED)
  pkg_check_modules(GRPC REQUIRED IMPORTED_TARGET grpc++)
  find_program(GRPC_CPP_PLUGIN grpc_cpp_plugin REQUIRED)
  find_package(prometheus-cpp REQUIRED CONFIG)
endif()

if(SWITCHBOARD_TESTS)
  find_package(GTest REQUIRED)
  find_package(benchmark REQUIRED)
endif()
