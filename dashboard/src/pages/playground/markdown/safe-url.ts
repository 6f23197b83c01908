const protocols = new Set(['https:', 'mailto:']);
/** A longer address is no link for people. */
const maxLength = 2048;

/**
 * The address of a link as the browser would go to it; undefined where it is not absolute, not `https:` or `mailto:`, or
 * carries a name or a password, which only look like the host.
 */
export function safeUrl(text: string): string | undefined {
  if (text.length > maxLength) return undefined;
  const url = URL.parse(text);
  if (!url || !protocols.has(url.protocol) || url.username !== '' || url.password !== '') return undefined;
  return url.href;
}
