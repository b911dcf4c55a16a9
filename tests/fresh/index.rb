# Spends its time and its memory in rebuild_index, until RUN_FOR seconds have passed.
def rebuild_index(end_time)
  index = {}
  while Process.clock_gettime(Process::CLOCK_MONOTONIC) < end_time
    index = {}
    word = 0
    while word < 20_000
      index[word * 7919 % 50_021] = [word, word]
      word += 1
    end
  end
  index
end

def main
  rebuild_index(Process.clock_gettime(Process::CLOCK_MONOTONIC) + ENV.fetch('RUN_FOR', '4').to_f)
end

main
