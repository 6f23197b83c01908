/**
 * Families of GPU instances whose host image can be chosen (ProductionVariant, `InferenceAmiVersion`). Of itself SageMaker
 * starts p4d, p4de, g4dn and g5 with the driver of CUDA 11.4, g6 and p5 with 12.2, p5e and p5en with 12.4 (AWS "Best
 * practices to minimize interruptions during GPU driver upgrades", "Current versions and supported instance families"). A
 * container built for a later CUDA does not start there, and leaves no log.
 */
const gpuFamilies: ReadonlySet<string> = new Set(['g4dn', 'g5', 'g6', 'g6e', 'p4d', 'p4de', 'p5', 'p5e', 'p5en']);

/** Families without accelerators, for TEI’s image for processors (AWS Deep Learning Containers, "TEI", "Notes"). */
const cpuFamilies: ReadonlySet<string> = new Set(['c5', 'c6i', 'c7i', 'm5', 'm6i', 'm7i', 'r5', 'r6i', 'r7i']);

export const instanceFamilies: readonly string[] = [...gpuFamilies, ...cpuFamilies];

/** `g5` of `ml.g5.xlarge`; undefined for what is no type of an endpoint's instance. */
export const familyOf = (instanceType: string): string | undefined =>
  /^ml\.([a-z0-9-]+)\.(?:\d+x|x)?large$/.exec(instanceType)?.[1];

export const hasAccelerators = (instanceType: string): boolean => gpuFamilies.has(familyOf(instanceType) ?? '');

/** Host images with GPU drivers: CUDA 12.2, 12.2, 12.4 and 13.0 (SageMaker API reference, "ProductionVariant"). */
export const hostImages = [
  'al2-ami-sagemaker-inference-gpu-2',
  'al2-ami-sagemaker-inference-gpu-2-1',
  'al2-ami-sagemaker-inference-gpu-3-1',
  'al2023-ami-sagemaker-inference-gpu-4-1',
] as const;
export type HostImage = (typeof hostImages)[number];

/** Which host image AWS tests its own containers on, by their CUDA: neither takes those of the other version. */
const hostImageOfCuda: Readonly<Record<string, HostImage>> = {
  12: 'al2-ami-sagemaker-inference-gpu-3-1',
  13: 'al2023-ami-sagemaker-inference-gpu-4-1',
};

/** The host image that a container wants by its tag, where that has its CUDA as those of AWS do: `…-cu129-…`. */
export const hostImageOf = (image: string): HostImage | undefined =>
  hostImageOfCuda[/[:-]cu(\d{2})\d+(?:-|$)/.exec(image)?.[1] ?? ''];
