import type { Samples } from '../platform/feature.js';
import { PetStatus } from './pet.entity.js';

const NAMES = 'Rex Luna Milo Bella Oskar Nala Балу Coco Simba Żaba Momo Frieda 福'.split(' ');
const CATEGORIES = 40;

/** Pets for `seed`: 65 % available, 32 % sold and 3 % pending, mixed. */
export const petSamples: Samples = {
  table: 'pet',
  columns: ['name', 'category_id', 'status'],
  row: (n) => {
    const mixed = mix(n);
    const name = NAMES[mixed % NAMES.length] as string;
    return [`${name} ${n + 1}`, BigInt(1 + ((mixed >>> 8) % CATEGORIES)), statusAt(((mixed >>> 16) * 100) >>> 16)];
  },
};

function statusAt(percent: number): PetStatus {
  if (percent < 3) return PetStatus.pending;
  return percent < 35 ? PetStatus.sold : PetStatus.available;
}

/** 32 pseudo-random bits, the same in every run (the finalizer of MurmurHash3). */
function mix(n: number): number {
  let bits = Math.imul(n ^ (n >>> 16), 0x85ebca6b);
  bits = Math.imul(bits ^ (bits >>> 13), 0xc2b2ae35);
  return (bits ^ (bits >>> 16)) >>> 0;
}
