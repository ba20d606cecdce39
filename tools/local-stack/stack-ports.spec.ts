import { execFileSync } from 'node:child_process';
import { createServer, type Server } from 'node:net';
import { existsSync, mkdtempSync, readdirSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { compiledFile } from '@offizin/testkit/programs';
import { freePorts, portOf } from './ports';
import { freeStackPorts, lockDataDir, portsFromEnvironment, refuseTakenPorts } from './stack-ports';

describe('the ports of a stack', () => {
  it('are the documented ones when nothing is set', () => {
    expect(portsFromEnvironment({})).toEqual({
      gateway: 3000,
      'connector-edge': 3001,
      'order-core': 3010,
      management: {
        gateway: 9100,
        'connector-edge': 9101,
        'order-core': 9102,
        catalog: 9103,
        'webhook-worker': 9104,
      },
      postgres: undefined,
      nats: undefined,
    });
  });

  it('follow the environment', () => {
    const ports = portsFromEnvironment({
      GATEWAY_PORT: '4000',
      MANAGEMENT_PORT_BASE: '9300',
      NATS_PORT: '4222',
    });
    expect(ports).toMatchObject({ gateway: 4000, 'connector-edge': 3001, nats: 4222 });
    expect(ports.management['webhook-worker']).toBe(9304);
  });

  it.each(['0', '65536', '3000x', '-1', '3e3', ' 3000'])('refuse %p', (text) => {
    expect(() => portOf('GATEWAY_PORT', 3000, { GATEWAY_PORT: text })).toThrow(/GATEWAY_PORT/);
  });

  it('are never handed out twice by one process', async () => {
    const ports = [...(await freePorts(20)), ...(await freePorts(20))];
    expect(new Set(ports).size).toBe(40);
  });

  it('are never the same in two workers of Jest', () => {
    const file = JSON.stringify(compiledFile('tools/local-stack/ports.ts'));
    const script = `require(${file}).freePorts(300).then((ports) => console.log(JSON.stringify(ports)))`;
    const found = ['1', '2'].flatMap((worker) => {
      const options = { env: { ...process.env, JEST_WORKER_ID: worker }, encoding: 'utf8' as const };
      return JSON.parse(execFileSync(process.execPath, ['-e', script], options)) as number[];
    });
    expect(new Set(found).size).toBe(600);
  });

  it('are refused when taken, in one sentence with the variables that change them', async () => {
    const ports = await freeStackPorts();
    const { gateway, management } = ports;
    const servers: Server[] = [];
    const occupy = async (port: number) => {
      const server = createServer();
      servers.push(server);
      await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
    };
    try {
      await occupy(gateway);
      await expect(refuseTakenPorts(ports)).rejects.toThrow(
        `Port ${gateway} is taken, perhaps by another stack: stop it, or set GATEWAY_PORT to another number.`,
      );
      for (const port of [management.gateway, management.catalog]) await occupy(port);
      await expect(refuseTakenPorts(ports)).rejects.toThrow(
        `Ports ${gateway}, ${management.gateway}, ${management.catalog} are taken, perhaps by another stack: stop it, or set GATEWAY_PORT, MANAGEMENT_PORT_BASE to another number.`,
      );
    } finally {
      for (const server of servers) server.close();
    }
  });

  it('are refused when two of them are the same', async () => {
    const ports = await freeStackPorts();
    const doubled = { ...ports, management: { ...ports.management, catalog: ports.gateway } };
    await expect(refuseTakenPorts(doubled)).rejects.toThrow(`Port ${ports.gateway} is wanted twice`);
  });

  it('pass when all are free', async () => {
    await expect(refuseTakenPorts(await freeStackPorts())).resolves.toBeUndefined();
  });
});

describe('the lock of a data folder', () => {
  let dataDir: string;
  beforeEach(() => (dataDir = mkdtempSync(join(tmpdir(), 'lock-'))));

  it('refuses a second stack and names the first', () => {
    lockDataDir(dataDir);
    expect(() => lockDataDir(dataDir)).toThrow(`Another stack (pid ${process.pid}) runs on ${dataDir}`);
  });

  it('can be taken again after its release', () => {
    lockDataDir(dataDir)();
    lockDataDir(dataDir)();
    expect(readdirSync(dataDir)).toEqual([]);
  });

  it('is taken over from a dead process', () => {
    writeFileSync(join(dataDir, 'stack.pid'), '4194304\n12345\n');
    lockDataDir(dataDir);
    expect(readdirSync(dataDir)).toEqual(['stack.pid']);
  });

  it('is taken over when the process id now belongs to another process', () => {
    writeFileSync(join(dataDir, 'stack.pid'), `${process.pid}\nstarted at another time\n`);
    const unlock = lockDataDir(dataDir);
    unlock();
    expect(existsSync(join(dataDir, 'stack.pid'))).toBe(false);
  });
});
