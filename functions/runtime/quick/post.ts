/** A POST; headers in small letters. */
export interface Post {
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** As it goes over the wire (RFC 9112). Throws on a path or header that would end its line. */
export function wireText({ path, headers, body }: Post): string {
  let text = `POST ${inLine(path)} HTTP/1.1\r\n`;
  for (const [name, value] of Object.entries(headers)) text += `${inLine(name)}: ${inLine(value)}\r\n`;
  return `${text}connection: keep-alive\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;
}

function inLine(text: string): string {
  if (text.includes('\r') || text.includes('\n')) throw new TypeError('a line of a request has a line break');
  return text;
}
