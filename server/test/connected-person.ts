import type { SystemName } from '@sixdigit/contract/connection-list.ts';
import {
  createConnection,
  deleteConnection,
  type NewConnection,
  rotateConnection,
  testConnection,
  updateConnection,
} from '@sixdigit/contract/connections.ts';
import { expect } from 'vitest';
import { serviceWithCarriers } from './carriers.ts';
import { fixture } from './fixture.ts';
import { sender } from './sender.ts';
import { signedIn } from './signed-in.ts';

type Its = Pick<NewConnection, 'id'>;

/** A service whose customers connect systems, each with the calls of their connections. */
export function connectedPeople() {
  const service = fixture(() => serviceWithCarriers(['http']));
  let count = 0;
  const phone = () => `+1415555${String(7000 + ++count)}`;

  const person = async (name: string) => {
    const made = await sender(service, `${name}${++count}`, { keys: 1 });
    const bearer = await signedIn(service, made);
    const create = (body: object) =>
      service.call(createConnection, { bearer, body: { system: 'logto', name: 'x', ...body } });
    return {
      ...made,
      bearer,
      create,
      async connected(system: SystemName = 'authentik', more: object = {}): Promise<NewConnection> {
        const { status, body } = await create({ system, name: 'Sign-in', ...more });
        expect([status, body]).toMatchObject([201, { system }]);
        return body;
      },
      change: ({ id }: Its, body: object) => service.call(updateConnection, { bearer, params: { id }, body }),
      rotate: ({ id }: Its, body: object = {}) =>
        service.call(rotateConnection, { bearer, params: { id }, body }),
      remove: ({ id }: Its) => service.call(deleteConnection, { bearer, params: { id } }),
      play: ({ id }: Its, body: object = {}) =>
        service.call(testConnection, { bearer, params: { id }, body }),
    };
  };

  /** A request of authentik. */
  const ask = (
    { id, secret }: Pick<NewConnection, 'id' | 'secret'>,
    to: string,
    code = '424242',
    { on = service, from = '198.51.100.9' }: { on?: Pick<typeof service, 'inject'>; from?: string } = {},
  ) =>
    on.inject({
      method: 'POST',
      url: `/api/v1/in/${id}/sms`,
      headers: { 'content-type': 'application/json', authorization: `Bearer ${secret}` },
      payload: { From: 'authentik', To: to, Body: code },
      remoteAddress: from,
    });
  /** A request of Logto. */
  const logto = (
    { id, secret }: Pick<NewConnection, 'id' | 'secret'>,
    to: string,
    payload: object,
    kind = 'sms',
  ) =>
    service.inject({
      method: 'POST',
      url: `/api/v1/in/${id}/${kind}`,
      headers: { 'content-type': 'application/json', authorization: secret },
      payload: { to, type: 'SignIn', payload },
    });
  const textsTo = async (to: string) => {
    await service.drain();
    return service.http.messages.filter(({ recipient }) => recipient === to);
  };
  return { service, phone, person, ask, logto, textsTo };
}
