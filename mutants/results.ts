import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { ROOT } from './checkout.ts';
import type { Mutant } from './mutant.ts';

export interface Result {
  verdict: 'killed' | 'survived' | 'invalid';
  /** The test that failed with its error, or why the mutant could not be judged. */
  detail: string;
  seconds: number;
}

/** Results on disk, so that an interrupted run can go on. Each belongs to the texts of the files that it depends on. */
export class Results {
  readonly #file = join(ROOT, '.cache', 'mutants.json');
  readonly #known: Record<string, Result>;

  constructor(resume: boolean) {
    this.#known = resume && existsSync(this.#file) ? JSON.parse(readFileSync(this.#file, 'utf8')) : {};
  }

  find(mutant: Mutant): Result | undefined {
    return this.#known[keyOf(mutant)];
  }

  set(mutant: Mutant, result: Result): void {
    this.#known[keyOf(mutant)] = result;
    mkdirSync(dirname(this.#file), { recursive: true });
    writeFileSync(this.#file, JSON.stringify(this.#known, null, 2));
  }
}

function keyOf(mutant: Mutant): string {
  const hash = createHash('sha256').update(JSON.stringify(mutant));
  for (const file of [mutant.file, ...mutant.tests])
    if (existsSync(join(ROOT, file))) hash.update(readFileSync(join(ROOT, file)));
  return `${mutant.name} ${hash.digest('hex').slice(0, 16)}`;
}
