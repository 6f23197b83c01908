import type { Route } from './http/route.ts';
import { routeGroups, unknownRouteId } from './routes.ts';

const {
  accounts,
  keys,
  subscriptions,
  credits,
  alerts,
  inference,
  analysis,
  openai,
  agents,
  audio,
  messages,
  webhooks,
  operators,
} = routeGroups;

/** The folders of `functions/api`, and the routes whose handlers they have. */
const folders: Readonly<Record<string, readonly Pick<Route, 'id'>[]>> = {
  accounts,
  keys,
  billing: [...subscriptions, ...credits],
  alerts,
  inference: [...inference, ...openai],
  analysis,
  agents,
  audio,
  messages,
  webhooks,
  operators,
  shared: [{ id: unknownRouteId }],
};

const files = new Map(
  Object.entries(folders).flatMap(([folder, rows]) => rows.map(({ id }) => [id, `${folder}/${id}.ts`])),
);

/** The entry point of an operation, from `functions/api`: `keys/create-key.ts` of `create-key`. Throws where there is none. */
export function handlerFile(id: string): string {
  const file = files.get(id);
  if (file === undefined) throw new Error(`no operation is named ${id}`);
  return file;
}
