import { type ChildProcess, execFile, spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { failures } from '@sixdigit/contract/errors.ts';
import { reasonsOf } from '@sixdigit/contract/openapi/describe.ts';
import { SendBody, sendOtp, VerifyBody, verifyOtp } from '@sixdigit/contract/otp.ts';
import { createWebhook, testWebhook } from '@sixdigit/contract/webhooks.ts';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Person } from '../server/test/person.ts';
import { eventually, follow, openStage, type Stage, sharedTab } from './browser.ts';
import { freePort } from './demo.ts';
import { expectAddress } from './lists.ts';

const run = promisify(execFile);

let stage: Stage;
let alice: Person;
let apiKey: string;
let folder: string;

beforeAll(async () => {
  stage = await openStage();
  alice = await stage.signUp('Alice');
  apiKey = (await stage.apiKey(alice)).key;
  folder = mkdtempSync(join(tmpdir(), 'docs-samples-'));
});
afterAll(async () => {
  rmSync(folder, { recursive: true, force: true });
  await stage?.close();
});

const tab = sharedTab(() => stage.tab({ as: alice, path: '/docs' }));

/** Opens the docs from the menu in a language. */
async function docs(language?: 'cURL' | 'JavaScript' | 'Python' | 'PHP'): Promise<Page> {
  const { page } = tab();
  await follow(page, '/docs');
  await page.getByRole('tab', { name: 'Send OTP' }).click();
  const languages = page.getByRole('tablist', { name: 'Send OTP: language' });
  if (language) await languages.getByRole('tab', { name: language }).click();
  return page;
}

/** A sample's text on the page. */
async function sample(page: Page, label: string): Promise<string> {
  const code = page.getByRole('region', { name: label, exact: true });
  // Once the profile has loaded, the samples send to the reader.
  if (label.startsWith('Send OTP')) await code.getByText(alice.email).waitFor();
  return ((await code.textContent()) ?? '').trim();
}

/** Writes the sample to the file that its first comment names, and runs it as the comment says. */
async function runSample(code: string, file: string, command: string[]): Promise<string> {
  writeFileSync(join(folder, file), code);
  const [program = '', ...args] = command;
  const { stdout } = await run(program, args, {
    cwd: folder,
    env: { PATH: process.env.PATH, API_KEY: apiKey },
    timeout: 20_000,
  });
  return stdout;
}

const isThere = (program: string): boolean =>
  spawnSync(program, ['--version'], { stdio: 'ignore' }).status === 0;

/** Waits for the next new message. */
async function codeOfNext(before: number): Promise<string> {
  return eventually(async () => {
    const messages = await stage.service.inbox(alice.email);
    expect(messages.length).toBeGreaterThan(before);
    return messages[0]?.code ?? '';
  });
}

