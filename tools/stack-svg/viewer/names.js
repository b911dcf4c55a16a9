// Names as bytes, as they are in the profile.

// Bytes that cannot be shown are escapes in the picture, such as \xAD.
const ESCAPES = /((?:\\x[0-9A-F]{2})+)/;

const bytesOfEscapes = (text) => text.match(/[0-9A-F]{2}/g).map((digits) => parseInt(digits, 16));

const encoder = new TextEncoder();
const byteTexts = [];

// The bytes of a name.
function bytesOf(name) {
  const parts = names[name].split(ESCAPES);
  return Uint8Array.from(parts.flatMap((part, at) => (
    at % 2 === 1 ? bytesOfEscapes(part) : [...encoder.encode(part)]
  )));
}

// A text with a letter for each byte of a name, which is compared as the bytes are.
function byteText(name) {
  const isPlain = () => /^[\x00-\x5b\x5d-\x7f]*$/.test(names[name]);
  byteTexts[name] ??= isPlain() ? names[name] : String.fromCharCode(...bytesOf(name));
  return byteTexts[name];
}

function compareNames(one, other) {
  const [a, b] = [byteText(one), byteText(other)];
  return a < b ? -1 : a > b ? 1 : 0;
}
