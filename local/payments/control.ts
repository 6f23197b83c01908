import type { IncomingMessage, ServerResponse } from 'node:http';
import * as v from 'valibot';
import { BodyTooLarge, readBody, sendJson } from '../shared/loopback.ts';
import { describeError } from '../shared/problems.ts';
import { StripeFault } from './faults.ts';
import { outcomes } from './outcomes.ts';
import type { StripeServer } from './stripe.ts';
import { StripeProblem } from './wire/errors.ts';

interface ControlOptions extends Pick<StripeServer, 'faults' | 'script' | 'advance'> {
  readonly log: (line: string) => void;
}

const ScriptOrder = v.strictObject({ outcome: v.picklist(outcomes) });
const maxOrderBytes = 64 * 1024;

/**
 * `POST /_control/faults` adds a fault, `DELETE` removes all, `POST /_control/events/release` releases held events,
 * `POST /_control/advance` runs overdue work, and `POST /_control/payments/{id}` makes an outcome happen.
 */
export function createControl({ faults, script, advance, log }: ControlOptions) {
  async function respond(request: IncomingMessage, path: string): Promise<object> {
    if (path === '/_control/faults' && request.method === 'DELETE') faults.clear();
    if (path === '/_control/faults' && request.method === 'POST')
      faults.order(v.parse(StripeFault, await bodyOf(request)));
    if (path === '/_control/faults') return { active: faults.active() };
    if (request.method !== 'POST')
      throw new StripeProblem(404, { type: 'invalid_request_error', message: 'Not found' });
    const id = /^\/_control\/payments\/([^/]+)$/.exec(path)?.[1];
    if (id !== undefined) await script(decodeURIComponent(id), v.parse(ScriptOrder, await bodyOf(request)).outcome);
    else if (path === '/_control/events/release') {
      faults.release();
      await advance();
    } else if (path === '/_control/advance') await advance();
    else throw new StripeProblem(404, { type: 'invalid_request_error', message: `${path} does not exist.` });
    return { done: true };
  }

  return async (request: IncomingMessage, response: ServerResponse, path: string): Promise<void> => {
    try {
      sendJson(response, 200, await respond(request, path));
    } catch (error) {
      if (error instanceof StripeProblem) return sendJson(response, error.status, { error: error.message });
      if (v.isValiError(error) || error instanceof SyntaxError || error instanceof BodyTooLarge)
        return sendJson(response, 400, { error: error.message });
      log(describeError(error));
      sendJson(response, 500, { error: 'The request failed; see the terminal for the cause.' });
    }
  };
}

const bodyOf = async (request: IncomingMessage): Promise<unknown> =>
  JSON.parse((await readBody(request, maxOrderBytes)).toString());