describe('the page of documentation', () => {
  test('the docs show the address of this deployment, the header, and a link to the API keys', async () => {
    const page = await docs();
    await page.getByText(`${stage.url}/api/v1`, { exact: true }).waitFor();
    await page.getByText('X-API-Key', { exact: true }).first().waitFor();
    await page.getByRole('button', { name: 'Copy base URL' }).click();
    await page.getByText('Copied to clipboard!', { exact: true }).waitFor();
    await expect.poll(() => tab().clipboard()).toBe(`${stage.url}/api/v1`);
    await page.getByRole('main').getByRole('link', { name: 'API Keys' }).click();
    await page.getByRole('heading', { name: 'API Keys' }).waitFor();
  });

  for (const [tabName, search, route, body] of [
    ['Send OTP', '', sendOtp, SendBody],
    ['Verify OTP', '?endpoint=verify', verifyOtp, VerifyBody],
  ] as const) {
    test(`the docs describe every parameter and every error of ${tabName}`, async () => {
      const page = await docs();
      await page.getByRole('tab', { name: tabName }).click();
      await expectAddress(page, `/docs${search}`);
      const parameters = page.getByRole('table', { name: `Parameters of ${tabName}` });
      for (const field of Object.keys(body.shape))
        await parameters.getByRole('rowheader', { name: field }).waitFor();
      const errors = page.getByRole('table', { name: `Errors of ${tabName}` });
      for (const reason of reasonsOf(route)) {
        const row = errors.getByRole('row').filter({ has: page.getByText(reason, { exact: true }) });
        await row.getByText(failures[reason].error, { exact: true }).waitFor();
        await row.getByText(String(failures[reason].status), { exact: true }).waitFor();
      }
      await page.getByText('"This field is required."').first().waitFor();
      if (!search) return;
      await page.reload();
      await parameters.waitFor();
    });
  }

  test('the docs apply the chosen language to all samples and store it in the address', async () => {
    const page = await docs();
    const languages = page.getByRole('tablist', { name: 'Send OTP: language' });
    await page.getByRole('heading', { name: 'Verify the signature' }).scrollIntoViewIfNeeded();
    for (const [language, mark] of [
      ['Python', 'urllib'],
      ['PHP', '<?php'],
      ['cURL', 'curl -X POST'],
      ['JavaScript', 'await fetch'],
    ] as const) {
      await languages.getByRole('tab', { name: language }).click();
      expect(await sample(page, `Send OTP in ${language}`)).toContain(mark);
      await page.getByRole('region', { name: `Verify a signature in ${language}` }).waitFor();
    }
    await languages.getByRole('tab', { name: 'PHP' }).click();
    await expectAddress(page, '/docs?language=php');
    // The browser remembers the language. A shared link's language takes precedence.
    await page.goto('/docs');
    await page.getByRole('region', { name: 'Send OTP in PHP' }).waitFor();
    await page.goto('/docs?language=javascript');
    await page.getByRole('region', { name: 'Send OTP in JavaScript' }).waitFor();
  });

  test('the docs show the prefix of the chosen key in every sample, and no secret', async () => {
    const page = await docs('cURL');
    const picker = page.getByRole('combobox', { name: 'API key in the samples' }).first();
    const prefix = apiKey.slice(0, 14);
    await picker.selectOption({ label: `Production (${prefix}...)` });
    await eventually(async () => expect(await sample(page, 'Send OTP in cURL')).toContain(prefix));
    expect(await sample(page, 'Set the key in the environment')).toBe(`export API_KEY='${prefix}...'`);
    await expect.poll(() => page.getByRole('main').textContent()).not.toContain(apiKey.slice(0, 18));
    // The command fails without the key and runs with it.
    const command = await sample(page, 'Send OTP in cURL');
    writeFileSync(join(folder, 'chosen.sh'), command);
    const refused = await run('sh', ['chosen.sh'], { cwd: folder, env: { PATH: process.env.PATH } }).catch(
      (error: { stderr: string }) => error,
    );
    expect(refused.stderr).toContain(`set it to the key ${prefix}...`);
    expect(await runSample(command, 'chosen.sh', ['sh', 'chosen.sh'])).toContain('"otp_id"');
    await page.reload();
    await expect.poll(() => picker.inputValue()).not.toBe('');
    await picker.selectOption({ label: 'Any API key' });
    await page.getByText('paste your key here').waitFor();
  });

  test('the docs can be searched with the keyboard, and mark the current chapter', async () => {
    const page = await docs();
    const contents = page.getByRole('navigation', { name: 'On this page' });
    const marked = contents.locator('[aria-current="location"]');
    await expect.poll(() => marked.allInnerTexts()).toEqual(['Quick Start']);
    await contents.getByRole('link', { name: 'Webhooks' }).click();
    await expect.poll(() => marked.allInnerTexts()).toEqual(['Webhooks']);

    await page.keyboard.press('/');
    const search = page.getByRole('dialog', { name: 'Search the docs' });
    await search.getByRole('option', { name: 'Verify the signature' }).waitFor();
    await search.getByRole('combobox').fill('no such words');
    await search.getByText('No results.').waitFor();
    await search.getByRole('combobox').fill('retry-after');
    await search.getByRole('option', { name: /^Errors/ }).waitFor();
    // An error of a call whose tab is hidden.
    await search.getByRole('combobox').fill('invalid_code');
    await page.keyboard.press('Enter');
    await expectAddress(page, '/docs?endpoint=verify');
    const row = page
      .getByRole('table', { name: 'Errors of Verify OTP' })
      .getByRole('row', { name: /invalid_code/ });
    await expect
      .poll(() => row.first().evaluate((element) => element === element.ownerDocument.activeElement))
      .toBe(true);
    await expect.poll(() => marked.allInnerTexts()).toEqual(['Send and verify']);
  });

  test('the docs place prose beside samples on wide screens, and above them on narrow ones', async () => {
    const page = await docs('JavaScript');
    const places = async () => {
      const prose = await page.getByText(/^Makes a code and sends it/).boundingBox();
      const code = await page.getByRole('region', { name: 'Send OTP in JavaScript' }).boundingBox();
      return { prose: prose?.x ?? 0, code: code?.x ?? 0, width: prose?.width ?? 0 };
    };
    await eventually(async () => {
      const { prose, code, width } = await places();
      expect(code).toBeGreaterThan(prose + width);
    });
    // Tables are below both.
    await eventually(async () => {
      const parameters = await page.getByRole('table', { name: 'Parameters of Send OTP' }).boundingBox();
      const { prose, code: right, width } = await places();
      expect(Math.abs((parameters?.x ?? 0) - prose)).toBeLessThan(4);
      expect(parameters?.width).toBeGreaterThan(right - prose + width / 2);
    });
    // The copy button is above the code, so it never covers code.
    const code = page.getByRole('region', { name: 'Send OTP in JavaScript' });
    const copy = page.getByRole('tabpanel', { name: 'JavaScript' }).first().getByRole('button');
    await page.setViewportSize({ width: 820, height: 900 });
    await eventually(async () => {
      const { prose, code: left } = await places();
      expect(Math.abs(left - prose)).toBeLessThan(4);
      const [above, below] = [await copy.boundingBox(), await code.boundingBox()];
      expect((above?.y ?? 0) + (above?.height ?? 0)).toBeLessThanOrEqual(below?.y ?? 0);
    });
  });

  test('the tables of the docs keep addresses on one line on phones', async () => {
    const page = await docs();
    await page.setViewportSize({ width: 390, height: 844 });
    const table = page.getByRole('table', { name: 'Test recipients' });
    await table.scrollIntoViewIfNeeded();
    const row = table.getByRole('row', { name: /spend-limit@/ });
    await eventually(async () => {
      const address = await table.getByText('spend-limit@sixdigit.test').boundingBox();
      expect(address?.height).toBeLessThan(24);
      expect((await row.boundingBox())?.height).toBeLessThan(90);
    });
    await page.setViewportSize({ width: 1280, height: 900 });
  });

  test('the docs copy code, and show an error if the clipboard refuses', async () => {
    const page = await docs('JavaScript');
    const copy = page
      .getByRole('tabpanel', { name: 'JavaScript' })
      .first()
      .getByRole('button', { name: 'Copy code' });
    const shown = await sample(page, 'Send OTP in JavaScript');
    const clickedMs = performance.now();
    await copy.click();
    const copied = page
      .getByRole('tabpanel', { name: 'JavaScript' })
      .first()
      .getByRole('button', { name: 'Copied' });
    const toast = page.getByText('Copied to clipboard!', { exact: true }).first();
    await Promise.all([copied.waitFor(), toast.waitFor()]);
    // The check stays for two seconds.
    await copied.waitFor({ state: 'detached' });
    expect(performance.now() - clickedMs).toBeGreaterThan(2_000);
    await expect.poll(() => tab().clipboard()).toBe(shown);
    await page.evaluate('navigator.clipboard.writeText = () => Promise.reject(new Error("no"))');
    await copy.click();
    await page.getByText('Failed to copy to clipboard', { exact: true }).waitFor();
  });
});

