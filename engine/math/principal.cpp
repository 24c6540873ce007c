#include "engine/math/principal.h"

#include <Eigen/Eigenvalues>
#include <algorithm>

namespace headlight::math {

PrincipalPlane principal_plane(std::span<const float> rows, Index channels) {
  using Rows = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  const Index count = channels > 0 ? static_cast<Index>(rows.size()) / channels : 0;
  PrincipalPlane plane;
  plane.points.resize(static_cast<std::size_t>(count));
  const Eigen::MatrixXd x = Eigen::Map<const Rows>(rows.data(), count, channels).cast<double>();
  const double all = x.squaredNorm();
  if (!(all > 0)) return plane;
  // The eigenvectors of X Xᵀ, or of Xᵀ X, whichever is smaller.
  const bool by_rows = count <= channels;
  const Eigen::MatrixXd gram = by_rows ? Eigen::MatrixXd(x * x.transpose()) : Eigen::MatrixXd(x.transpose() * x);
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver(gram);
  plane.kept = 0;
  for (Index nth = 0; nth < std::min<Index>(2, gram.rows()); ++nth) {
    const Index at = gram.rows() - 1 - nth;  // they come with their eigenvalues rising
    const double length = std::sqrt(std::max(0.0, solver.eigenvalues()[at]));
    Eigen::VectorXd along = by_rows ? Eigen::VectorXd(solver.eigenvectors().col(at) * length)
                                    : Eigen::VectorXd(x * solver.eigenvectors().col(at));
    Index farthest = 0;
    along.cwiseAbs().maxCoeff(&farthest);
    if (along[farthest] < 0) along = -along;
    for (Index i = 0; i < count; ++i)
      plane.points[static_cast<std::size_t>(i)][static_cast<std::size_t>(nth)] = along[i];
    plane.kept += along.squaredNorm() / all;
  }
  plane.kept = std::min(plane.kept, 1.0);
  return plane;
}

}  // namespace headlight::math
