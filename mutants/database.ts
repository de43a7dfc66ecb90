import type { TestProject } from 'vitest/node';
import { migrate } from '../server/src/platform/db/migrate.ts';
import { databaseUrl, runSql } from '../server/test/database-url.ts';

/**
 * Gives the tests of one mutant the PostgreSQL of the whole run, at MUTANTS_DATABASE_URL. They clone the template database
 * MUTANTS_TEMPLATE. For a mutant in a migration it is empty, and the setup creates a template from the changed migrations.
 */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const url = process.env.MUTANTS_DATABASE_URL ?? '';
  const ready = process.env.MUTANTS_TEMPLATE;
  const templateName = ready || 'sixdigit_mutant';
  if (!ready) await makeTemplate(url, templateName);
  project.provide('adminUrl', url);
  project.provide('templateName', templateName);
  return async () => {
    if (!ready) await runSql(url, `drop database if exists ${templateName} with (force)`);
  };
}

export async function makeTemplate(url: string, name: string): Promise<void> {
  await runSql(url, `drop database if exists ${name} with (force)`);
  await runSql(url, `create database ${name}`);
  await migrate(databaseUrl(url, name));
}
