import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';

/** Content codings as the edge has them too, the better first (CloudFront, "Serving compressed files"). */
const codings = {
  br: (body: Buffer) =>
    promisify(brotliCompress)(body, { params: { [constants.BROTLI_PARAM_QUALITY]: brotliQuality } }),
  gzip: (body: Buffer) => promisify(gzip)(body),
} as const;
export type Coding = keyof typeof codings;

/** A few ms for 100 KB; the highest one takes a hundred times as long for 5 % less. */
const brotliQuality = 6;
/** Below, headers and all, there is nothing to win (CloudFront compresses from 1,000 bytes on). */
const minBytes = 1000;
const compressible = /^(?:text\/|application\/json|image\/svg)/;

/** The coding to send a body in, by the request's Accept-Encoding (RFC 9110, 12.5.3); undefined for none. */
export function codingFor(
  accepted: string | readonly string[] | undefined,
  type: string,
  bytes: number,
): Coding | undefined {
  if (bytes < minBytes || !compressible.test(type)) return undefined;
  const taken = new Set(
    String(accepted ?? '')
      .split(',')
      .map((part) =>
        part
          .trim()
          .toLowerCase()
          .split(/(?<!\s)\s*;\s*/),
      )
      .filter(([, quality = 'q=1']) => Number(quality.slice('q='.length)) > 0)
      .map(([name]) => name),
  );
  if (taken.has('br')) return 'br';
  return taken.has('gzip') ? 'gzip' : undefined;
}

export const compress = (coding: Coding, body: Buffer): Promise<Buffer> => codings[coding](body);
