import type { ContainerFamily } from '#contract/inference/models.ts';
import type { Engine } from '../engine.ts';
import { asLmi } from './lmi-dialect.ts';
import { asOmni } from './omni-dialect.ts';
import { asTei } from './tei-dialect.ts';
import { asTgi } from './tgi-dialect.ts';
import { asWhisperx } from './whisperx-dialect.ts';

const dialects: Readonly<Record<ContainerFamily, (engine: Engine) => Engine>> = {
  vllm: (engine) => engine,
  lmi: asLmi,
  tgi: asTgi,
  tei: asTei,
  omni: asOmni,
  whisperx: asWhisperx,
};

/** The engine as a container of this family would be met on /invocations: its bodies, replies, streams and errors. */
export const inDialect = (family: ContainerFamily, engine: Engine): Engine => dialects[family](engine);
