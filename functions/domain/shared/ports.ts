/** Epoch milliseconds. Time comes in through this port so that a year of billing runs in a second. */
export interface Clock {
  now(): number;
}

/** Cryptographically strong random bytes. */
export interface Random {
  bytes(size: number): Uint8Array;
}

/** How many tokens a text has for the models' family; an estimate, as each model's own tokenizer may differ a little. */
export interface Tokenizer {
  /** Counting ends once `limit` is passed: a number over it means that there are at least so many. */
  count(text: string, limit?: number): Promise<number>;
}

/** Takes messages for a job, each to be handled at least once, in any order. */
export interface MessageQueue {
  /** Sends a JSON value of at most 1 MiB. */
  send(message: unknown, options?: SendOptions): Promise<void>;
}

export interface SendOptions {
  /** Messages of a group share one turn with the consumers. Default: a group of its own. */
  readonly group?: string | undefined;
  /** Seconds until the message is visible, at most 900. Default: 0. */
  readonly delaySeconds?: number;
}

/** A part of a list; `next` is the cursor of the part after it. */
export interface Page<Item> {
  readonly items: readonly Item[];
  readonly next: string | null;
}
