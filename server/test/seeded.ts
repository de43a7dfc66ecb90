import fc from 'fast-check';

/** The same random inputs in every run, so that a run fails only for what changed. `TEST_SEED=7 npm test` draws others. */
fc.configureGlobal({ ...fc.readConfigureGlobal(), seed: Number(process.env.TEST_SEED ?? 20_261_129) });
