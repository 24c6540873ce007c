// Eigen's packets: the numbers that one register holds, and what one instruction does with them. They are internal to
// Eigen and may change with any of its versions, so this is the only file that names them.
#pragma once

#include <Eigen/Core>

#include "engine/math/kernels.h"

// Tried: 3.4 and 5.0, which calls itself 3.5.0.
#if !EIGEN_VERSION_AT_LEAST(3, 4, 0)
#error "Headlight needs Eigen 3.4 or newer"
#endif

namespace headlight::math::KERNEL_SET {

namespace {

using Eigen::internal::pabs;
using Eigen::internal::packet_traits;
using Eigen::internal::padd;
using Eigen::internal::pcmp_lt;
using Eigen::internal::pdiv;
using Eigen::internal::ploadu;
using Eigen::internal::plogical_shift_left;
using Eigen::internal::plset;
using Eigen::internal::pmadd;
using Eigen::internal::pmax;
using Eigen::internal::pmin;
using Eigen::internal::pmul;
using Eigen::internal::pnegate;
using Eigen::internal::predux;
using Eigen::internal::predux_max;
using Eigen::internal::predux_min;
using Eigen::internal::preinterpret;
using Eigen::internal::pselect;
using Eigen::internal::pset1;
using Eigen::internal::pstoreu;
using Eigen::internal::psub;
using Eigen::internal::unpacket_traits;

using Packet = packet_traits<float>::type;
constexpr Index lanes = packet_traits<float>::size;

}  // namespace

}  // namespace headlight::math::KERNEL_SET
