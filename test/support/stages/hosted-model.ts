import type { HostedModel } from '#lib/hosted-model.ts';

/** A model in a vLLM container, scaled to zero, with its own weights. */
export const hostedModel: HostedModel = {
  family: 'vllm',
  image: '111111111111.dkr.ecr.eu-west-1.amazonaws.com/vllm:0.11.2-gpu-py312-cu129-ubuntu22.04-sagemaker',
  weights: 's3://weights/llama/',
  environment: { SM_VLLM_MAX_MODEL_LEN: '4096' },
  instanceType: 'ml.g5.xlarge',
  replica: { accelerators: 1, memoryMb: 8192 },
  start: { downloadSeconds: 600, healthSeconds: 900 },
  minReplicas: 0,
  maxReplicas: 2,
  requestsPerReplica: 8,
};
