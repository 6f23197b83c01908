import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import { NewAgent } from '#contract/agents/agents.ts';
import { schemaErrors } from '../../../../../dashboard/src/api/form-errors.ts';
import {
  agentBody,
  agentFormSchema,
  agentLabels,
  changesOf,
  newAgentValues,
  valuesOf,
} from '../../../../../dashboard/src/pages/agents/agent-values.ts';

const named = { ...newAgentValues, name: 'Guide' };

describe('the values of an agent', () => {
  it('are a body of the contract, with its defaults where nothing was entered', () => {
    expect(agentBody(named)).toEqual(v.parse(NewAgent, { name: 'Guide', model: 'svc-1' }));
  });

  it('are again what they were, after they were saved', () => {
    const functions = '[\n  {\n    "name": "find_weather"\n  }\n]';
    const values = { ...named, functions, maxTokens: 20 as const, truncation: 'error' as const };
    expect(valuesOf(agentBody(values))).toEqual(values);
  });

  it.each([
    ['name', { name: '' }, 'Name is required'],
    ['instructions', { instructions: '😀'.repeat(8001) }, 'Instructions must have at most 8000 characters'],
    ['functions', { functions: '{' }, 'Functions must be JSON'],
    ['functions', { functions: '{}' }, 'Functions must be a list'],
    ['maxTokens', { maxTokens: 0 }, 'Maximum tokens must be at least 1'],
    ['maxTokens', { maxTokens: 1.5 }, 'Maximum tokens must be a whole number'],
    ['maxTokens', { maxTokens: '-' }, 'Maximum tokens must be a whole number'],
    ['maxTokens', { maxTokens: '99999999999999999999' }, 'Maximum tokens is too large'],
    ['retentionDays', { retentionDays: '' }, 'Retention is required'],
    ['retentionDays', { retentionDays: 366 }, 'Retention must be at most 365'],
  ])('have what is wrong with them at the field %s', (field, wrong, error) => {
    expect(schemaErrors(agentFormSchema, { ...named, ...wrong }, agentLabels)).toEqual({ [field]: error });
  });

  it('may have as many characters as the API counts, which are code points', () => {
    const values = { ...named, instructions: '😀'.repeat(8000) };
    expect(schemaErrors(agentFormSchema, values, agentLabels)).toEqual({});
  });

  it('differ from what was saved in the fields that were changed only', () => {
    expect(changesOf(named, named)).toEqual({});
    expect(changesOf({ ...named, temperature: 0, maxTokens: '' }, { ...named, maxTokens: 5 })).toEqual({
      temperature: 0,
      maxTokens: '',
    });
  });
});
