import type { ChatBody } from '../code-request.ts';
import { type ToolMessage, toolMessages } from './tool-messages.ts';

/** A chat request as OpenAI's SDKs send it: functions are tools. */
export function openAiBody({ messages, functions, function_call: choice, ...parameters }: ChatBody) {
  return {
    ...parameters,
    messages: toolMessages(messages).map(openAiMessage),
    ...(functions?.length && { tools: functions.map((one) => ({ type: 'function', function: one })) }),
    ...(choice && choice !== 'auto' && { tool_choice: toolChoice(choice) }),
  };
}

const toolChoice = (choice: NonNullable<ChatBody['function_call']>) =>
  typeof choice === 'string' ? choice : { type: 'function', function: choice };

function openAiMessage(message: ToolMessage): object {
  if (message.kind === 'text') return { role: message.role, content: message.text };
  if (message.kind === 'result') return { role: 'tool', tool_call_id: message.id, content: message.text };
  const { id, name, arguments: text } = message;
  return {
    role: 'assistant',
    content: message.text === '' ? null : message.text,
    tool_calls: [{ id, type: 'function', function: { name, arguments: text } }],
  };
}
