/** Replaces `node:assert` in Lambda bundles: `undici` only needs plain assertions, and the module loads code for diffs. */
function assert(value, message = 'an assertion failed') {
  if (!value) throw new Error(message);
}

module.exports = assert;
