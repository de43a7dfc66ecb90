import { expect, test } from 'vitest';
import { fixture } from '../../../server/test/fixture.ts';
import { type Sender, sender, wrongCode } from '../../../server/test/sender.ts';
import { type TestService, testService } from '../../../server/test/service.ts';
import { type FaultyProxy, faultyProxy } from '../../test/faulty-proxy.ts';
import type { Browser, Page } from './application.ts';

/** The service, and a proxy before it that fails when the test wants it to. */
export interface Surroundings {
  service: TestService;
  proxy: FaultyProxy;
  alice: Sender;
  /** What the sample reads from its environment. */
  env(): { SIXDIGIT_URL: string; SIXDIGIT_API_KEY: string };
}

export function surroundings(): Surroundings {
  const service = fixture(testService);
  const proxy = fixture(async () => faultyProxy(await service.listen()));
  const alice = fixture(() => sender(service, 'Alice'));
  const env = () => ({ SIXDIGIT_URL: proxy.url, SIXDIGIT_API_KEY: alice.key() });
  return { service, proxy, alice, env };
}

interface Sample {
  /** As in the titles of the tests. */
  name: string;
  browser(): Browser;
  /** How a person's fields reach the sample. */
  post(browser: Browser, path: string, fields: Record<string, string>): Promise<Page>;
}

/** All attempts of a call fail. */
const OUTAGE = Array.from({ length: 3 }, () => 'unavailable' as const);

/** The tests of every sample with `POST /sign-in`, `POST /sign-in/verify`, and `GET /` for those who have signed in. */
export function testSignIn({ name, browser, post }: Sample, around: Surroundings): void {
  const { service, proxy, alice } = around;
  const number = (n: number) => `+1201555010${n}`;
  const request = (person: Browser, recipient: string) => post(person, '/sign-in', { recipient });
  const enter = (person: Browser, code: string) => post(person, '/sign-in/verify', { code });
  const codeTo = async (recipient: string) => {
    await service.deliver();
    return alice.code(recipient);
  };

  test(`a person signs in at the ${name} sample with the code, once`, async () => {
    const person = browser();
    expect((await person.open('/')).text).not.toContain(number(1));
    expect(await request(person, number(1))).toMatchObject({ status: expect.toSatisfy(isSuccess) });
    const code = await codeTo(number(1));
    const wrong = await enter(person, wrongCode(code));
    expect(wrong).toMatchObject({ status: 400, text: expect.stringMatching(/That code is wrong\..*4/s) });
    expect((await person.open('/')).text).not.toContain(number(1));
    const before = new Map(person.cookies);
    expect(await enter(person, code)).toMatchObject({ status: expect.toSatisfy(isSuccess) });
    // A session that somebody else has planted before is not signed in.
    expect(person.cookies).not.toEqual(before);
    expect(await person.open('/')).toMatchObject({ status: 200, text: expect.stringContaining(number(1)) });

    const again = await enter(person, code);
    expect(again).toMatchObject({ status: 400, text: expect.stringContaining('request a new code') });
    const thief = browser();
    for (const [cookie, value] of before) thief.cookies.set(cookie, value);
    expect((await thief.open('/')).text).not.toContain(number(1));
    const stolen = await enter(thief, code);
    expect(stolen).toMatchObject({ status: 400, text: expect.stringContaining('request a new code') });
  });

  test(`the ${name} sample accepts a code only from the browser that requested it`, async () => {
    const [person, stranger] = [browser(), browser()];
    await request(person, number(2));
    const code = await codeTo(number(2));
    await request(stranger, number(3));
    const { status, text } = await enter(stranger, code);
    expect({ status, text }).toEqual({ status: 400, text: expect.stringContaining('That code is wrong.') });
    expect((await stranger.open('/')).text).not.toContain(number(2));
    expect(await enter(person, code)).toMatchObject({ status: expect.toSatisfy(isSuccess) });
  });

  test(`the ${name} sample answers bad input with a sentence`, async () => {
    const person = browser();
    for (const recipient of ['nobody', '', '+1'])
      expect(await request(person, recipient)).toMatchObject({
        status: 400,
        text: expect.stringContaining('check the phone number'),
      });
    const unasked = await enter(person, '123456');
    expect(unasked).toMatchObject({ status: 400, text: expect.stringContaining('request a new code') });
    await request(person, number(4));
    for (const code of ['', 'no code'])
      expect(await enter(person, code)).toMatchObject({
        status: 400,
        text: expect.stringContaining('That code is wrong.'),
      });
  });

  test(`too many wrong codes at the ${name} sample close the sign-in`, async () => {
    const person = browser();
    await request(person, number(5));
    const code = await codeTo(number(5));
    for (const n of [1, 2, 3, 4, 5]) await enter(person, wrongCode(code, n));
    const { status, text } = await enter(person, code);
    expect({ status, text }).toEqual({ status: 400, text: expect.stringContaining('Too many wrong codes.') });
    expect((await person.open('/')).text).not.toContain(number(5));
  });

  test(`an outage at the ${name} sample is temporary, and the code stays valid`, async () => {
    const person = browser();
    proxy.plan(...OUTAGE);
    expect(await request(person, number(6))).toMatchObject({
      status: 503,
      text: expect.stringContaining('try again later'),
    });
    expect(await request(person, number(6))).toMatchObject({ status: expect.toSatisfy(isSuccess) });
    const code = await codeTo(number(6));
    proxy.plan(...OUTAGE);
    expect(await enter(person, code)).toMatchObject({
      status: 503,
      text: expect.stringContaining('try again later'),
    });
    expect(await enter(person, code)).toMatchObject({ status: expect.toSatisfy(isSuccess) });
    expect((await person.open('/')).text).toContain(number(6));
  });
}

const isSuccess = (status: number): boolean => status < 400;
