/** A call in place of a value, such as `tool({ … })`. */
export class CodeCall {
  readonly name: string;
  readonly argument: unknown;

  constructor(name: string, argument: unknown) {
    this.name = name;
    this.argument = argument;
  }
}

/** A comment line, or an empty string without a note. */
export const commented = (mark: '#' | '//', note: string | undefined): string =>
  note === undefined ? '' : `${mark} ${note}\n`;

/** Syntax of values in a language. `string` and `name` return literals. */
interface Syntax {
  readonly indent: string;
  readonly string: (text: string) => string;
  readonly name: (text: string) => string;
  readonly word: (value: boolean | null) => string;
  /** Padding inside the braces of a one-line object. */
  readonly padding: string;
  /** Comma after the last item of a multi-line list. */
  readonly lastComma: string;
}

/** Maximum width of a list or an object on one line, in characters. */
const maxWidth = 88;

/**
 * Characters that a terminal would execute or an editor would hide: control, direction and line separators. All
 * languages here read them escaped; JSON.stringify already escapes those below U+0020.
 */
const invisible = /[\u007f-\u009f\u00ad\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]/g;
const escaped = (text: string): string =>
  JSON.stringify(text).replaceAll(invisible, (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`);

const json: Syntax = {
  indent: '  ',
  string: escaped,
  name: escaped,
  word: String,
  padding: '',
  lastComma: '',
};

const words = new Map([
  [true, 'True'],
  [false, 'False'],
]);
const python: Syntax = {
  ...json,
  indent: '    ',
  word: (value) => (value === null ? 'None' : (words.get(value) ?? '')),
  lastComma: ',',
};

/** Replacements to turn a JSON string into a single-quoted one. */
const requoted = new Map([
  [String.raw`\"`, '"'],
  ["'", String.raw`\'`],
]);
const quoted = (text: string): string =>
  `'${escaped(text)
    .slice(1, -1)
    .replaceAll(/\\.|'/gs, (one) => requoted.get(one) ?? one)}'`;

const javascript: Syntax = {
  ...json,
  string: quoted,
  // An unquoted `__proto__` would set the prototype.
  name: (text) => (text === '__proto__' ? `['__proto__']` : /^[A-Za-z_$][\w$]*$/.test(text) ? text : quoted(text)),
  padding: ' ',
  lastComma: ',',
};

/** Writes a JSON value as a literal. `depth` is the indentation of the current line, in levels. */
export const jsonLiteral = (value: unknown): string => print(value, json, '');
export const pythonLiteral = (value: unknown, depth = 0): string => print(value, python, python.indent.repeat(depth));
export const javascriptLiteral = (value: unknown, depth = 0): string =>
  print(value, javascript, javascript.indent.repeat(depth));

function print(value: unknown, syntax: Syntax, margin: string): string {
  if (typeof value === 'string') return syntax.string(value);
  if (typeof value === 'number') return String(value);
  if (typeof value === 'boolean' || value === null) return syntax.word(value);
  if (value instanceof CodeCall) return `${value.name}(${print(value.argument, syntax, margin)})`;
  if (Array.isArray(value))
    return printItems(
      value.map((item) => ['', item]),
      ['[', ']', ''],
      syntax,
      margin,
    );
  const members = Object.entries(value ?? {}).filter(([, member]) => member !== undefined);
  const named = members.map(([name, member]): Item => [`${syntax.name(name)}: `, member]);
  return printItems(named, ['{', '}', syntax.padding], syntax, margin);
}

/** Prefix and value of an item. */
type Item = readonly [string, unknown];

function printItems(
  items: readonly Item[],
  [open, close, padding]: readonly [string, string, string],
  syntax: Syntax,
  margin: string,
): string {
  if (items.length === 0) return open + close;
  const inner = margin + syntax.indent;
  const parts = items.map(([before, item]) => before + print(item, syntax, inner));
  const line = open + padding + parts.join(', ') + padding + close;
  if (margin.length + line.length <= maxWidth && !line.includes('\n')) return line;
  return `${open}\n${parts.map((part) => inner + part).join(',\n')}${syntax.lastComma}\n${margin}${close}`;
}

/** Single-quotes a text for a shell, in which only the quote itself needs escaping. */
export const shellQuoted = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`;

/** A curl command that reads the API key from the environment. */
export function curlCommand(
  origin: string,
  path: string,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): string {
  const more = Object.entries(headers).map(([name, value]) => `  -H ${shellQuoted(`${name}: ${value}`)} \\\n`);
  return `curl -sN ${shellQuoted(origin + path)} \\
  -H "Authorization: Bearer $API_KEY" \\
  -H 'Content-Type: application/json' \\
${more.join('')}  -d ${shellQuoted(jsonLiteral(body))}`;
}
