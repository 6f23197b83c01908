import {
  InvokeEndpointCommand,
  InvokeEndpointWithResponseStreamCommand,
  type SageMakerRuntimeClient,
} from '@aws-sdk/client-sagemaker-runtime';
import { BodyTooLarge } from '#aws/bounded-body.ts';
import {
  commandInput,
  type Invocation,
  type Invoke,
  type ModelRuntime,
  type SageMakerPlace,
  type Streaming,
} from './runtime.ts';

type Command = InvokeEndpointCommand | InvokeEndpointWithResponseStreamCommand;

/** Invocations with the SDK's client. `adapt` changes a command before it is sent. */
export function sdkRuntime(
  client: SageMakerRuntimeClient,
  adapt: (command: Command) => void = () => {},
): ModelRuntime<SageMakerPlace> {
  function reply(invocation: Invocation<SageMakerPlace>): Invoke {
    const command = new InvokeEndpointCommand(commandInput(invocation));
    adapt(command);
    return async (deadline) => {
      const { Body } = await client.send(command, { abortSignal: deadline.signal });
      return jsonOf(Body, invocation.maxBytes);
    };
  }

  function parts(invocation: Invocation<SageMakerPlace>): Streaming {
    const command = new InvokeEndpointWithResponseStreamCommand(commandInput(invocation));
    adapt(command);
    return async function* (deadline) {
      const { Body = [] } = await client.send(command, { abortSignal: deadline.signal });
      for await (const { PayloadPart } of Body) {
        if (!PayloadPart?.Bytes) continue;
        const { buffer, byteOffset, byteLength } = PayloadPart.Bytes;
        yield Buffer.from(buffer, byteOffset, byteLength);
      }
    };
  }

  return { reply, parts };
}

/** Size limit of a reply that the SDK has collected. */
function jsonOf(body: Uint8Array | undefined, maxBytes: number): unknown {
  if (body && body.length > maxBytes) throw new BodyTooLarge(maxBytes);
  return JSON.parse(new TextDecoder().decode(body));
}
