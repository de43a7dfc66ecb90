import type { ProofMode } from '@sixdigit/contract/proof.ts';

const NAMES: Record<ProofMode, string> = {
  never: 'Never',
  under_pressure: 'Under pressure',
  always: 'Always',
};

export const PROOF_OPTIONS = Object.entries(NAMES).map(([value, label]) => ({ value, label }));
