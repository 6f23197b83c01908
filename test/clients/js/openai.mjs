import assert from 'node:assert/strict';
import OpenAI from 'openai';
import { zodResponseFormat, zodTextFormat } from 'openai/helpers/zod';
import { z } from 'zod';
import { answer, apiKey, chatModel, isText, openAiUrl, question, run, sky, trip, weatherSchema } from './cases.mjs';

const client = new OpenAI({ apiKey, baseURL: openAiUrl });
const model = chatModel;
const messages = [{ role: 'user', content: 'Hello' }];
const Trip = z.object({ city: z.string(), days: z.number().int() });
const functionTool = { type: 'function', name: 'get_weather', parameters: weatherSchema, strict: true };

await run({
  async chat() {
    isText((await client.chat.completions.create({ model, messages })).choices[0].message.content);
  },
  async 'chat stream'() {
    let text = '';
    for await (const chunk of await client.chat.completions.create({ model, messages, stream: true }))
      text += chunk.choices[0]?.delta.content ?? '';
    isText(text);
  },
  async 'chat tools'() {
    const tool = { name: 'get_weather', parameters: weatherSchema, parse: JSON.parse, function: () => sky };
    const runner = client.chat.completions.runTools({
      model,
      messages: [{ role: 'user', content: question }],
      tools: [{ type: 'function', function: tool }],
    });
    assert.match(await runner.finalContent(), answer);
  },
  async 'chat structured output'() {
    const { choices } = await client.chat.completions.parse({
      model,
      messages: [{ role: 'user', content: trip }],
      response_format: zodResponseFormat(Trip, 'trip'),
    });
    assert.deepEqual(choices[0].message.parsed, { city: 'Lisbon', days: 3 });
  },
  async responses() {
    isText((await client.responses.create({ model, input: 'Hello' })).output_text);
  },
  async 'responses stream'() {
    const stream = client.responses.stream({ model, input: 'Hello' });
    let text = '';
    for await (const event of stream) if (event.type === 'response.output_text.delta') text += event.delta;
    isText(text);
    assert.equal((await stream.finalResponse()).output_text, text);
  },
  async 'responses tools'() {
    const first = await client.responses.create({ model, input: question, tools: [functionTool] });
    const call = first.output.find(({ type }) => type === 'function_call');
    assert.deepEqual(JSON.parse(call.arguments), { city: 'Paris' });
    const second = await client.responses.create({
      model,
      previous_response_id: first.id,
      input: [{ type: 'function_call_output', call_id: call.call_id, output: sky }],
      tools: [functionTool],
    });
    assert.match(second.output_text, answer);
  },
  async 'responses structured output'() {
    const { output_parsed } = await client.responses.parse({
      model,
      input: trip,
      text: { format: zodTextFormat(Trip, 'trip') },
    });
    assert.deepEqual(output_parsed, { city: 'Lisbon', days: 3 });
  },
  async 'stored responses'() {
    const { id } = await client.responses.create({ model, input: 'Hello' });
    assert.equal((await client.responses.retrieve(id)).id, id);
    assert.equal((await client.responses.inputItems.list(id)).data.length, 1);
    await client.responses.delete(id);
    await assert.rejects(client.responses.retrieve(id), { status: 404 });
  },
  async completions() {
    const { choices } = await client.completions.create({ model: 'svc-instruct', prompt: 'Once', max_tokens: 8 });
    assert.equal(typeof choices[0].text, 'string');
  },
  async embeddings() {
    const { data } = await client.embeddings.create({ model: 'svc-embed', input: ['a cat', 'a dog'] });
    assert.equal(data.length, 2);
    assert.equal(data[0].embedding.length, data[1].embedding.length);
  },
  async audio() {
    const speech = await client.audio.speech.create({ model: 'svc-speech', voice: 'nova', input: 'Good morning.' });
    const file = new File([await speech.arrayBuffer()], 'speech.mp3', { type: 'audio/mpeg' });
    const heard = { file, model: 'svc-transcribe' };
    assert.equal((await client.audio.transcriptions.create(heard)).text, 'Good morning.');
    assert.equal((await client.audio.translations.create(heard)).text, 'Good morning.');
    const events = [];
    for await (const event of await client.audio.transcriptions.create({ ...heard, stream: true })) events.push(event);
    assert.deepEqual(events.at(-1).text, 'Good morning.');
  },
  async models() {
    const ids = [];
    for await (const { id } of client.models.list()) ids.push(id);
    assert.ok(ids.includes(model));
    assert.equal((await client.models.retrieve(model)).id, model);
  },
});
