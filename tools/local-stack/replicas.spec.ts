import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { Balancer } from './replicas';
import { freePorts } from './ports';

const servers: Server[] = [];
let balancer: Balancer;
let url: string;

async function answering(name: string, port: number): Promise<void> {
  const server = createServer((request, response) => {
    if (request.url === '/dies') request.socket.destroy();
    else response.setHeader('connection', 'close').end(name);
  });
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  servers.push(server);
}

beforeEach(async () => {
  const [front = 0, first = 0, second = 0] = await freePorts(3);
  balancer = await Balancer.listen(front, [first, second]);
  url = `http://127.0.0.1:${front}`;
  await answering('second', second);
});
afterEach(async () => {
  await balancer.close();
  for (const server of servers.splice(0)) server.close();
});

const ask = async () => (await fetch(url)).text();

it('sends each connection to a replica that accepts it', async () => {
  expect([await ask(), await ask(), await ask()]).toEqual(['second', 'second', 'second']);
});

it("breaks the caller's connection when its replica broke it", async () => {
  await expect(fetch(`${url}/dies`)).rejects.toThrow();
});

it('refuses connections when no replica is available', async () => {
  for (const server of servers.splice(0)) server.close();
  await expect(ask()).rejects.toThrow();
});
