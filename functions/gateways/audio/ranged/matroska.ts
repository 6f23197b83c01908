import { clusterId, matroskaParts } from '../facts/matroska-facts.ts';
import { blockBytes, estimated, type RangedFile } from './ranged-file.ts';

/** Clusters of audio that are recorded or written for the web last some seconds. */
const tailBytes = 2 * blockBytes;

/** The element that a cluster begins with, after its size: its moment. */
const timestampId = 0xe7;

/**
 * Reads WebM and Matroska: the larger of the header's seconds and those of the last block, which is in the last cluster
 * at the end of the file. Undefined seconds without either. Reads the first frames in case they contradict the header.
 */
export async function rangedMatroska(file: RangedFile) {
  const head = await file.bytes(0, blockBytes);
  const tail = await file.bytes(Math.max(0, file.size - tailBytes), file.size);
  const first = head.indexOf(clusterId);
  const last = lastCluster(tail);
  const end = last === -1 ? Buffer.alloc(0) : tail.subarray(last);
  const parts = matroskaParts(Buffer.concat([head.subarray(0, first === -1 ? head.length : first), end]));
  const seconds = Math.max(parts.header, parts.last);
  const isKnown = seconds > 0 && Number.isFinite(seconds);
  const maxSeconds = estimated(file, head.length, matroskaParts(head).frames, seconds);
  return { container: 'EBML', seconds: isKnown ? seconds : undefined, maxSeconds };
}

function lastCluster(tail: Buffer): number {
  for (let at = tail.lastIndexOf(clusterId); at > 0; at = tail.lastIndexOf(clusterId, at - 1)) {
    const sizeAt = at + clusterId.length;
    const sizeBytes = Math.clz32(tail[sizeAt] ?? 0) - 23;
    if (tail[sizeAt + sizeBytes] === timestampId) return at;
  }
  return tail.indexOf(clusterId) === 0 ? 0 : -1;
}
