import type { ProxyHook } from '../dynamodb/dynamodb-proxy.ts';

export interface ServiceOptions {
  /** 0 takes any free port. */
  readonly port: number;
  /** Folder that keeps everything; made where it is missing. */
  readonly data: string;
  /** Address of a database to use instead of the embedded one, with the same faults and hooks. */
  readonly databaseUrl?: string;
  /** An OpenAI-compatible server to call instead of the demo engine, and the model to call there. */
  readonly modelUrl?: string;
  readonly modelName?: string;
  /** An OpenAI-compatible audio server to call instead of the demo engine. */
  readonly audioUrl?: string;
  /** How long the demo engine takes for a word. */
  readonly wordDelayMs?: number;
  /** How long the carrier's stand-in takes for each report on a message. */
  readonly receiptDelayMs?: number;
  /** Builds the dashboard where it is not built from its sources as they are; else it is served as it lies there. */
  readonly buildDashboard?: boolean;
  /** Runs the canary too, every five minutes. */
  readonly canary?: boolean;
  readonly onDynamoRequest?: ProxyHook;
  readonly onDynamoReply?: ProxyHook;
  /** Logs failures. */
  readonly log?: (line: string) => void;
  /** Logs every request in one line, without query, headers and body. */
  readonly access?: (line: string) => void;
}
