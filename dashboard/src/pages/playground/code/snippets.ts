import { type CodeRequest, pathOf } from './code-request.ts';
import { curlCommand } from './curl.ts';
import { javascriptCode } from './javascript.ts';
import { pythonCode } from './python.ts';
import { aiSdkCode } from './sdk/ai-sdk.ts';
import { openAiNodeCode } from './sdk/openai-node.ts';
import { openAiPythonCode } from './sdk/openai-python.ts';

export interface CodeSnippet {
  readonly id: string;
  readonly title: string;
  readonly code: string;
}

/** A request in every language that has it. The key is read from the environment: none is in the code. */
export function codeSnippets(origin: string, request: CodeRequest): CodeSnippet[] {
  const written = [
    { id: 'curl', title: 'cURL', code: curlCommand(origin, pathOf(request), request.body) },
    { id: 'python', title: 'Python', code: pythonCode(origin, request) },
    { id: 'javascript', title: 'JavaScript', code: javascriptCode(origin, request) },
    { id: 'openai-python', title: 'OpenAI SDK (Python)', code: openAiPythonCode(origin, request) },
    { id: 'openai-node', title: 'OpenAI SDK (Node)', code: openAiNodeCode(origin, request) },
    { id: 'ai-sdk', title: 'AI SDK', code: aiSdkCode(origin, request) },
  ];
  return written.flatMap(({ code, ...about }) => (code === undefined ? [] : [{ ...about, code }]));
}
