/* A program of which the shares are known: `hot` has a fifth of the samples, 120 others share the
   rest by Zipf's law. Usage: work ROUNDS [PERCENT that hot is slower] */
#include <stdio.h>
#include <stdlib.h>
#include <stdint.h>
#define WORK __attribute__((noinline, noclone)) static void
/* Each function keeps its frame, without which its caller would be missing in the samples. */
#define FRAME __asm__ volatile ("" : : "r"(__builtin_frame_address(0)))
static uint64_t *memory;
enum { MASK = (1 << 16) - 1 };
static inline __attribute__((always_inline)) void spin(uint64_t seed, unsigned long times) {
    uint64_t x = seed;
    for (unsigned long i = 0; i < times; i++) {
        x = x * 6364136223846793005u + 1442695040888963407u;
        memory[(x >> 40) & MASK] += x;
    }
}
static unsigned long hot_times;
WORK hot(void) { spin(1, hot_times); FRAME; }

WORK table_scan(void) { spin(50, 1216UL); FRAME; }
WORK index_scan(void) { spin(27, 2292UL); FRAME; }
WORK queue_scan(void) { spin(47, 1296UL); FRAME; }
WORK graph_scan(void) { spin(85, 710UL); FRAME; }
WORK cache_scan(void) { spin(34, 1806UL); FRAME; }
WORK text_scan(void) { spin(8, 8515UL); FRAME; }
WORK image_scan(void) { spin(55, 1104UL); FRAME; }
WORK store_scan(void) { spin(75, 805UL); FRAME; }
WORK plan_scan(void) { spin(60, 1010UL); FRAME; }
WORK net_scan(void) { spin(107, 562UL); FRAME; }
WORK log_scan(void) { spin(87, 693UL); FRAME; }
WORK user_scan(void) { spin(74, 816UL); FRAME; }
WORK table_parse(void) { spin(88, 685UL); FRAME; }
WORK index_parse(void) { spin(25, 2483UL); FRAME; }
WORK queue_parse(void) { spin(17, 3725UL); FRAME; }
WORK graph_parse(void) { spin(73, 828UL); FRAME; }
WORK cache_parse(void) { spin(78, 774UL); FRAME; }
WORK text_parse(void) { spin(95, 634UL); FRAME; }
WORK image_parse(void) { spin(103, 584UL); FRAME; }
WORK store_parse(void) { spin(116, 518UL); FRAME; }
WORK plan_parse(void) { spin(102, 590UL); FRAME; }
WORK net_parse(void) { spin(59, 1028UL); FRAME; }
WORK log_parse(void) { spin(61, 993UL); FRAME; }
WORK user_parse(void) { spin(20, 3137UL); FRAME; }
WORK table_hash(void) { spin(69, 877UL); FRAME; }
WORK index_hash(void) { spin(113, 532UL); FRAME; }
WORK queue_hash(void) { spin(106, 568UL); FRAME; }
WORK graph_hash(void) { spin(77, 784UL); FRAME; }
WORK cache_hash(void) { spin(3, 29801UL); FRAME; }
WORK text_hash(void) { spin(58, 1046UL); FRAME; }
WORK image_hash(void) { spin(96, 627UL); FRAME; }
WORK store_hash(void) { spin(83, 727UL); FRAME; }
WORK plan_hash(void) { spin(71, 851UL); FRAME; }
WORK net_hash(void) { spin(22, 2838UL); FRAME; }
WORK log_hash(void) { spin(97, 621UL); FRAME; }
WORK user_hash(void) { spin(80, 754UL); FRAME; }
WORK table_pack(void) { spin(76, 795UL); FRAME; }
WORK index_pack(void) { spin(117, 514UL); FRAME; }
WORK queue_pack(void) { spin(64, 946UL); FRAME; }
WORK graph_pack(void) { spin(44, 1386UL); FRAME; }
WORK cache_pack(void) { spin(28, 2208UL); FRAME; }
WORK text_pack(void) { spin(6, 11921UL); FRAME; }
WORK image_pack(void) { spin(14, 4585UL); FRAME; }
WORK store_pack(void) { spin(11, 5960UL); FRAME; }
WORK plan_pack(void) { spin(91, 662UL); FRAME; }
WORK net_pack(void) { spin(46, 1325UL); FRAME; }
WORK log_pack(void) { spin(121, 497UL); FRAME; }
WORK user_pack(void) { spin(43, 1419UL); FRAME; }
WORK table_sort(void) { spin(93, 648UL); FRAME; }
WORK index_sort(void) { spin(118, 509UL); FRAME; }
WORK queue_sort(void) { spin(19, 3311UL); FRAME; }
WORK graph_sort(void) { spin(42, 1454UL); FRAME; }
WORK cache_sort(void) { spin(31, 1987UL); FRAME; }
WORK text_sort(void) { spin(65, 931UL); FRAME; }
WORK image_sort(void) { spin(7, 9934UL); FRAME; }
WORK store_sort(void) { spin(112, 537UL); FRAME; }
WORK plan_sort(void) { spin(111, 542UL); FRAME; }
WORK net_sort(void) { spin(108, 557UL); FRAME; }
WORK log_sort(void) { spin(18, 3506UL); FRAME; }
WORK user_sort(void) { spin(115, 523UL); FRAME; }
WORK table_copy(void) { spin(16, 3974UL); FRAME; }
WORK index_copy(void) { spin(12, 5418UL); FRAME; }
WORK queue_copy(void) { spin(105, 573UL); FRAME; }
WORK graph_copy(void) { spin(57, 1064UL); FRAME; }
WORK cache_copy(void) { spin(38, 1611UL); FRAME; }
WORK text_copy(void) { spin(56, 1084UL); FRAME; }
WORK image_copy(void) { spin(54, 1125UL); FRAME; }
WORK store_copy(void) { spin(92, 655UL); FRAME; }
WORK plan_copy(void) { spin(67, 903UL); FRAME; }
WORK net_copy(void) { spin(90, 670UL); FRAME; }
WORK log_copy(void) { spin(89, 677UL); FRAME; }
WORK user_copy(void) { spin(2, 59603UL); FRAME; }
WORK table_merge(void) { spin(120, 501UL); FRAME; }
WORK index_merge(void) { spin(110, 547UL); FRAME; }
WORK queue_merge(void) { spin(86, 701UL); FRAME; }
WORK graph_merge(void) { spin(101, 596UL); FRAME; }
WORK cache_merge(void) { spin(62, 977UL); FRAME; }
WORK text_merge(void) { spin(81, 745UL); FRAME; }
WORK image_merge(void) { spin(100, 602UL); FRAME; }
WORK store_merge(void) { spin(33, 1863UL); FRAME; }
WORK plan_merge(void) { spin(66, 917UL); FRAME; }
WORK net_merge(void) { spin(51, 1192UL); FRAME; }
WORK log_merge(void) { spin(45, 1355UL); FRAME; }
WORK user_merge(void) { spin(79, 764UL); FRAME; }
WORK table_find(void) { spin(114, 527UL); FRAME; }
WORK index_find(void) { spin(49, 1242UL); FRAME; }
WORK queue_find(void) { spin(82, 736UL); FRAME; }
WORK graph_find(void) { spin(109, 552UL); FRAME; }
WORK cache_find(void) { spin(41, 1490UL); FRAME; }
WORK text_find(void) { spin(23, 2709UL); FRAME; }
WORK image_find(void) { spin(26, 2384UL); FRAME; }
WORK store_find(void) { spin(36, 1703UL); FRAME; }
WORK plan_find(void) { spin(98, 614UL); FRAME; }
WORK net_find(void) { spin(84, 718UL); FRAME; }
WORK log_find(void) { spin(5, 14901UL); FRAME; }
WORK user_find(void) { spin(29, 2129UL); FRAME; }
WORK table_walk(void) { spin(35, 1753UL); FRAME; }
WORK index_walk(void) { spin(119, 505UL); FRAME; }
WORK queue_walk(void) { spin(24, 2591UL); FRAME; }
WORK graph_walk(void) { spin(37, 1656UL); FRAME; }
WORK cache_walk(void) { spin(48, 1268UL); FRAME; }
WORK text_walk(void) { spin(70, 864UL); FRAME; }
WORK image_walk(void) { spin(68, 890UL); FRAME; }
WORK store_walk(void) { spin(30, 2055UL); FRAME; }
WORK plan_walk(void) { spin(9, 7450UL); FRAME; }
WORK net_walk(void) { spin(99, 608UL); FRAME; }
WORK log_walk(void) { spin(104, 579UL); FRAME; }
WORK user_walk(void) { spin(39, 1568UL); FRAME; }
WORK table_fill(void) { spin(72, 839UL); FRAME; }
WORK index_fill(void) { spin(53, 1146UL); FRAME; }
WORK queue_fill(void) { spin(4, 19868UL); FRAME; }
WORK graph_fill(void) { spin(10, 6623UL); FRAME; }
WORK cache_fill(void) { spin(13, 4967UL); FRAME; }
WORK text_fill(void) { spin(21, 2980UL); FRAME; }
WORK image_fill(void) { spin(63, 961UL); FRAME; }
WORK store_fill(void) { spin(52, 1169UL); FRAME; }
WORK plan_fill(void) { spin(94, 641UL); FRAME; }
WORK net_fill(void) { spin(15, 4257UL); FRAME; }
WORK log_fill(void) { spin(40, 1528UL); FRAME; }
WORK user_fill(void) { spin(32, 1923UL); FRAME; }
WORK table_step(void) { table_scan(); table_parse(); table_hash(); table_pack(); table_sort(); table_copy(); table_merge(); table_find(); table_walk(); table_fill(); FRAME; }
WORK index_step(void) { index_scan(); index_parse(); index_hash(); index_pack(); index_sort(); index_copy(); index_merge(); index_find(); index_walk(); index_fill(); FRAME; }
WORK queue_step(void) { queue_scan(); queue_parse(); queue_hash(); queue_pack(); queue_sort(); queue_copy(); queue_merge(); queue_find(); queue_walk(); queue_fill(); FRAME; }
WORK graph_step(void) { graph_scan(); graph_parse(); graph_hash(); graph_pack(); graph_sort(); graph_copy(); graph_merge(); graph_find(); graph_walk(); graph_fill(); FRAME; }
WORK cache_step(void) { cache_scan(); cache_parse(); cache_hash(); cache_pack(); cache_sort(); cache_copy(); cache_merge(); cache_find(); cache_walk(); cache_fill(); FRAME; }
WORK text_step(void) { text_scan(); text_parse(); text_hash(); text_pack(); text_sort(); text_copy(); text_merge(); text_find(); text_walk(); text_fill(); FRAME; }
WORK image_step(void) { image_scan(); image_parse(); image_hash(); image_pack(); image_sort(); image_copy(); image_merge(); image_find(); image_walk(); image_fill(); FRAME; }
WORK store_step(void) { store_scan(); store_parse(); store_hash(); store_pack(); store_sort(); store_copy(); store_merge(); store_find(); store_walk(); store_fill(); FRAME; }
WORK plan_step(void) { plan_scan(); plan_parse(); plan_hash(); plan_pack(); plan_sort(); plan_copy(); plan_merge(); plan_find(); plan_walk(); plan_fill(); hot(); FRAME; }
WORK net_step(void) { net_scan(); net_parse(); net_hash(); net_pack(); net_sort(); net_copy(); net_merge(); net_find(); net_walk(); net_fill(); FRAME; }
WORK log_step(void) { log_scan(); log_parse(); log_hash(); log_pack(); log_sort(); log_copy(); log_merge(); log_find(); log_walk(); log_fill(); FRAME; }
WORK user_step(void) { user_scan(); user_parse(); user_hash(); user_pack(); user_sort(); user_copy(); user_merge(); user_find(); user_walk(); user_fill(); FRAME; }
WORK run_round(void) { table_step(); index_step(); queue_step(); graph_step(); cache_step(); text_step(); image_step(); store_step(); plan_step(); net_step(); log_step(); user_step(); FRAME; }

int main(int argc, char **argv) {
    long rounds = argc > 1 ? atol(argv[1]) : 1000, slower = argc > 2 ? atol(argv[2]) : 0;
    memory = calloc(MASK + 1, sizeof *memory);
    hot_times = 80000 * (100 + slower) / 100;
    for (long i = 0; i < rounds; i++) run_round();
    printf("%lu\n", (unsigned long)memory[1]);
    return 0;
}
