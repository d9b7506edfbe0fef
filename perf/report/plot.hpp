#pragma once

#include <string>

namespace hashmill::perf {

/// The picture of a run: the JSON it is drawn from, which is a temporary file unless the caller
/// wants it too, and the script beside this file that draws it.
class PlotFile {
 public:
  /// `plot_path` empty: nothing is drawn. `json_path` empty: the JSON is temporary.
  PlotFile(std::string plot_path, std::string json_path);
  ~PlotFile();
  PlotFile(const PlotFile&) = delete;
  PlotFile& operator=(const PlotFile&) = delete;

  /// Where the results have to be written; empty if nobody wants them.
  const std::string& json_path() const { return json_path_; }

  /// Draws the picture. Throws `Error` if the script fails; it has then said why on stderr.
  void draw() const;

 private:
  std::string plot_path_;
  std::string json_path_;
  bool is_temporary_ = false;
};

}  // namespace hashmill::perf
