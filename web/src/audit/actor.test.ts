import { expect, test } from 'vitest';
import { actorOf } from './actor.ts';
import { ACTOR_LABELS } from './audit-search.ts';

const dana = { id: '01', email: 'dana@example.com' };

test('an entry names the member who did it, and calls the reader "You"', () => {
  expect(actorOf({ actor: 'owner', person: dana }, ACTOR_LABELS, 'alice@example.com')).toBe(
    'dana@example.com',
  );
  expect(actorOf({ actor: 'owner', person: dana }, ACTOR_LABELS, 'dana@example.com')).toBe('You');
});

test('an entry without a member names the kind of actor', () => {
  expect(actorOf({ actor: 'owner', person: null }, ACTOR_LABELS, 'alice@example.com')).toBe('You');
  expect(actorOf({ actor: 'key' }, ACTOR_LABELS, 'alice@example.com')).toBe('API key');
});
