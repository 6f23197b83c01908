import type { Container } from '../container.ts';
import { tgiChat } from './tgi-chat.ts';
import { tgiGenerate } from './tgi-generate.ts';

/**
 * TGI: chats in OpenAI's form, completions in its own, as that alone takes `top_k` and reports the usage of a stream
 * (router/src/sagemaker.rs, lib.rs, validation.rs). It counts a stop sequence as part of the text, and sees one only at the
 * end of a token: the gateway cuts.
 */
export const tgi: Container = { chat: tgiChat, completion: tgiGenerate };
