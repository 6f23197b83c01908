/** Epoch milliseconds. Injected, so that tests can run a year of billing in a second. */
export interface Clock {
  now(): number;
}

export interface Random {
  bytes(size: number): Uint8Array;
}

/** Estimates token counts for the models' family; each model's own tokenizer may differ slightly. */
export interface Tokenizer {
  /**
   * Stops above `limit`. Stops also once the tokens so far and the bytes of the rest are at most `enough`, and returns
   * this upper bound.
   */
  count(text: string, limit?: number, enough?: number): Promise<number>;
}

export interface TokenEncoding extends Tokenizer {
  /** Decodes lists of token ids of OpenAI's cl100k_base. Undefined if the texts have more than `maxBytes` together. */
  decode(texts: readonly (readonly number[])[], maxBytes: number): Promise<readonly string[] | undefined>;
}

/** At-least-once delivery, unordered. */
export interface MessageQueue {
  /** Sends a JSON value of at most 1 MiB. */
  send(message: unknown, options?: SendOptions): Promise<void>;
}

export interface SendOptions {
  /** Messages of a group share one turn with the consumers. Default: a separate group. */
  readonly group?: string | undefined;
  /** Seconds until the message is visible, at most 900. Default: 0. */
  readonly delaySeconds?: number;
}

export interface Page<Item> {
  readonly items: readonly Item[];
  readonly next: string | null;
}

/** An email of the outbox. No second one with its id is sent. */
export interface OutgoingMail {
  readonly id: string;
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  readonly html: string;
  /** Parts of an email in another language than English, as JSON. */
  readonly letter?: string;
}
