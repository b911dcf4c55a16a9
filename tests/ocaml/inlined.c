static inline __attribute__((always_inline)) int load(int *at)
{
    return *(volatile int *)at;
}

int outer(int *at)
{
    return load(at) + 1;
}

int main(void)
{
    int one = 1;
    return outer(&one) == 2 ? 0 : 1;
}
