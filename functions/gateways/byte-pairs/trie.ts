/** Marks a missing token, node or value. */
export const none = -1;

/** Tokens by rank: as text, or as bytes if they are not valid UTF-8. */
export type Tokens = readonly (string | readonly number[])[];

/** The bytes of all tokens, concatenated. */
export class Vocabulary {
  readonly bytes: Uint8Array;
  readonly #offsets: Int32Array;

  constructor(tokens: Tokens) {
    const parts = tokens.map((token) => (typeof token === 'string' ? Buffer.from(token) : Uint8Array.from(token)));
    this.bytes = Buffer.concat(parts);
    this.#offsets = new Int32Array(tokens.length + 1);
    let offset = 0;
    for (const [token, { length }] of parts.entries()) this.#offsets[token + 1] = offset += length;
  }

  get size(): number {
    return this.#offsets.length - 1;
  }

  start(token: number): number {
    return this.#offsets[token] ?? 0;
  }

  end(token: number): number {
    return this.#offsets[token + 1] ?? 0;
  }

  lengthOf(token: number): number {
    return this.end(token) - this.start(token);
  }
}

/** The node of the empty sequence. The next 256 nodes are the single bytes, which have the lowest ranks. */
const root = 0;

/** Nodes of cl100k: 216,749. */
const maxNodes = 2 ** 18;

/** Edges of the root and of the single bytes are looked up most, so they are in an array indexed by edge. */
const directEdges = 257 * 256;

/** Finds tokens in bytes: an Aho-Corasick automaton whose nodes are the prefixes of all tokens. */
export class Trie {
  readonly #vocabulary: Vocabulary;
  readonly #directChildren = new Int32Array(directEdges).fill(none);
  /** Children of all other nodes, by parent and byte. */
  readonly #children = new IntegerTable(2 * maxNodes);
  /** The longest token that is a prefix of each node. */
  readonly #tokens = new Int32Array(maxNodes).fill(none);
  readonly #depths = new Uint8Array(maxNodes);
  /** The longest node that is a prefix of each node without its first byte. */
  readonly #suffixes = new Int32Array(maxNodes);
  /** The longest proper prefix of each token that is a token. */
  readonly #prefixes: Int32Array;

  constructor(vocabulary: Vocabulary) {
    this.#vocabulary = vocabulary;
    this.#prefixes = new Int32Array(vocabulary.size).fill(none);
    const parents: number[] = [root];
    const bytes: number[] = [0];
    for (let token = 0; token < vocabulary.size; token += 1) this.#add(token, parents, bytes);
    for (let node = 1; node < parents.length; node += 1) this.#link(node, parents[node] ?? root, bytes[node] ?? 0);
  }

