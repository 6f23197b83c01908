import assert from 'node:assert/strict';

const { API = '', API_KEY = '' } = process.env;

export const apiKey = API_KEY;
export const openAiUrl = `${API}/openai/v1`;
export const anthropicUrl = `${API}/anthropic`;

export const chatModel = 'svc-1-32k';
export const question = 'What is the weather in Paris?';
export const trip = 'A trip to Lisbon for 3 days';
export const sky = '{"sky":"clear"}';
/** The demo engine's answer to the result of the tool. */
export const answer = /sky is clear/;

export const weatherSchema = {
  type: 'object',
  properties: { city: { type: 'string' } },
  required: ['city'],
  additionalProperties: false,
};

export function isText(text) {
  assert.equal(typeof text, 'string');
  assert.match(text, /demo/);
}

/** Runs each case and prints its result as a line of JSON. */
export async function run(cases) {
  for (const [name, work] of Object.entries(cases)) {
    try {
      await work();
      print({ case: name, works: true });
    } catch (error) {
      print({ case: name, works: false, reason: String(error?.message ?? error).slice(0, 300) });
    }
  }
  process.exit(0);
}

const print = (result) => console.log(JSON.stringify(result));
