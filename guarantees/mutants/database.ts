import type { TestProject } from 'vitest/node';
import { runSql } from '../../server/test/database-url.ts';
import { keepTemplate } from '../../server/test/template.ts';

/**
 * Connects one mutant's tests to the run's PostgreSQL at MUTANTS_DATABASE_URL. The tests clone the template database
 * MUTANTS_TEMPLATE. For a mutant in `server/sql` this is empty, and the setup creates a template from the changed files.
 */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const url = process.env.MUTANTS_DATABASE_URL ?? '';
  const ready = process.env.MUTANTS_TEMPLATE;
  const templateName = ready || (await keepTemplate(url));
  project.provide('adminUrl', url);
  project.provide('socketFolder', undefined);
  project.provide('templateName', templateName);
  return async () => {
    if (!ready) await runSql(url, `drop database if exists ${templateName} with (force)`);
  };
}
