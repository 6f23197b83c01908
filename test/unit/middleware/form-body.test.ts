import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { FormFile } from '#contract/http/request.ts';
import { formBody } from '#middleware/form-body.ts';

const type = 'multipart/form-data; boundary=b';
const part = (disposition: string, value: string | Buffer, more = '') =>
  Buffer.concat([
    Buffer.from(`--b\r\nContent-Disposition: form-data; ${disposition}\r\n${more}\r\n`),
    Buffer.from(value),
    Buffer.from('\r\n'),
  ]);
const end = Buffer.from('--b--\r\n');
const form = (...parts: Buffer[]) => Buffer.concat([...parts, end]);
const file = (bytes: Buffer, name = 'speech.mp3') =>
  part(`name="file"; filename="${name}"`, bytes, 'Content-Type: audio/mpeg\r\n');
const read = (bytes: Buffer, contentType = type) => formBody(bytes, contentType);

describe('a form body', () => {
  test('is read byte for byte, for any file contents', async () => {
    // U+FFFD itself is refused, because it is also the decoding of invalid UTF-8.
    const texts = fc
      .string({ unit: 'grapheme', minLength: 1, maxLength: 50 })
      .filter((text) => text.isWellFormed() && !text.includes('\ufffd'));
    const property = fc.asyncProperty(fc.uint8Array({ maxLength: 5000 }), texts, async (bytes, text) => {
      const sent = new FormData();
      sent.set('language', text);
      sent.set('file', new Blob([bytes], { type: 'audio/wav' }), 'a.wav');
      const request = new Request('http://localhost', { method: 'POST', body: sent });
      const body = Buffer.from(await request.arrayBuffer());
      const { language, file } = await formBody(body, request.headers.get('content-type')!);
      // FormData converts every line break to CRLF (HTML, "multipart/form-data encoding algorithm").
      expect(language).toBe(text.replaceAll(/\r\n|\r|\n/g, '\r\n'));
      expect(file).toMatchObject({ name: 'a.wav', contentType: 'audio/wav' });
      expect(Buffer.compare((file as FormFile).bytes, bytes)).toBe(0);
    });
    await fc.assert(property, { numRuns: 100 });
  });

  test('strips the folders from a file name', async () => {
    for (const name of ['../../etc/passwd', '/tmp/passwd', 'C:\\\\tmp\\\\passwd']) {
      const { file: read } = await formBody(form(file(Buffer.from('x'), name)), type);
      expect((read as FormFile).name).toBe('passwd');
    }
  });

  test('has a list for a field whose name ends with brackets', async () => {
    const names = ['word', 'segment'].map((value) => part('name="timestamp_granularities[]"', value));
    expect(await read(form(...names))).toEqual({ 'timestamp_granularities[]': ['word', 'segment'] });
  });

  test('of 4 MiB is read without copying the file', async () => {
    const body = form(file(Buffer.alloc(4 * 2 ** 20, 7)));
    const { file: read } = await formBody(body, type);
    expect((read as FormFile).bytes).toHaveLength(4 * 2 ** 20);
    expect((read as FormFile).bytes.buffer).toBe(body.buffer);
  });

  const refused: Readonly<Record<string, readonly [body: Buffer, detail: RegExp, contentType?: string]>> = {
    'that names no boundary': [form(), /boundary/, 'multipart/form-data'],
    'without an end': [file(Buffer.from('x')).subarray(0, -4), /complete form/],
    'that is none': [Buffer.from('{"file":"x"}'), /complete form/],
    'with two files': [form(file(Buffer.from('x')), file(Buffer.from('y'))), /one file/],
    'with a field twice': [form(part('name="language"', 'en'), part('name="language"', 'fr')), /"language" twice/],
    'with a field beyond its size': [form(part('name="prompt"', 'x'.repeat(16 * 1024 + 1))), /at most 16384 bytes/],
    'with too many fields': [form(...Array.from({ length: 17 }, (_, at) => part(`name="f${at}"`, 'x'))), /at most 16 /],
    'with a file without a name': [form(part('filename="x"', 'y')), /must have a name/],
    'with a field without a name': [form(part('a=b', 'y')), /must have a name|complete form/],
    'with two boundaries': [form(), /boundary/, `${type}; boundary=c`],
    'with a boundary beyond its size': [form(), /boundary/, `multipart/form-data; boundary=${'b'.repeat(71)}`],
    'whose field has the replacement character': [form(part('name="language"', '\ufffd')), /UTF-8/],
    'whose field is no UTF-8': [form(part('name="language"', Buffer.from([0xff, 0xfe]))), /UTF-8/],
  };
  test.each(Object.entries(refused))('%s is refused with 400', async (_, [body, detail, contentType]) => {
    await expect(read(body, contentType)).rejects.toMatchObject({
      code: 'INVALID_FORMAT',
      message: expect.stringMatching(detail),
    });
  });

  test('of 4 MiB of delimiters is refused before parsing creates objects', async () => {
    for (const unit of ['\r\n--b', '--b\r\n\r\n', '\r\n--b\r\n\r\n']) {
      const body = Buffer.alloc(4 * 2 ** 20, unit);
      const cpu = process.cpuUsage();
      await expect(read(body)).rejects.toMatchObject({
        code: 'INVALID_FORMAT',
        message: expect.stringMatching(/too many parts/),
      });
      expect(process.cpuUsage(cpu).user / 1000).toBeLessThan(200);
    }
  });

  test('that is truncated is read or refused without waiting, wherever it is cut', async () => {
    const whole = form(part('name="language"', 'en'), file(Buffer.from('some audio')));
    for (let length = 1; length < whole.length; length += 1) {
      const outcome = await read(whole.subarray(0, length)).then(
        () => 'read',
        ({ code }) => code,
      );
      expect(outcome, `${length} bytes`).toMatch(length >= whole.length - 4 ? /./ : /^INVALID_FORMAT$/);
    }
  });
});
