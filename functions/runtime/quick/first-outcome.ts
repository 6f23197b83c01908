import type { Outcome } from './signed-transport.ts';

/** A command of the SDK, as far as its middleware goes. */
interface Command {
  readonly middlewareStack: {
    add(
      middleware: (next: Next) => Next,
      options: { step: 'deserialize'; priority: 'low'; name: string; override: true },
    ): void;
  };
}
// oxlint-disable-next-line typescript/no-explicit-any -- the SDK's commands differ in what they pass on
type Next = (args: any) => Promise<{ response: unknown }>;

/**
 * Has the SDK take an outcome for that of the command's first attempt. What it means is then the SDK's to say: the error it
 * is, whether it is tried again, after how long and how often.
 */
export function withFirstOutcome<C extends Command>(command: C, outcome: Outcome | undefined): C {
  if (!outcome) return command;
  const answerFirst = (next: Next): Next => {
    let isFirst = true;
    return async (args) => {
      if (!isFirst) return next(args);
      isFirst = false;
      if ('error' in outcome) throw outcome.error;
      return { response: outcome.response };
    };
  };
  command.middlewareStack.add(answerFirst, {
    step: 'deserialize',
    priority: 'low',
    name: 'firstOutcome',
    override: true,
  });
  return command;
}