  #add(token: number, parents: number[], bytes: number[]): void {
    let node = root;
    for (let at = this.#vocabulary.start(token); at < this.#vocabulary.end(token); at += 1) {
      const byte = this.#vocabulary.bytes[at] ?? 0;
      const child = this.#child(node, byte);
      if (child === none) {
        this.#depths[parents.length] = (this.#depths[node] ?? 0) + 1;
        this.#addEdge(node, byte, parents.length);
        bytes.push(byte);
        parents.push(node);
      }
      node = child === none ? parents.length - 1 : child;
    }
    this.#tokens[node] = token;
  }

  /** Links nodes in order of creation, so a parent is linked before its children. */
  #link(node: number, parent: number, byte: number): void {
    const prefix = this.#tokens[parent] ?? none;
    const token = this.#tokens[node] ?? none;
    if (token === none) this.#tokens[node] = prefix;
    else this.#prefixes[token] = prefix;
    if (parent === root) return;
    const suffix = this.#suffixes[parent] ?? root;
    const isWhole = (this.#depths[suffix] ?? 0) + 1 === this.#depths[parent];
    const child = isWhole ? this.#child(suffix, byte) : none;
    this.#suffixes[node] = child === none ? suffix : child;
  }

  /** Whether the bytes from `start` to `end` are a token. */
  has(bytes: Uint8Array, start: number, end: number): boolean {
    return this.#find(bytes, start, end) !== none;
  }

  /** Returns the rest of a token after a prefix that is a token, if the rest is a token too. */
  rest(token: number, beginning: number): number {
    const { bytes } = this.#vocabulary;
    const start = this.#vocabulary.start(token) + this.#vocabulary.lengthOf(beginning);
    return this.#find(bytes, start, this.#vocabulary.end(token));
  }

  /** The longest proper prefix of a token that is a token. */
  prefix(token: number): number {
    return this.#prefixes[token] ?? none;
  }

  /** Writes the longest token that starts at each offset from `start` to `end`. */
  writeLongest(bytes: Uint8Array, start: number, end: number, longest: Int32Array): void {
    let node = root;
    for (let at = start; at < end; at += 1) {
      for (let next = at + (this.#depths[node] ?? 0); next < end; next += 1) {
        const child = this.#child(node, bytes[next] ?? 0);
        if (child === none) break;
        node = child;
      }
      longest[at - start] = this.#tokens[node] ?? none;
      node = this.#suffixes[node] ?? root;
    }
  }

  #find(bytes: Uint8Array, start: number, end: number): number {
    let node = root;
    for (let at = start; at < end; at += 1) {
      node = this.#child(node, bytes[at] ?? 0);
      if (node === none) return none;
    }
    const token = this.#tokens[node] ?? none;
    return token !== none && this.#vocabulary.lengthOf(token) === end - start ? token : none;
  }

  #child(node: number, byte: number): number {
    const edge = node * 256 + byte;
    return edge < directEdges ? (this.#directChildren[edge] ?? none) : this.#children.get(edge);
  }

  #addEdge(node: number, byte: number, child: number): void {
    const edge = node * 256 + byte;
    if (edge < directEdges) this.#directChildren[edge] = child;
    else this.#children.set(edge, child);
  }
}

const filterBits = 2 ** 21;

/**
 * Non-negative integers by 32-bit keys, with open addressing. Most lookups are of missing keys, so a Bloom filter of
 * 256 KB, which fits in the processor's cache, comes first. Without it, random letters cost twice the time.
 */
export class IntegerTable {
  /** A key, then its value. */
  readonly #entries: Int32Array;
  readonly #filter = new Int32Array(filterBits / 32);

  /** Holds at most half as many keys as slots. `slots` is a power of two. */
  constructor(slots: number) {
    this.#entries = new Int32Array(2 * slots).fill(none);
  }

  get(key: number): number {
    const hash = mixed(key);
    return this.#mayHave(hash) ? (this.#entries[this.#slot(key, hash) + 1] ?? none) : none;
  }

  set(key: number, value: number): void {
    const hash = mixed(key);
    const slot = this.#slot(key, hash);
    this.#entries[slot] = key;
    this.#entries[slot + 1] = value;
    const bit = hash & (filterBits - 1);
    this.#filter[bit >>> 5] = (this.#filter[bit >>> 5] ?? 0) | (1 << (bit & 31));
  }

  #mayHave(hash: number): boolean {
    const bit = hash & (filterBits - 1);
    return ((this.#filter[bit >>> 5] ?? 0) & (1 << (bit & 31))) !== 0;
  }

  /** The slot of a key, or the free one to store it in. */
  #slot(key: number, hash: number): number {
    const last = this.#entries.length - 1;
    let slot = (2 * hash) & last;
    while (this.#entries[slot + 1] !== none && this.#entries[slot] !== key) slot = (slot + 2) & last;
    return slot;
  }
}

/** Spreads keys that are close to each other. */
function mixed(key: number): number {
  const product = Math.imul(key ^ (key >>> 15), 0x9e3779b1);
  return product ^ (product >>> 15);
}
