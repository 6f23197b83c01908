import { Merges } from './merges.ts';
import { Trie } from './trie.ts';
import { none, type Tokens, Vocabulary } from './vocabulary.ts';

const maxPieceBytes = 2 ** 13;

/**
 * Counts the tokens of byte-pair encoding. Whether tokens are the encoding of their bytes shows in each two neighbours alone, so
 * it is found from left to right: the longest token that may follow the last one, and back by one where none may. No place is
 * left twice: the time is linear in the bytes, whatever they are, and what is remembered is no larger than the vocabulary. Source:
 * https://github.blog/ai-and-ml/llms/so-many-tokens-so-little-time-introducing-a-faster-more-flexible-byte-pair-tokenizer/
 */
export class BytePairs {
  readonly #vocabulary: Vocabulary;
  readonly #trie: Trie;
  readonly #merges: Merges;
  /** The longest token that begins at each place of a piece. */
  readonly #longest = new Int32Array(maxPieceBytes + 1);
  /** Places to which no encoding leads. */
  readonly #isExcluded = new Uint8Array(maxPieceBytes + 1);
  readonly #encoding = new Int32Array(maxPieceBytes);

  constructor(tokens: Tokens) {
    this.#vocabulary = new Vocabulary(tokens);
    this.#trie = new Trie(this.#vocabulary);
    this.#merges = new Merges(this.#vocabulary, this.#trie);
  }

  /** Of the piece from `start` to `end`. */
  count(bytes: Uint8Array, start: number, end: number): number {
    if (end - start > maxPieceBytes) throw new RangeError(`A piece of ${end - start} bytes is too long.`);
    if (this.#trie.has(bytes, start, end)) return 1;
    this.#trie.writeLongest(bytes, start, end, this.#longest);
    for (let at = 0; at <= end - start; at += 1) this.#isExcluded[at] = 0;
    return this.#encode(end - start);
  }

  #encode(size: number): number {
    let count = 0;
    let at = 0;
    let candidate = this.#longest[0] ?? none;
    while (at < size) {
      const token = this.#next(count, candidate, at);
      if (token === none) {
        this.#isExcluded[at] = 1;
        count -= 1;
        candidate = this.#encoding[count] ?? none;
        at -= this.#vocabulary.lengthOf(candidate);
      } else {
        this.#encoding[count] = token;
        count += 1;
        at += this.#vocabulary.lengthOf(token);
        candidate = this.#longest[at] ?? none;
      }
    }
    return count;
  }

  /** The candidate, or the longest token that it begins with, that may follow the first `count` ones, which end at `at`. */
  #next(count: number, candidate: number, at: number): number {
    let token = candidate;
    while (token !== none) {
      if (this.#isExcluded[at + this.#vocabulary.lengthOf(token)] === 1) {
        token = this.#trie.prefix(token);
        continue;
      }
      const fitting = count === 0 ? token : this.#merges.compatiblePrefix(this.#encoding[count - 1] ?? none, token);
      if (fitting === token) return token;
      token = fitting;
    }
    return none;
  }
}
