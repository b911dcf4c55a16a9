// The fragment of the address, which several pictures of one page share: the words of
// the second picture begin with `2.`, and so on.

const prefix = nth === 0 ? '' : `${nth + 1}.`;

const isOwn = ([key]) => isAlone || (prefix === '' ? !/^\d+\./.test(key) : key.startsWith(prefix));

// A page may have an address of its own, such as #part-3, which stays as it is.
const isOfPage = () => !isAlone && location.hash.length > 1 && !location.hash.includes('=');

const allWords = () => [...new URLSearchParams(isOfPage() ? '' : location.hash.slice(1))];

// What the address says of this picture.
const ownWords = () => new URLSearchParams(
  allWords().filter(isOwn).map(([key, value]) => [key.slice(prefix.length), value]),
);

// The address with these words for this picture, and the same as before for the others.
function addressWith(words) {
  const others = isAlone ? [] : allWords().filter((word) => !isOwn(word));
  const own = [...words].map(([key, value]) => [prefix + key, value]);
  return `#${new URLSearchParams([...own, ...others])}`;
}
