// SPDX-License-Identifier: Apache-2.0 OR MIT
package libnxs;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;

/** Loads libnxs and its JNI library: out of the jar, else (a distribution's jar has none) as the system finds them. */
final class NativeLibrary {
  private static final String[] NAMES = {System.mapLibraryName("nxs") + "." + RawConstants.NXS_SOVERSION, System.mapLibraryName("nxs_jni")};
  private static boolean loaded;

  private NativeLibrary() {}

  static synchronized void load() {
    if (loaded) return;
    final String folder = "native/" + System.getProperty("os.name").toLowerCase(Locale.ROOT) + "-" + System.getProperty("os.arch") + "/";
    if (NativeLibrary.class.getResource(folder + NAMES[0]) == null) {
      System.loadLibrary("nxs_jni");
    } else {
      loadFrom(folder);
    }
    loaded = true;
  }

  /** The system wants files: they are gone again once they are loaded. */
  private static void loadFrom(String folder) {
    try {
      final Path place = Files.createTempDirectory("libnxs");
      try {
        for (String name : NAMES) {
          try (InputStream library = NativeLibrary.class.getResourceAsStream(folder + name)) {
            if (library == null) throw new UnsatisfiedLinkError(folder + name + " is not in the jar");
            Files.copy(library, place.resolve(name));
          }
        }
        for (String name : NAMES) System.load(place.resolve(name).toString());
      } finally {
        for (String name : NAMES) Files.deleteIfExists(place.resolve(name));
        Files.delete(place);
      }
    } catch (IOException failure) {
      throw new UncheckedIOException(failure);
    }
  }
}
