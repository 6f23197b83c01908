/**
 * Vectors as they are kept: of each a scale (float32, little-endian) and a signed byte for each dimension, which is that of the vector
 * of length 1 divided by the scale. A quarter of the size of 32-bit floats; a score differs by less than 0.01 (docs/adr/0022-agents.md).
 */
const scaleBytes = 4;
const maxByte = 127;

/** Throws a RangeError for vectors of different lengths. */
export function packVectors(vectors: readonly (readonly number[])[]): Uint8Array {
  const dimensions = vectors[0]?.length ?? 0;
  const packed = new Uint8Array(vectors.length * (scaleBytes + dimensions));
  const view = new DataView(packed.buffer);
  for (const [index, vector] of vectors.entries()) {
    if (vector.length !== dimensions) throw new RangeError('vectors of one index have one length');
    const start = index * (scaleBytes + dimensions);
    const length = Math.hypot(...vector) || 1;
    const largest = vector.reduce((max, value) => Math.max(max, Math.abs(value)), 0) / length;
    const scale = largest / maxByte || 1;
    view.setFloat32(start, scale, true);
    for (const [at, value] of vector.entries())
      view.setInt8(start + scaleBytes + at, Math.round(value / length / scale));
  }
  return packed;
}

/** Cosine similarity of a query to each packed vector; the query's length must be that of the vectors, else a RangeError. */
export function scoresOf(packed: Uint8Array, count: number, query: Float32Array): Float32Array {
  const size = scaleBytes + query.length;
  if (packed.length !== count * size) throw new RangeError('the query has another length than the vectors');
  const bytes = new Int8Array(packed.buffer, packed.byteOffset, packed.length);
  const view = new DataView(packed.buffer, packed.byteOffset, packed.length);
  const scores = new Float32Array(count);
  for (let index = 0; index < count; index++) {
    const start = index * size;
    scores[index] = view.getFloat32(start, true) * dot(bytes, start + scaleBytes, query);
  }
  return scores;
}

/** Four sums beside each other, which a processor adds concurrently. */
function dot(bytes: Int8Array, start: number, query: Float32Array): number {
  let [a, b, c, d] = [0, 0, 0, 0];
  const whole = query.length - (query.length % 4);
  for (let at = 0; at < whole; at += 4) {
    a += (bytes[start + at] ?? 0) * (query[at] ?? 0);
    b += (bytes[start + at + 1] ?? 0) * (query[at + 1] ?? 0);
    c += (bytes[start + at + 2] ?? 0) * (query[at + 2] ?? 0);
    d += (bytes[start + at + 3] ?? 0) * (query[at + 3] ?? 0);
  }
  for (let at = whole; at < query.length; at++) a += (bytes[start + at] ?? 0) * (query[at] ?? 0);
  return a + b + c + d;
}

/** A vector of length 1 in the same direction. */
export function unit(vector: readonly number[]): Float32Array {
  const length = Math.hypot(...vector) || 1;
  return Float32Array.from(vector, (value) => value / length);
}
