# Builds the client on a Mac from this checkout:
#   git archive --prefix=hip-remote/ -o build/hip-remote-0.1.0.tar.gz HEAD
#   brew install --build-from-source deploy/homebrew/hip-remote.rb
class HipRemote < Formula
  desc "Run HIP programs on a GPU that is somewhere else"
  url "file://#{File.expand_path("../../build/hip-remote-0.1.0.tar.gz", __dir__)}"
  version "0.1.0"
  license "MIT"

  depends_on "cmake" => :build
  depends_on "ninja" => :build
  depends_on "nlohmann-json" => :build
  depends_on "pkgconf" => :build
  depends_on "xxhash" => :build
  depends_on macos: :ventura
  depends_on "zstd"

  def install
    system "cmake", "-G", "Ninja", "-S", ".", "-B", "build", "-DBUILD_TESTING=OFF", "-DCMAKE_BUILD_TYPE=Release", *std_cmake_args
    system "cmake", "--build", "build"
    system "cmake", "--install", "build"
  end

  def caveats
    <<~EOS
      Link with a run path, since system programs drop DYLD_LIBRARY_PATH:
        c++ app.cpp -L#{opt_lib}/hip-remote -lamdhip64 -Wl,-rpath,#{opt_lib}/hip-remote
      The worker runs on the Linux machine with the GPU; see docs/macos.md.
    EOS
  end

  test do
    assert_match version.to_s, shell_output("#{bin}/hip-remote --version")
    assert_match "cannot use the worker", shell_output("TF_CONNECT_TIMEOUT=1 #{bin}/hip-remote info --worker 127.0.0.1:9 2>&1", 1)
  end
end