describe('samples run as pasted', () => {
  const programs = {
    JavaScript: { program: process.execPath, send: 'send.mjs', verify: 'verify.mjs' },
    Python: { program: 'python3', send: 'send.py', verify: 'verify.py' },
    PHP: { program: 'php', send: 'send.php', verify: 'verify.php' },
  } as const;

  for (const [language, { program, send, verify }] of Object.entries(programs)) {
    if (!isThere(program)) continue;
    test(`the pasted ${language} sample sends and verifies a code`, async () => {
      const { length: before } = await stage.service.inbox(alice.email);
      const page = await docs(language as keyof typeof programs);
      const sent = await runSample(await sample(page, `Send OTP in ${language}`), send, [program, send]);
      expect(sent).toMatch(/^(?:HTTP\/[\d.]+ )?201\b/);
      const otp_id = /[0-9a-f]{8}-[0-9a-f-]{27}/.exec(sent)?.[0] ?? '';
      await page.getByRole('tab', { name: 'Verify OTP' }).click();
      const verifying = await sample(page, `Verify OTP in ${language}`);
      const code = await codeOfNext(before);
      const wrong = code === '111111' ? '222222' : '111111';
      expect(await runSample(verifying, verify, [program, verify, otp_id, wrong])).toContain(
        'Invalid OTP code',
      );
      expect(await runSample(verifying, verify, [program, verify, otp_id, code])).toContain('verified_at');
    });
  }

  test('the pasted cURL sample sends and verifies a code', async () => {
    const page = await docs('cURL');
    const { length: before } = await stage.service.inbox(alice.email);
    const sent = await runSample(await sample(page, 'Send OTP in cURL'), 'send.sh', ['sh', 'send.sh']);
    const { otp_id } = JSON.parse(sent) as { otp_id: string };
    await page.getByRole('tab', { name: 'Verify OTP' }).click();
    writeFileSync(join(folder, 'verify.sh'), await sample(page, 'Verify OTP in cURL'));
    const answers = `${otp_id}\n${await codeOfNext(before)}\n`;
    const { stdout } = await run('sh', ['-c', `printf '%s' '${answers}' | sh verify.sh`], {
      cwd: folder,
      env: { PATH: process.env.PATH, API_KEY: apiKey },
    });
    expect(stdout).toContain('"status":"verified"');
  });

  for (const { language, program, file, isRaw } of [
    { language: 'JavaScript', program: process.execPath, file: 'receive.mjs', isRaw: false },
    { language: 'JavaScript', program: process.execPath, file: 'receive.mjs', isRaw: true },
    { language: 'Python', program: 'python3', file: 'receive.py', isRaw: false },
    { language: 'PHP', program: 'php', file: 'receive.php', isRaw: false },
  ]) {
    if (!isThere(program)) continue;
    const own = isRaw ? ', with a secret of its own' : '';
    test(`the ${language} receiver accepts genuine messages${own} and refuses all others`, async () => {
      const page = await docs('cURL');
      const byHand = await sample(page, 'Verify a signature in cURL');
      await page.getByRole('tab', { name: language }).first().click();
      writeFileSync(join(folder, file), await sample(page, `Verify a signature in ${language}`));
      const port = await freePort();
      const { body: webhook } = await stage.service.call(createWebhook, {
        bearer: alice.access,
        body: {
          name: language,
          url: `http://127.0.0.1:${port}/`,
          ...(isRaw && { secret: 'a secret of our own' }),
        },
      });
      await using receiver = start(program, file, { PORT: String(port), WEBHOOK_SECRET: webhook.secret });
      await isListening(port);
      const { body: tested } = await stage.service.call(testWebhook, {
        bearer: alice.access,
        params: { id: webhook.id },
      });
      expect(tested).toMatchObject({ success: true, response_status: 204 });
      await eventually(() => expect(receiver.output()).toContain('webhook.test'));

      const forged = await fetch(`http://127.0.0.1:${port}/`, {
        method: 'POST',
        body: '{}',
        headers: {
          'webhook-id': 'msg',
          'webhook-timestamp': String(Math.floor(Date.now() / 1000)),
          'webhook-signature': 'v1,bm90IGdlbnVpbmU=',
        },
      });
      expect(forged.status).toBe(401);

      // The fourth language is shell, which signs as the service does.
      writeFileSync(join(folder, 'sign.sh'), byHand);
      const { stdout } = await run('sh', ['sign.sh'], {
        cwd: folder,
        env: { PATH: process.env.PATH, PORT: String(port), WEBHOOK_SECRET: webhook.secret },
      });
      expect(stdout).toMatch(/^HTTP\/1\.[01] 204/);
    });
  }
});

function start(program: string, file: string, env: Record<string, string>) {
  const args = program === 'php' ? ['-S', `127.0.0.1:${env.PORT}`, file] : [file];
  const child: ChildProcess = spawn(program, args, {
    cwd: folder,
    env: { PATH: process.env.PATH, ...env },
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream?.on('data', (data) => {
      output += data;
    });
  }
  return {
    output: () => output,
    async [Symbol.asyncDispose]() {
      const ended = new Promise((resolve) => child.once('exit', resolve));
      child.kill('SIGKILL');
      await ended;
    },
  };
}

const isListening = (port: number): Promise<void> =>
  eventually(async () => {
    await fetch(`http://127.0.0.1:${port}/`, { method: 'POST', body: '' });
  });
