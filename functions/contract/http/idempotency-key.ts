const maxLength = 255;

/** Printable ASCII but quotes and commas: proxies join a header that came twice with a comma. */
const bare = String.raw`[ !#-+\--~]{1,${maxLength}}`;

/** A string of RFC 9651 without its quotes: printable ASCII, in which `"` and `\` are escaped. */
const quoted = String.raw`(?:[ !#-\[\]-~]|\\["\\]){1,${maxLength}}`;

/**
 * What an Idempotency-Key header may be: 1 to 255 characters, with quotes as the IETF draft has them
 * (draft-ietf-httpapi-idempotency-key-header) or without. Its groups are the two without the quotes.
 */
export const idempotencyKey = { maxLength, pattern: `^(?:(${bare})|"(${quoted})")$` } as const;
