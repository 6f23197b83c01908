/** scrypt at N=2^17 takes 128 MiB and a core's third of a second; memory buys processor share on Lambda. */
export const hashing = { memoryMb: 1024 } as const;
