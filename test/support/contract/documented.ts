import { errorCodesOf } from '#contract/http/route.ts';
import { allRoutes } from '#contract/routes.ts';

const rows = allRoutes
  .filter(({ format }) => format === 'envelope')
  .map((route) => ({ route, path: new RegExp(`^${route.path.replaceAll(/\{\w+\}/g, '[^/]+')}$`) }))
  // Literal paths come before those with a parameter, as at the gateway.
  .toSorted((one, other) => one.route.path.split('{').length - other.route.path.split('{').length);

/** Throws if an operation returns an error that its route does not declare. */
export function demandDocumented(method: string, path: string, status: number, code: string): void {
  const [pathname = ''] = path.split('?');
  const found = rows.find(({ route, path: pattern }) => route.method === method && pattern.test(pathname))?.route;
  if (status < 400 || !found || errorCodesOf(found).some((declared) => declared === code)) return;
  throw new Error(`${found.id} returned ${status} ${code}, which its row does not declare: see its refusals`);
}
