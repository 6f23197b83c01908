import { ProductionVariantInferenceAmiVersion, ProductionVariantInstanceType } from '@aws-sdk/client-sagemaker';
import { describe, expect, test } from 'vitest';
import { familyOf, hostImageOf, hostImages, instanceFamilies } from '#lib/hosted-model.ts';
import { live, parseStage } from '#lib/stages.ts';
import { hostedModel } from '#test/stages/hosted-model.ts';

const registry = '111111111111.dkr.ecr.eu-west-1.amazonaws.com';
const embedder = { ...hostedModel, family: 'tei', environment: {} };
const onProcessors = { instanceType: 'ml.c6i.xlarge', replica: { accelerators: 0, memoryMb: 4096 } };

const hosting = (hosted: object, choices: object = {}) =>
  parseStage({ ...live, ...choices, models: { ...live.models, hosted } }).models.hosted;

describe('a stage with an invalid hosted model is refused, and the error names the field', () => {
  test.each<[object, RegExp]>([
    [{ image: 'vllm/vllm-openai:v0.11' }, /svc-1\.image must be an image in ECR/],
    [{ image: `${registry}/vllm` }, /svc-1\.image must be an image in ECR with its tag/],
    [{ weights: 's3://weights/llama.tar.gz' }, /svc-1\.weights must be an S3 prefix that ends with a slash/],
    [{ weights: 's3://weights/' }, /svc-1\.weights must be an S3 prefix/],
    [{ weights: 's3://weights/*/' }, /svc-1\.weights must be an S3 prefix/],
    [{ weights: 'https://example.com/llama' }, /svc-1\.weights must be .* Hugging Face hub/],
    [{ environment: { '2X': '1' } }, /svc-1\.environment\.2X must be the name of a variable/],
    [{ environment: { HF_MODEL_ID: 'a/b' } }, /svc-1\.environment must not have .*: weights sets it/],
    [{ instanceType: 'ml.p2.xlarge' }, /svc-1\.instanceType must be a type such as .* g5, /],
    [{ instanceType: 'g5.xlarge' }, /svc-1\.instanceType must be a type such as ml\.g5\.xlarge/],
    [onProcessors, /svc-1\.instanceType must be of a family with GPUs/],
    [{ replica: { accelerators: 0, memoryMb: 1 } }, /svc-1\.replica must have accelerators/],
    [{ image: `${registry}/vllm:0.11` }, /svc-1\.hostImage is required, because the tag of image/],
    [{ hostImage: 'al2' }, /svc-1\.hostImage must be one of al2-ami-sagemaker-inference-gpu-2/],
    [{ start: { downloadSeconds: 59, healthSeconds: 900 } }, /start\.downloadSeconds must be from 60 to 3600/],
    [{ start: { downloadSeconds: 60, healthSeconds: 3601 } }, /start\.healthSeconds must be from 60 to 3600/],
  ])('%j', (wrong, message) => {
    expect(() => hosting({ 'svc-1': { ...hostedModel, ...wrong } })).toThrow(message);
  });

  test('with an image from a region other than the stage’s', () => {
    const env = { account: '111111111111', region: 'us-east-1' };
    expect(() => hosting({ 'svc-1': hostedModel }, { env })).toThrow(
      /models\.hosted must use images from registries in us-east-1; these do not: svc-1/,
    );
  });
});

test.each<[string, object]>([
  ['from the Hugging Face hub', { weights: 'Qwen/Qwen2.5-7B-Instruct' }],
  ['with a tag without CUDA version, with a host image', { image: `${registry}/own:1`, hostImage: hostImages[2] }],
  ['with a digest, with a host image', { image: `${registry}/own@sha256:0a1b`, hostImage: hostImages[3] }],
])('a hosted model %s is accepted', (_, choices) => {
  expect(() => hosting({ 'svc-1': { ...hostedModel, ...choices } })).not.toThrow();
});

test('TEI can run on CPUs, and then needs no host image', () => {
  const image = `${registry}/tei-cpu:2.0.1-tei1.8.2-cpu-py310-ubuntu22.04`;
  expect(() => hosting({ 'svc-embed': { ...embedder, ...onProcessors, image } })).not.toThrow();
});

test('a startup step takes at most half an hour unless the stage sets another time', () => {
  const { start: _, ...model } = hostedModel;
  expect(hosting({ 'svc-1': model })['svc-1']?.start).toEqual({ downloadSeconds: 1800, healthSeconds: 1800 });
});

test.each([
  ['vllm:0.11.2-gpu-py312-cu129-ubuntu22.04-sagemaker', 'al2-ami-sagemaker-inference-gpu-3-1'],
  ['djl-inference:0.36.0-lmi18.0.0-cu128', 'al2-ami-sagemaker-inference-gpu-3-1'],
  ['vllm:0.20.0-gpu-py312-cu130-ubuntu22.04-sagemaker', 'al2023-ami-sagemaker-inference-gpu-4-1'],
  ['tei-cpu:2.0.1-tei1.8.2-cpu-py310-ubuntu22.04', undefined],
  ['cu129-tools:1', undefined],
])('%s runs on the host image of its CUDA version', (image, hostImage) => {
  expect(hostImageOf(`${registry}/${image}`)).toBe(hostImage);
});

test('the listed instance families and host images are those of SageMaker', () => {
  const families = new Set(Object.values(ProductionVariantInstanceType).map(familyOf));
  expect(instanceFamilies.filter((family) => !families.has(family))).toEqual([]);
  const known = new Set<string>(Object.values(ProductionVariantInferenceAmiVersion));
  expect(hostImages.filter((image) => !known.has(image))).toEqual([]);
});
