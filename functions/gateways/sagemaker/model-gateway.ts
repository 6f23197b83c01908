import { InvokeEndpointCommand, type SageMakerRuntimeClient } from '@aws-sdk/client-sagemaker-runtime';
import * as v from 'valibot';
import { ModelChatReply } from '#domain/chat.ts';
import type { ModelGateway } from '#domain/inference.ts';
import { serviceErrorOf } from './errors.ts';

/** Where each model runs, and how long one invocation may take. */
export interface ModelGatewaySettings {
  readonly endpointOf: (model: string) => string;
  readonly deadlineMs: number;
}

/** Containers that speak OpenAI bodies on /invocations (vLLM), through the SageMaker runtime. */
export function sagemakerGateway(client: SageMakerRuntimeClient, settings: ModelGatewaySettings): ModelGateway {
  async function invoke(model: string, body: unknown, signal?: AbortSignal): Promise<unknown> {
    const command = new InvokeEndpointCommand({
      EndpointName: settings.endpointOf(model),
      ContentType: 'application/json',
      Accept: 'application/json',
      Body: JSON.stringify(body),
    });
    const deadline = AbortSignal.timeout(settings.deadlineMs);
    const abortSignal = signal ? AbortSignal.any([deadline, signal]) : deadline;
    const { Body } = await client.send(command, { abortSignal });
    return JSON.parse(new TextDecoder().decode(Body));
  }

  return {
    async chat(model, request, signal) {
      try {
        return v.parse(ModelChatReply, await invoke(model, request, signal));
      } catch (error) {
        throw serviceErrorOf(error, model);
      }
    },
  };
}
