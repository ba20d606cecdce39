import { connect } from 'nats';
import { TestBroker } from '@offizin/testkit/broker';
import { connectionOptions, sayOnce } from './connection';

it('wants TLS for tls:// only, with the authority given', () => {
  const address = { natsUrl: 'tls://a:4222,tls://b:4222', natsUser: 'catalog', natsPassword: 'p1' };
  expect(connectionOptions(address)).toMatchObject({ servers: ['tls://a:4222', 'tls://b:4222'], tls: {} });
  expect(connectionOptions({ ...address, natsTlsCaFile: '/ca.crt' }).tls).toEqual({ caFile: '/ca.crt' });
  expect(connectionOptions({ ...address, natsUrl: 'nats://a:4222' })).not.toHaveProperty('tls');
});

it('sends no password with tls:// to a server that offers no TLS', async () => {
  const broker = await TestBroker.start();
  const natsUrl = broker.login.natsUrl.replace('nats://127.0.0.1', 'tls://localhost');
  const options = connectionOptions({ ...broker.login, natsUrl });
  await expect(connect({ ...options, reconnect: false })).rejects.toThrow('tls');
  await broker.stop();
});

it('says a line again after a minute, and another line at once', () => {
  const said: string[] = [];
  const at = (seconds: number, line: string) => sayOnce(line, () => said.push(line), seconds * 1_000);
  at(1, 'a');
  at(2, 'a');
  at(3, 'b');
  at(60, 'a');
  at(61, 'a');
  expect(said).toEqual(['a', 'b', 'a']);
});
