import { failureError, failureIn } from '../containers/container-failure.ts';
import { Deadline } from '../deadline.ts';
import { serviceErrorOf } from '../errors.ts';
import type { Invoke } from '../runtime.ts';

export interface WholeReply<Reply> {
  readonly model: string;
  readonly invoke: Invoke;
  readonly parse: (value: unknown) => Reply;
  readonly deadlineMs: number;
  /** Ends the wait earlier. */
  readonly signal?: AbortSignal | undefined;
}

/** A whole reply, parsed; one that reports a failure is thrown as that. Whatever fails ends the model's work. */
export async function readReply<Reply>({
  model,
  invoke,
  parse,
  deadlineMs,
  signal,
}: WholeReply<Reply>): Promise<Reply> {
  const deadline = new Deadline(deadlineMs, signal);
  let isWhole = false;
  try {
    const invoked = invoke(deadline);
    deadline.start();
    const value = await invoked;
    isWhole = true;
    const failure = failureIn(value);
    if (failure) throw failureError(failure, model);
    return parse(value);
  } catch (error) {
    throw serviceErrorOf(error, model, deadline.isOver);
  } finally {
    deadline.clear();
    if (!isWhole) deadline.end();
  }
}
