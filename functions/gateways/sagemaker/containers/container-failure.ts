import * as v from 'valibot';
import { ServiceError } from '#domain/shared/service-error.ts';
import { contextOverflow } from './context-overflow.ts';

/** A failure as a container reports it: its message, which is never passed on, and a status where it gives one. */
export interface ContainerFailure {
  readonly message: string;
  readonly status?: number | undefined;
}

const status = v.fallback(v.optional(v.pipe(v.number(), v.integer(), v.minValue(400), v.maxValue(599))), undefined);

/** vLLM now, and LMI's newer servers. */
const Nested = v.pipe(
  v.object({ error: v.object({ message: v.string(), code: status, http_status_code: status }) }),
  v.transform(({ error }) => ({ message: error.message, status: error.code ?? error.http_status_code })),
);
/** TGI and TEI (`error_type`), LMI (`code`). */
const Flat = v.pipe(
  v.object({ error: v.string(), code: status, error_type: v.optional(v.string()) }),
  v.transform(({ error, code, error_type: type }) => ({ message: error, status: code ?? statusOfType(type) })),
);
/** Older vLLM. */
const TopLevel = v.pipe(
  v.object({ object: v.literal('error'), message: v.string(), code: status }),
  v.transform(({ message, code }) => ({ message, status: code })),
);
const Other = v.pipe(
  v.object({ error: v.pipe(v.unknown(), v.check(Boolean)) }),
  v.transform(() => ({ message: '', status: undefined })),
);
const Failure = v.union([Nested, Flat, TopLevel, Other]);

/** The failure that a reply or an event of a stream reports; undefined when it is none. */
export function failureIn(value: unknown): ContainerFailure | undefined {
  if (!mayFail(value)) return undefined;
  const parsed = v.safeParse(Failure, value);
  return parsed.success ? parsed.output : undefined;
}

/** What every form of a failure has; each chunk of each stream is looked at, and nearly none fails. */
function mayFail(value: unknown): boolean {
  return typeof value === 'object' && value !== null && ('error' in value || Reflect.get(value, 'object') === 'error');
}

/** The status that TGI and TEI would have responded with, had the response not begun. */
function statusOfType(type: string | undefined): number | undefined {
  const kind = type?.toLowerCase();
  if (kind === 'validation' || kind === 'tokenizer' || kind === 'empty') return 422;
  return kind === 'overloaded' ? 429 : undefined;
}

/** The error for the caller: the request's fault, overload, or a failure of the model. */
export function failureError({ message, status }: ContainerFailure, model: string, cause?: unknown): ServiceError {
  const overflow = contextOverflow(message, model);
  if (overflow) return new ServiceError('CONTEXT_LENGTH_EXCEEDED', overflow, { cause });
  if (status === 400 || status === 413 || status === 422) {
    return new ServiceError('INVALID_FORMAT', 'The model rejected the request.', { cause });
  }
  if (status === 429 || status === 503) {
    const detail = 'The model is busy. Try again.';
    return new ServiceError('SERVICE_UNAVAILABLE', detail, { cause, retryAfterSeconds: 5 });
  }
  return new ServiceError('MODEL_ERROR', 'The model failed.', { cause });
}

/** Why a model ended that has failed: words of vLLM, and of older servers of LMI. */
const failures = new Set(['error', 'abort']);

export function refuseFailed({ finish_reason: reason }: { finish_reason?: string | null | undefined }) {
  if (reason && failures.has(reason)) throw new ServiceError('MODEL_ERROR', 'The model failed.');
}

interface Message {
  readonly content?: string | null | undefined;
  readonly tool_calls?: readonly unknown[] | null | undefined;
}
export const isSilent = (message: Message | null | undefined): boolean =>
  !message?.content && !message?.tool_calls?.length;

interface WholeReply {
  readonly choices: readonly { text?: string; message?: Message; finish_reason?: string | null | undefined }[];
  readonly usage?: { readonly prompt_tokens: number } | null | undefined;
}

/** A reply without output, a reason to end and usage is none: nobody is to pay for it. */
export function refuseEmpty({ choices: [first], usage }: WholeReply): void {
  if (usage?.prompt_tokens || first?.finish_reason || first?.text || !isSilent(first?.message)) return;
  throw new ServiceError('MODEL_ERROR', 'The model returned an invalid response.');
}
