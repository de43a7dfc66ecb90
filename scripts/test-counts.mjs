import { writeFileSync } from 'node:fs';

/** Writes the numbers of passed, failed and skipped tests for the last line of `npm test`. */
export default class TestCounts {
  onTestRunEnd(modules, unhandledErrors) {
    const counts = { passed: 0, failed: unhandledErrors.length, skipped: 0 };
    for (const module of modules) {
      const tests = [...module.children.allTests()];
      for (const test of tests) {
        const { state } = test.result();
        counts[state === 'passed' || state === 'skipped' ? state : 'failed']++;
      }
      // A file that fails outside its tests (it does not load, or a hook throws) counts as one failure.
      if (module.state() === 'failed' && tests.every((test) => test.result().state !== 'failed'))
        counts.failed++;
    }
    writeFileSync(process.env.TEST_COUNTS_FILE, JSON.stringify(counts));
  }
}
