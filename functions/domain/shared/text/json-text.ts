/**
 * Where the string of a JSON text that begins at `start`, after its quote, is closed: at the first quote with no backslashes
 * before it, or an even number; -1 when there is none.
 */
export function endOfString(text: string, start: number): number {
  for (let end = text.indexOf('"', start); ; end = text.indexOf('"', end + 1)) {
    let before = end;
    while (text[before - 1] === '\\') before -= 1;
    if ((end - before) % 2 === 0) return end;
  }
}
