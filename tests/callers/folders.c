// Files of one name in two folders.

#include "folders/a/util.c"
#include "folders/b/util.c"

int main(void) {
  volatile long x = 0;
  for (int i = 0; i < 8; i++) {
    x += first(20000000);
    tick(&x);
    x += second(20000000);
    tick(&x);
  }
  return 0;
}
