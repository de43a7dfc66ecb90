import { expect, test } from 'vitest';
import { actorOf } from './actor.ts';
import { ACTOR_LABELS, TEAM_LABELS } from './audit.ts';

const dana = { id: '01', email: 'dana@example.com' };

test('an entry names the member who did it, and calls the reader "You"', () => {
  expect(actorOf({ actor: 'owner', person: dana }, TEAM_LABELS, '02')).toBe('dana@example.com');
  expect(actorOf({ actor: 'owner', person: dana }, TEAM_LABELS, '01')).toBe('You');
});

test('an entry without a person names the kind of actor', () => {
  expect(actorOf({ actor: 'owner', person: null }, ACTOR_LABELS, '01')).toBe('You');
  expect(actorOf({ actor: 'owner', person: null }, TEAM_LABELS, '01')).toBe('Member');
  expect(actorOf({ actor: 'key', person: null }, ACTOR_LABELS, '01')).toBe('API key');
});

test('an entry of a person whose data was erased names a deleted user', () => {
  expect(actorOf({ actor: 'owner', person: { id: '01', email: null } }, ACTOR_LABELS, '02')).toBe(
    'Deleted user',
  );
});
