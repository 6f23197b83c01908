/** How containers say that a request does not fit, with what they take and what the request needs where they tell. */
const wordings: readonly RegExp[] = [
  // vLLM and LMI
  /maximum context length is (?<takes>\d+) tokens.*you requested (?<needs>\d+)/s,
  /maximum context length is (?<takes>\d+) tokens.*your request has (?<needs>\d+) input tokens plus (?<output>\d+)/s,
  /(?:max_tokens|max_completion_tokens)\S* is too large: (?<output>\d+).*maximum context length is (?<takes>\d+) tokens.*has (?<needs>\d+) input/s,
  /prompt \(length (?<needs>\d+)\) is longer than the maximum model length of (?<takes>\d+)/,
  /maximum context length|maximum model length|maximum input length/,
  // TGI and TEI
  /`max_new_tokens` must be <= (?<takes>\d+)\. Given: (?<needs>\d+) `inputs` tokens and (?<output>\d+)/,
  /`inputs` must have less than (?<takes>\d+) tokens\. Given: (?<needs>\d+)/,
  // llama.cpp and OpenAI's own, behind an address given on one machine
  /exceeds? the available context size|context_length_exceeded/,
];

/** The detail for the caller when a container complains of the context's length; undefined when of something else. */
export function contextOverflow(message: string, model: string): string | undefined {
  for (const wording of wordings) {
    const found = wording.exec(message);
    if (found) return `context_length_exceeded: ${sentence(model, found.groups ?? {})}.`;
  }
  return undefined;
}

function sentence(model: string, { takes, needs, output = '0' }: Readonly<Record<string, string | undefined>>): string {
  if (takes === undefined || needs === undefined) return `the request does not fit the context of ${model}`;
  return `${model} takes ${takes} tokens, and the request needs ${Number(needs) + Number(output)}`;
}
