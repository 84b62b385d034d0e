// What the rocSPARSE programs share: checked calls, a handle with a descriptor of a general matrix, and matrix
// information.
#pragma once
#include <rocsparse/rocsparse.h>

#include "sparse_reference.h"

#define SPARSE(CALL) REQUIRE((CALL) == rocsparse_status_success)
constexpr auto kPlain = rocsparse_operation_none;
constexpr auto kZero = rocsparse_index_base_zero;

struct Handle {
  rocsparse_handle handle = nullptr;
  rocsparse_mat_descr general = nullptr;
  Handle() {
    SPARSE(rocsparse_create_handle(&handle));
    SPARSE(rocsparse_create_mat_descr(&general));
  }
  Handle(const Handle&) = delete;
  ~Handle() {
    (void)rocsparse_destroy_mat_descr(general);
    (void)rocsparse_destroy_handle(handle);
  }
  operator rocsparse_handle() const { return handle; }
};

struct Info {
  rocsparse_mat_info info = nullptr;
  Info() { SPARSE(rocsparse_create_mat_info(&info)); }
  Info(const Info&) = delete;
  ~Info() { (void)rocsparse_destroy_mat_info(info); }
  operator rocsparse_mat_info() const { return info; }
};
