import { describe, expect, it } from 'vitest';
import { normalisePhone, phoneProblem, possiblePhone } from './phone.ts';

const us = { defaultRegion: 'US' };

describe('a phone number', () => {
  it.each([
    '(415) 555-2671',
    '4155552671',
    '1 415 555 2671',
    '+1.415.555.2671',
    ' +1\u00a0415\u2011555\u20132671 ',
    '\u202a+14155552671\u202c',
    '＋１４１５５５５２６７１',
    '٤١٥٥٥٥٢٦٧١',
    '۴۱۵۵۵۵۲۶۷۱',
    '४१५५५५२६७१',
  ])('is the same E.164 however it is written: %s', (text) => {
    expect(normalisePhone(text, us)).toMatchObject({ e164: '+14155552671', country: 'US' });
  });

  it('without a country code belongs to the default region', () => {
    expect(normalisePhone('020 7946 0958', { defaultRegion: 'GB' })).toMatchObject({
      e164: '+442079460958',
      country: 'GB',
      type: 'FIXED_LINE',
    });
  });

  it('of a premium service has the type PREMIUM_RATE', () => {
    expect(normalisePhone('+1 900 555 1234', us)?.type).toBe('PREMIUM_RATE');
  });

  it.each(['+44 7012345678', '+1 500 234 5678', '+870 773 123456', '+881 612 345 678', '+883 100 12345'])(
    'gets no code even if every country is allowed, because its type or network costs too much: %s',
    (text) => {
      const phone = normalisePhone(text, us);
      expect(phone && phoneProblem(phone, { allowedCountries: ['*'] })).toBe(
        'This kind of phone number cannot receive codes.',
      );
    },
  );

  it.each([
    '',
    '+',
    '123',
    '415 555 267',
    '+1 415 555 2671 ext 5',
    '1-800-FLOWERS',
    'tel:+14155552671',
    '+999 12345678',
    '++14155552671',
    '4155552671;phone-context=+44',
    '1'.repeat(50),
  ])('is none: %j', (text) => {
    expect(normalisePhone(text, us)).toBeUndefined();
  });

  it('may be possible without being assigned', () => {
    expect(normalisePhone('(555) 123-4567', us)).toBeUndefined();
    expect(possiblePhone('(555) 123-4567', us)).toBe('+15551234567');
    expect(possiblePhone('555 123', us)).toBeUndefined();
  });
});
