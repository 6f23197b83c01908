import { type Outcome, responseOf } from './attempt.ts';

/** Middleware next to the wire, whatever the command it is for. */
type Middleware = <Args, Result>(
  next: (args: Args) => Promise<Result>,
) => (args: Args) => Promise<Result | { response: unknown }>;

/** A command of the SDK, as far as its middleware goes. */
interface Command {
  readonly middlewareStack: {
    add(middleware: Middleware, options: { step: 'deserialize'; priority: 'low'; name: string; override: true }): void;
  };
}

/**
 * Has the SDK take an outcome for that of the command's first attempt. What it means is then the SDK's to say: the error it
 * is, whether it is tried again, after how long and how often.
 */
export function withFirstOutcome<C extends Command>(command: C, outcome: Outcome | undefined): C {
  if (!outcome) return command;
  const answerFirst: Middleware = (next) => {
    let isFirst = true;
    return async (args) => {
      if (!isFirst) return next(args);
      isFirst = false;
      if ('error' in outcome) throw outcome.error;
      return { response: responseOf(outcome) };
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
