import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { ROOT } from './checkout.ts';
import type { Mutant } from './mutant.ts';

export interface Result {
  verdict: 'killed' | 'survived' | 'invalid' | 'no effect';
  /** The failed test and its error, or why the mutant could not be judged. */
  detail: string;
  seconds: number;
}

/** Results on disk, so that an interrupted run can resume. Each is tied to the contents of the files that it depends on. */
export class Results {
  readonly #file = join(ROOT, '.cache', 'mutants.json');
  readonly #known: Record<string, Result>;
  readonly #root: string;
  readonly #resume: boolean;

  /** `root`: the copy under test, because the checkout may change during a run. */
  constructor(root: string, { resume }: { resume: boolean }) {
    this.#root = root;
    this.#resume = resume;
    this.#known = existsSync(this.#file) ? JSON.parse(readFileSync(this.#file, 'utf8')) : {};
  }

  /** The result of an earlier run, if this run resumes it. */
  find(mutant: Mutant): Result | undefined {
    return this.#resume ? this.#known[this.#keyOf(mutant)] : undefined;
  }

  set(mutant: Mutant, result: Result): void {
    this.#known[this.#keyOf(mutant)] = result;
    mkdirSync(dirname(this.#file), { recursive: true });
    writeFileSync(this.#file, JSON.stringify(this.#known, null, 2));
  }

  #keyOf(mutant: Mutant): string {
    const hash = createHash('sha256').update(JSON.stringify(mutant));
    for (const file of [mutant.file, ...mutant.tests]) {
      const path = join(this.#root, file);
      if (existsSync(path)) hash.update(readFileSync(path));
    }
    return `${mutant.name} ${hash.digest('hex').slice(0, 16)}`;
  }
}
