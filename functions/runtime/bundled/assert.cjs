/** `node:assert` in a function's code, for the plain assertions of `undici`: it loads what shows how two values differ. */
function assert(value, message = 'an assertion failed') {
  if (!value) throw new Error(message);
}

module.exports = assert;
