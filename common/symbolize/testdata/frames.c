/* The part of the program whose lines are in DWARF. */

int leaf(void)
{
    return 7;
}

int mangled(int number) __asm__("_ZN5space6doubleEi");
int mangled(int number)
{
    return 2 * number;
}

int main(void)
{
    return mangled(leaf()) == 14 ? 0 : 1;
}
