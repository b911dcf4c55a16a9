class StackTools < Formula
  desc "Small filters that turn any profiler's output into an answer"
  homepage "@REPOSITORY@"
  url "https://static.crates.io/crates/stack-tools/stack-tools-@VERSION@.crate"
  sha256 "@SHA256@"
  license all_of: [{ any_of: ["MIT", "Apache-2.0"] }, "CDDL-1.0"]

  depends_on "rust" => :build

  def install
    system "cargo", "install", *std_cargo_args
    man1.install Dir["man/*.1"]
    man5.install Dir["man/*.5"]
    man7.install Dir["man/*.7"]
    bin.children.each do |tool|
      generate_completions_from_executable(tool, "--completions")
    end
  end

  test do
    output = pipe_output(bin/"stack-merge", "main;f 1\nmain;f 2\n", 0)
    assert_equal "main;f 3\n", output
  end
end
