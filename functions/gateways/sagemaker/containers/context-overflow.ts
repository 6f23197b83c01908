/** How containers report that a request does not fit, with what they take and what the request needs where they report it. */
const wordings: readonly RegExp[] = [
  // vLLM and LMI
  /maximum context length is (?<takes>\d{1,9}) tokens.*you requested (?<needs>\d{1,9})/s,
  /maximum context length is (?<takes>\d{1,9}) tokens.*your request has (?<needs>\d{1,9}) input tokens plus (?<output>\d{1,9})/s,
  /(?:max_tokens|max_completion_tokens)\S* is too large: (?<output>\d{1,9}).*maximum context length is (?<takes>\d{1,9}) tokens.*has (?<needs>\d{1,9}) input/s,
  /prompt \(length (?<needs>\d{1,9})\) is longer than the maximum model length of (?<takes>\d{1,9})/,
  /maximum context length|maximum model length|maximum input length/,
  // TGI and TEI
  /`max_new_tokens` must be <= (?<takes>\d{1,9})\. Given: (?<needs>\d{1,9}) `inputs` tokens and (?<output>\d{1,9})/,
  /`inputs` must have less than (?<takes>\d{1,9}) tokens\. Given: (?<needs>\d{1,9})/,
  // llama.cpp and OpenAI's own, behind an address given on one machine
  /exceeds? the available context size|context_length_exceeded/,
];

/** Characters. What a container reports of the context stands within them, and no wording takes long to look for. */
const maxReadLength = 2048;

/** The detail for the caller when a container complains of the context's length; undefined when of something else. */
export function contextOverflow(message: string, model: string): string | undefined {
  const beginning = message.slice(0, maxReadLength);
  for (const wording of wordings) {
    const found = wording.exec(beginning);
    if (found) return `context_length_exceeded: ${sentence(model, found.groups ?? {})}.`;
  }
  return undefined;
}

function sentence(model: string, { takes, needs, output = '0' }: Readonly<Record<string, string | undefined>>): string {
  if (takes === undefined || needs === undefined) return `the request does not fit the context of ${model}`;
  return `${model} takes ${takes} tokens, and the request needs ${Number(needs) + Number(output)}`;
}
