/** Bytes of a form's fields before its file, at most. */
const maxHeadBytes = 64 * 1024;

/** A form as its client has written it, whose last part is the file: that stays on the disk, whatever its size. Throws where it is none. */
export async function formOfFile(blob: Blob, contentType: string): Promise<FormData> {
  const [, boundary] = /boundary=([^;\s]+)/.exec(contentType) ?? [];
  if (boundary === undefined) throw new Error('the form has no boundary');
  const head = Buffer.from(await blob.slice(0, maxHeadBytes).arrayBuffer()).toString('latin1');
  const form = new FormData();
  let at = 0;
  while (head.startsWith(`--${boundary}\r\n`, at)) {
    const headers = at + boundary.length + 4;
    const begin = head.indexOf('\r\n\r\n', headers) + 4;
    if (begin < 4) throw new Error('a part of the form has no end');
    const lines = head.slice(headers, begin);
    const [, name = ''] = /name="([^"]*)"/.exec(lines) ?? [];
    const [, fileName] = /filename="([^"]*)"/.exec(lines) ?? [];
    if (fileName !== undefined) {
      const [, type = ''] = /Content-Type: *([^\r]+)/i.exec(lines) ?? [];
      const end = blob.size - `\r\n--${boundary}--\r\n`.length;
      form.append(name, new File([blob.slice(begin, end)], fileName, { type }));
      return form;
    }
    const end = head.indexOf(`\r\n--${boundary}`, begin);
    form.append(name, Buffer.from(head.slice(begin, end), 'latin1').toString());
    at = end + 2;
  }
  throw new Error('the form has no file');
}
