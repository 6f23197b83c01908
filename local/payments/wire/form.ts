import { invalidRequest } from './errors.ts';

/** A decoded form: texts, lists and objects without a prototype. */
export type Form = { [key: string]: FormValue };
export type FormValue = string | FormValue[] | Form;

const maxFields = 1000;
/** Levels of `a[b][c]`. */
const maxDepth = 8;

interface Branch {
  readonly children: Map<string, Branch | string>;
}

/** Decodes Stripe's form encoding: `a[b]=c` are objects, `a[0]=b` and `a[]=b` are lists. */
export function decodeForm(text: string): Form {
  const root: Branch = { children: new Map() };
  const fields = [...new URLSearchParams(text)];
  if (fields.length > maxFields) throw invalidRequest(`The request has more than ${maxFields} parameters.`);
  for (const [name, value] of fields) put(root, name, value);
  const entries = [...root.children].map(([key, child]) => [key, valueOf(child)] as const);
  return objectFrom(entries);
}

function put(root: Branch, name: string, value: string): void {
  const [first = '', ...rest] = name.split('[');
  const keys = [first, ...rest.map((part) => part.replace(/\]$/, ''))];
  if (first === '' || keys.length > maxDepth) throw invalidRequest(`Invalid parameter name: ${name}`);
  let branch = root;
  for (const key of keys.slice(0, -1)) {
    const at = positionOf(branch, key);
    const child = branch.children.get(at);
    const next: Branch = child === undefined || typeof child === 'string' ? { children: new Map() } : child;
    branch.children.set(at, next);
    branch = next;
  }
  branch.children.set(positionOf(branch, keys.at(-1) ?? ''), value);
}

/** `[]` appends to a list. */
const positionOf = ({ children }: Branch, key: string): string => (key === '' ? String(children.size) : key);

function valueOf(child: Branch | string): FormValue {
  if (typeof child === 'string') return child;
  const entries = [...child.children].map(([key, value]) => [key, valueOf(value)] as const);
  const isList = entries.length > 0 && entries.every(([key], index) => key === String(index));
  return isList ? entries.map(([, value]) => value) : objectFrom(entries);
}

/** `Object.fromEntries` also defines keys like `__proto__` as own properties. */
const objectFrom = (entries: readonly (readonly [string, FormValue])[]): Form => Object.fromEntries(entries);
