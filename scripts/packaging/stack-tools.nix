# The static programs, which need nothing of Nix:
#   nix-build -E 'with import <nixpkgs> { }; callPackage ./stack-tools.nix { }'
{ lib, stdenvNoCC, fetchurl }:

let
  system = stdenvNoCC.hostPlatform.system;
  # An archive for each kind of processor.
  checksums = {
    @CHECKSUMS@
  };
in
stdenvNoCC.mkDerivation {
  pname = "stack-tools";
  version = "@VERSION@";
  src = fetchurl {
    url = "@RELEASE@/stack-tools-@VERSION@-${system}.tar.xz";
    sha256 = checksums.${system};
  };
  dontConfigure = true;
  dontBuild = true;
  installPhase = ''
    mkdir -p $out
    cp -r bin share $out/
  '';
  meta = {
    description = "Small filters that turn any profiler's output into an answer";
    homepage = "@REPOSITORY@";
    license = with lib.licenses; [ mit asl20 cddl ];
    platforms = builtins.attrNames checksums;
    mainProgram = "stack-flame";
  };
}
